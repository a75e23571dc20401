#include "fleet/trace/trace.h"

#include <array>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/text/csv.h"
#include "fleet/trace/rows.h"

namespace drover {
namespace {

struct Format {
  std::string_view name;
  std::unique_ptr<TraceRows> (*rows)(const TraceReaderOptions& reading);
  bool (*names_models)(const TraceReaderOptions& reading);
  bool rows_span_lines;  // within quotes
};

/// The number of lines lost with a row whose quote is never closed.
constexpr std::uint64_t row_lines_max = 100;

bool always(const TraceReaderOptions&) { return true; }
bool nowhere(const TraceReaderOptions&) { return false; }
bool if_mapped(const TraceReaderOptions& reading) {
  return reading.columns.maps(TraceField::model);
}

// In the order of TraceFormat.
constexpr std::array<Format, 5> formats{{{"azure", azure_rows, nowhere, false},
                                         {"mooncake", mooncake_rows, nowhere, false},
                                         {"gavel", gavel_rows, always, false},
                                         {"tiresias", tiresias_rows, always, false},
                                         {"csv", csv_rows, if_mapped, true}}};

const Format& format_of(const TraceReaderOptions& reading) {
  return formats[static_cast<std::size_t>(reading.format)];
}

bool quotes_are_open(std::string_view text) {
  CsvReader reader(text, "");
  while (true) {
    const auto row = reader.next();
    if (!row) return true;
    if (!*row) return false;
  }
}

}  // namespace

Result<TraceFormat> parse_trace_format(std::string_view name) {
  for (std::size_t index = 0; index < formats.size(); ++index) {
    if (formats[index].name == name) return static_cast<TraceFormat>(index);
  }
  return error("trace format: found \"{}\", expected a known one{}", excerpt(name),
               suggestion(name, trace_format_names()));
}

std::vector<std::string> trace_format_names() { return names_of(formats, &Format::name); }

bool names_models(const TraceReaderOptions& reading) {
  return format_of(reading).names_models(reading);
}

TraceReader::TraceReader(TraceReaderOptions reading, RandomStream random)
    : reading_(std::move(reading)), rows_(format_of(reading_).rows(reading_)), random_(random) {
  DROVER_REQUIRE(!reading_.model.empty() || (names_models(reading_) && reading_.find_model));
}

TraceReader::~TraceReader() = default;
TraceReader::TraceReader(TraceReader&&) noexcept = default;
TraceReader& TraceReader::operator=(TraceReader&&) noexcept = default;

bool TraceReader::headed() const { return rows_->headed(); }

std::vector<std::string> TraceReader::take_remarks() { return std::exchange(remarks_, {}); }

Error TraceReader::at_row(const Error& problem) const {
  return error("{}:{}: {}", reading_.file, row_line_, problem.message);
}

Result<std::optional<TraceJob>> TraceReader::read_line(std::string_view line) {
  ++line_;
  if (begun_.empty()) row_line_ = line_;
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (line_ == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  const std::string begun = std::exchange(begun_, {});
  if (begun.size() + line.size() > trace_line_bytes_max) {
    return at_row(error("found more than {} bytes in one {}", trace_line_bytes_max,
                        begun.empty() ? "line" : "row"));
  }
  if (!format_of(reading_).rows_span_lines) return read_row(line);
  const std::string text = begun + std::string(line);
  if (!quotes_are_open(text)) return read_row(text);
  if (line_ - row_line_ + 1 == row_lines_max) {
    return at_row(
        error("a quote is opened and not closed in {} lines, which are skipped", row_lines_max));
  }
  begun_ = text + '\n';
  return std::optional<TraceJob>{};
}

Status TraceReader::finish() {
  if (std::exchange(begun_, {}).empty()) return {};
  return at_row(error("a quote is opened and never closed"));
}

Result<std::optional<TraceJob>> TraceReader::read_row(std::string_view text) {
  if (trimmed(text).empty()) return std::optional<TraceJob>{};
  Result<std::optional<TraceRow>> read = rows_->read(text);
  if (!read) return at_row(read.error());
  if (!*read) return std::optional<TraceJob>{};
  TraceRow& row = **read;
  std::string& model = row.job.work.model;
  if (reading_.model.empty()) {
    Result<std::string> known = reading_.find_model(model);
    if (!known) return at_row(in_field(row.model_field, known.error()));
    model = *std::move(known);
  } else {
    model = reading_.model;
  }
  if (!first_) first_ = row.at;
  if (row.at < *first_) {
    return at_row(in_field(row.time_field,
                           error("found \"{}\", expected no time before that of the first row, {}",
                                 excerpt(row.time_text), to_iso8601(*first_))));
  }
  if (!row.remark.empty() && remarked_.insert(row.remark).second) {
    remarks_.push_back(at_row({row.remark}).message);
  }
  RandomStream random = random_.child(row_line_);
  row.job.id = generate_job_id(random);
  return std::optional(TraceJob{row.at - *first_, std::move(row.job)});
}

}  // namespace drover
