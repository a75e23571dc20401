#include "fleet/trace/rows.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/whole_text.h"
#include "fleet/text/csv.h"

namespace drover {
namespace {

constexpr std::int8_t request_priority = 10;

// The default of `drover submit`.
constexpr std::uint32_t usual_batch = 32;

Result<std::vector<std::string>> cells_of(std::string_view text) {
  CsvReader reader(text, "");
  Result<std::optional<CsvRow>> row = reader.next();
  if (!row || !*row) return error("found a quote that is never closed in \"{}\"", excerpt(text));
  if (const auto rest = reader.next(); !rest || *rest) {
    return error("found a line end within \"{}\"", excerpt(text));
  }
  std::vector<std::string> cells = std::move((*row)->cells);
  for (std::string& cell : cells) cell = std::string(trimmed(cell));
  return cells;
}

}  // namespace

TraceHeader::TraceHeader(std::vector<std::string> wanted) : wanted_(std::move(wanted)) {}

Status TraceHeader::read_columns(std::string_view text) {
  Result<std::vector<std::string>> columns = cells_of(text);
  if (!columns) return in_field("header", columns.error());
  for (const std::string& name : wanted_) {
    const auto times = std::count(columns->begin(), columns->end(), name);
    if (times != 1) {
      return error("header: found {} {} in \"{}\", expected one each of {}",
                   times == 0 ? "no column" : "several columns", printable(name), excerpt(text),
                   printable(joined(wanted_, ", ")));
    }
    const auto found = std::find(columns->begin(), columns->end(), name);
    places_.push_back(static_cast<std::size_t>(found - columns->begin()));
  }
  columns_ = *std::move(columns);
  return {};
}

Result<std::optional<std::vector<std::string>>> TraceHeader::read(std::string_view text) {
  using Cells = std::optional<std::vector<std::string>>;
  if (refused_) return error("the file has no valid header");
  if (columns_.empty()) {
    const Status status = read_columns(text);
    refused_ = !status;
    if (refused_) return status.error();
    return Cells{};
  }
  DROVER_ASSIGN(auto cells, cells_of(text));
  if (cells.size() != columns_.size()) {
    return error("found {} fields, expected {} ({})", cells.size(), columns_.size(),
                 excerpt(joined(columns_, ","), 200));
  }
  std::vector<std::string> wanted;
  for (const std::size_t place : places_) wanted.push_back(std::move(cells[place]));
  return Cells{std::move(wanted)};
}

Error in_field(std::string_view field, const Error& problem) {
  return error("{}: {}", printable(field), problem.message);
}

Result<std::uint32_t> parse_count(std::string_view text, std::uint32_t low, std::uint32_t high) {
  const auto count = parse_whole_text<std::uint32_t>(text);
  if (count && *count >= low && *count <= high) return *count;
  return error("found \"{}\", expected a whole number {}..{}", excerpt(text), low, high);
}

Job request_job(std::string model, std::uint32_t input_tokens, std::uint32_t output_tokens) {
  Job job;
  job.work.kind = WorkKind::serve;
  job.work.model = std::move(model);
  job.work.input_tokens = input_tokens;
  job.work.output_tokens = output_tokens;
  job.priority = request_priority;
  return job;
}

Job training_job(std::string model, std::uint32_t steps, std::uint16_t devices) {
  Job job;
  job.work.kind = WorkKind::train;
  job.work.model = std::move(model);
  job.work.steps = steps;
  job.work.batch = usual_batch;
  job.work.sequence = 1;
  job.work.devices = devices;
  return job;
}

}  // namespace drover
