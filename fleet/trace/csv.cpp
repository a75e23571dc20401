// Any table as a trace, with a mapping of its columns to fields. An empty cell counts as absent.
#include <algorithm>
#include <cstddef>

#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "fleet/base/whole_text.h"
#include "fleet/trace/rows.h"

namespace drover {
namespace {

constexpr std::uint32_t items_max = 100'000'000;

struct Count {
  TraceField field;
  std::uint32_t Workload::*member;
  std::uint32_t max;
};
constexpr Count counts[] = {{TraceField::input, &Workload::input_tokens, trace_tokens_max},
                            {TraceField::output, &Workload::output_tokens, trace_tokens_max},
                            {TraceField::items, &Workload::items, items_max},
                            {TraceField::steps, &Workload::steps, job_steps_max},
                            {TraceField::batch, &Workload::batch, job_batch_max},
                            {TraceField::seq, &Workload::sequence, trace_tokens_max}};

struct Name {
  TraceField field;
  std::string Job::*member;
};
constexpr Name name_fields[] = {{TraceField::tenant, &Job::tenant},
                                {TraceField::work_class, &Job::work_class},
                                {TraceField::stage, &Job::stage},
                                {TraceField::data_set, &Job::data_set}};

Status set_kind(std::string_view text, Job& job) {
  const std::optional<WorkKind> kind = parse_work_kind(text);
  if (!kind) return error("found \"{}\", expected serve, train or batch", excerpt(text));
  job.work.kind = *kind;
  return {};
}

Status set_precisions(std::string_view text, Workload& work) {
  for (const std::string& word : split(text, ',')) {
    const std::optional<Precision> precision = parse_precision(trimmed(word));
    if (!precision) {
      std::vector<std::string> known;
      for (int i = 0; i < precision_count; ++i) {
        known.emplace_back(to_text(static_cast<Precision>(i)));
      }
      return error("unknown precision \"{}\"{}", excerpt(word), suggestion(word, known));
    }
    work.precisions.push_back(*precision);
  }
  return {};
}

Status set_priority(std::string_view text, Job& job) {
  const auto priority = parse_whole_text<std::int8_t>(text);
  if (!priority) return error("found \"{}\", expected a whole number -128..127", excerpt(text));
  job.priority = *priority;
  return {};
}

Status set_devices(std::string_view text, Workload& work) {
  DROVER_ASSIGN(const auto devices, parse_count(text, 1, devices_per_host_max));
  work.devices = static_cast<std::uint16_t>(devices);
  return {};
}

Status set_deadline(std::string_view text, TimeUnit unit, Job& job) {
  DROVER_ASSIGN(const auto after, parse_trace_time(text, unit));
  job.deadline = after.time_since_epoch();
  return {};
}

}  // namespace

Status set_field(const TraceColumn& column, std::string_view text, Job& job) {
  for (const Count& count : counts) {
    if (count.field != column.field) continue;
    DROVER_ASSIGN(const auto number, parse_count(text, 1, count.max));
    job.work.*count.member = number;
    return {};
  }
  for (const Name& name : name_fields) {
    if (name.field != column.field) continue;
    if (!is_name(text)) {
      return error("found \"{}\", expected 1 to 64 characters of A-Z a-z 0-9 . _ : -",
                   excerpt(text));
    }
    job.*name.member = std::string(text);
    return {};
  }
  if (column.field == TraceField::kind) return set_kind(text, job);
  if (column.field == TraceField::precision) return set_precisions(text, job.work);
  if (column.field == TraceField::priority) return set_priority(text, job);
  if (column.field == TraceField::devices) return set_devices(text, job.work);
  if (column.field == TraceField::deadline) return set_deadline(text, column.unit, job);
  DROVER_REQUIRE(column.field == TraceField::model);
  job.work.model = std::string(text);
  return {};
}

namespace {

std::vector<std::string> columns_of(const TraceColumns& map) {
  std::vector<std::string> wanted;
  for (const TraceColumn& field : map.all()) {
    const bool known = std::find(wanted.begin(), wanted.end(), field.column) != wanted.end();
    if (!field.column.empty() && !known) wanted.push_back(field.column);
  }
  return wanted;
}

class CsvRows : public TraceRows {
 public:
  explicit CsvRows(const TraceReaderOptions& reading)
      : map_(reading.columns), wanted_(columns_of(map_)), header_(wanted_) {}

  bool headed() const override { return header_.good(); }

  Result<std::optional<TraceRow>> read(std::string_view text) override {
    DROVER_ASSIGN(auto read, header_.read(text));
    if (!read) return std::optional<TraceRow>{};
    DROVER_ASSIGN(auto row, read_cells(*read));
    return std::optional(std::move(row));
  }

 private:
  const std::string& text_of(const TraceColumn& field,
                             const std::vector<std::string>& cells) const {
    if (field.column.empty()) return field.constant;
    const auto found = std::find(wanted_.begin(), wanted_.end(), field.column);
    return cells[static_cast<std::size_t>(found - wanted_.begin())];
  }

  Result<WorkKind> kind_of(const std::vector<std::string>& cells) const {
    const TraceColumn* field = map_.find(TraceField::kind);
    if (field == nullptr) return WorkKind::serve;
    const std::string& text = text_of(*field, cells);
    Job job;
    const Status status = text.empty() ? Status() : set_kind(text, job);
    if (!status) return in_field(field->name(), status.error());
    if (const std::string_view missing = missing_field(map_, job.work.kind); !missing.empty()) {
      return in_field(field->name(),
                      error("found \"{}\", which needs a column for {}", text, missing));
    }
    return job.work.kind;
  }

  Result<TraceRow> read_cells(const std::vector<std::string>& cells) const {
    const TraceColumn& arrival = *map_.find(TraceField::arrival);
    const std::string& time_text = text_of(arrival, cells);
    const Result<Instant> at = parse_trace_time(time_text, arrival.unit);
    if (!at) return in_field(arrival.column, at.error());
    DROVER_ASSIGN(const auto kind, kind_of(cells));
    const TraceColumn* model = map_.find(TraceField::model);
    TraceRow row{*at, arrival.column, time_text, model == nullptr ? "" : model->name(), {}, ""};
    row.job = kind == WorkKind::train ? training_job("", 0, 1) : request_job("", 0, 0);
    row.job.work.kind = kind;
    if (kind == WorkKind::batch) row.job.priority = 0;
    for (const TraceColumn& field : map_.all()) {
      if (field.field == TraceField::arrival || !applies(field.field, kind)) continue;
      const std::string& text = text_of(field, cells);
      if (text.empty() && !needs(field.field, kind)) continue;
      const Status status = set_field(field, text, row.job);
      if (!status) return in_field(field.name(), status.error());
    }
    return row;
  }

  TraceColumns map_;
  std::vector<std::string> wanted_;
  TraceHeader header_;
};

}  // namespace

std::unique_ptr<TraceRows> csv_rows(const TraceReaderOptions& reading) {
  return std::make_unique<CsvRows>(reading);
}

}  // namespace drover
