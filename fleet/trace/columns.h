// The mapping from columns to fields: "arrival=TIMESTAMP:ms,input=ContextTokens,model='gpt-j-6b'".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/job.h"

namespace drover {

enum class TimeUnit : std::uint8_t { s, ms, us, ns, iso };
std::string_view to_text(TimeUnit unit);
std::optional<TimeUnit> parse_time_unit(std::string_view text);

/// Parses a number such as "336541.000000", from 0 up to the year 2200 as a time since 1970; with
/// `iso` a text for parse_timestamp().
Result<Instant> parse_trace_time(std::string_view text, TimeUnit unit);
/// The largest number that parse_trace_time() accepts for a unit.
std::uint64_t trace_time_max(TimeUnit unit);

/// Fields of Job and Workload that a column can have, named as the options of `drover submit`.
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

/// The source of a field's text: a column or a constant.
struct TraceColumn {
  TraceField field = TraceField::arrival;
  std::string column;  // empty: the constant
  std::string constant;
  TimeUnit unit = TimeUnit::s;  // arrival, deadline
  /// The name for messages.
  std::string name() const { return column.empty() ? std::string(to_text(field)) : column; }
};

class TraceColumns {
 public:
  /// Parses FIELD=COLUMN, FIELD=COLUMN:UNIT (arrival: s ms us ns iso, deadline: s ms us ns; default
  /// s) or FIELD='constant', separated by commas. A column's name may be in double quotes. Errors
  /// are an unknown field, a field mapped twice, a constant that is invalid for the field, and a
  /// required field without a column. Without `kind` all jobs are requests to serve.
  static Result<TraceColumns> parse(std::string_view text);

  bool maps(TraceField field) const { return find(field) != nullptr; }
  /// Null when the field is not mapped.
  const TraceColumn* find(TraceField field) const;
  const std::vector<TraceColumn>& all() const { return columns_; }

 private:
  Status add(TraceColumn column);

  std::vector<TraceColumn> columns_;
};

/// Whether a job of this kind has the field, and whether it requires it.
bool applies(TraceField field, WorkKind kind);
bool needs(TraceField field, WorkKind kind);
/// The first required field of this kind of job that is not mapped; "" when none is missing.
std::string_view missing_field(const TraceColumns& columns, WorkKind kind);
/// Parses the text into the job's field. The error says what was expected. REQUIRES not arrival.
Status set_field(const TraceColumn& column, std::string_view text, Job& job);

}  // namespace drover
