// Which column of a table means what: "arrival=TIMESTAMP:ms,input=ContextTokens,model='gpt-j-6b'".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/job.h"
#include "fleet/trace/trace_time.h"

namespace drover {

/// What a column can hold: fields of Job and Workload, by the names of `drover submit`'s options.
enum class TraceField : std::uint8_t {
  arrival,
  kind,
  model,
  input,
  output,
  items,
  steps,
  batch,
  seq,
  devices,
  precision,
  tenant,
  priority,
  deadline,
  work_class,
  stage,
  data_set
};
std::string_view to_text(TraceField field);

/// Where a field's text comes from.
struct TraceColumn {
  TraceField field = TraceField::arrival;
  std::string column;  // empty: the constant
  std::string constant;
  TimeUnit unit = TimeUnit::s;  // arrival, deadline
  /// As problems name it.
  std::string name() const { return column.empty() ? std::string(to_text(field)) : column; }
};

class TraceColumns {
 public:
  /// Pairs FIELD=COLUMN, FIELD=COLUMN:UNIT (arrival: s ms us ns iso, deadline: s ms us ns; without
  /// one s) or FIELD='constant', with commas between. A column's name may stand in double quotes.
  /// Wrong are an unknown field, one mapped twice, a constant that the field does not take, and no
  /// column for what every job of the kind needs. Without `kind` all are requests to serve.
  static Result<TraceColumns> parse(std::string_view text);

  bool maps(TraceField field) const { return find(field) != nullptr; }
  /// Null: not mapped.
  const TraceColumn* find(TraceField field) const;
  const std::vector<TraceColumn>& all() const { return columns_; }

 private:
  Status add(TraceColumn column);

  std::vector<TraceColumn> columns_;
};

/// Whether a job of the kind has the field; whether it must.
bool applies(TraceField field, WorkKind kind);
bool needs(TraceField field, WorkKind kind);
/// What such a job needs and the map lacks: "input", or nothing.
std::string_view missing_field(const TraceColumns& columns, WorkKind kind);
/// Reads the text into the job; a problem says what was expected. REQUIRES not arrival.
Status set_field(const TraceColumn& column, std::string_view text, Job& job);

}  // namespace drover
