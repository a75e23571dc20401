#include "commands/query/device_reports.h"

#include <utility>

#include "commands/shell/output.h"
#include "tui/tables/device_queries.h"

namespace drover::commands {
namespace {

/// The lines are printed batch by batch, so the columns have fixed minimum widths.
std::vector<Heading> follow_headings() {
  std::vector<Heading> headings = device_headings(true);
  headings.insert(headings.begin(), {"TIME", Align::left, 8});
  return headings;
}

void print_json(Instant at, const tui::TableRows& table) {
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    Json line = Json::object().set("time", to_iso8601(at));
    const Json fields = row_to_json(table, row);
    for (const std::string& key : fields.keys()) line.set(key, fields[key]);
    write_stdout("{}\n", line.dump());
  }
}

}  // namespace

DeviceReports::DeviceReports(bool json, filter::Filter filter, bool colour)
    : json_(json), filter_(std::move(filter)), headings_(follow_headings()), style_{0, colour} {}

void DeviceReports::print(const tui::Model& model, Instant now, Instant at,
                          const SampleBatch& batch) {
  // Only what the batch is about: thousands of batches may come in a second.
  const tui::JobsByDevice jobs(model, model.find_host(batch.host));
  const tui::EvaluationContext context{model, now, jobs};
  std::vector<tui::DeviceTable::Row> rows;
  for (const std::uint16_t device : batch.devices) {
    const auto row = model.find({batch.host, device});
    if (row && filter_.matches(tui::ModelDevice(context, *row))) rows.push_back(*row);
  }
  if (rows.empty()) return;
  if (json_) return print_json(at, tui::device_rows(context, rows));
  std::vector<std::vector<std::string>> cells;
  for (const auto row : rows) {
    cells.push_back({to_clock_text(at)});
    for (std::string& cell : device_cells(context, row)) cells.back().push_back(std::move(cell));
  }
  const std::string text = table_text(headings_, cells, style_);
  write_stdout_text(std::exchange(headed_, true) ? text.substr(text.find('\n') + 1) : text);
}

}  // namespace drover::commands
