// Copies the selection and exports the table of the view.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/dashboard_state.h"
#include "tui/tables/table_rows.h"

namespace drover::tui {
namespace {

/// What is selected: rows of a table, found by one of its columns.
struct Selection {
  std::string_view table, column;
  std::set<std::string> keys;
};

Selection device_selection(const UiState& ui) {
  Selection selection{"devices", "id", {}};
  for (const DeviceId& device : ui.tagged_devices) selection.keys.insert(to_text(device));
  if (selection.keys.empty() && ui.device) selection.keys.insert(to_text(*ui.device));
  return selection;
}

Selection job_selection(const UiState& ui) {
  Selection selection{"jobs", "id", {}};
  for (const JobId& job : ui.tagged_jobs) selection.keys.insert(to_text(job));
  if (selection.keys.empty() && ui.jobs.chosen) selection.keys.insert(to_text(*ui.jobs.chosen));
  return selection;
}

Selection decision_selection(const Model& model, const UiState& ui) {
  const Decision* const decision =
      ui.decisions.chosen ? decision_of(model, *ui.decisions.chosen) : nullptr;
  if (decision == nullptr) return {"decisions", "job", {}};
  return {"decisions", "job", {to_text(decision->job)}};
}

Selection selection_of(const Model& model, const UiState& ui) {
  switch (ui.view) {
    case ViewId::jobs:
      return job_selection(ui);
    case ViewId::routing:
      return decision_selection(model, ui);
    case ViewId::events:
      if (!ui.log.chosen) return {"events", "text", {}};
      return {"events", "text", {ui.log.chosen->text}};
    case ViewId::telemetry:
      if (!ui.hosts.chosen) return {"hosts", "host", {}};
      return {"hosts", "host", {*ui.hosts.chosen}};
    default:
      return device_selection(ui);
  }
}

/// "20251121T023841Z": a time that every file system takes.
std::string time_in_name(Instant at) {
  std::string text = to_iso8601(at);
  text.resize(std::min(text.size(), text.find('.')));
  std::erase_if(text, [](char letter) { return letter == '-' || letter == ':'; });
  if (!text.ends_with('Z')) text += 'Z';
  return text;
}

}  // namespace

TableRows DashboardState::shown_table(std::string_view name) {
  arrange_if_changed();
  return table_rows({model(), cursor.shown(), ui().fleet_filter, ui().devices, std::nullopt}, name);
}

void DashboardState::copy_selection() {
  const Selection selection = selection_of(model(), ui());
  if (selection.keys.empty()) return cursor.say("nothing is selected to copy");
  std::string text;
  for (const std::string& key : selection.keys) {
    if (!text.empty()) text += '\n';
    text += printable(key);
  }
  if (text.size() > copy_bytes_max) {
    return cursor.say(
        fmt::format("found {} bytes to copy, expected at most {}", text.size(), copy_bytes_max));
  }
  effects.push_back(CopyText{std::move(text)});
  cursor.say(selection.keys.size() == 1
                 ? fmt::format("copied {}", printable(*selection.keys.begin()))
                 : fmt::format("copied {} lines", selection.keys.size()));
}

void DashboardState::copy_as_json() {
  const Selection selection = selection_of(model(), ui());
  if (selection.keys.empty()) return cursor.say("nothing is selected to copy");
  TableRows table = shown_table(selection.table);
  const auto column = std::ranges::find(table.names, selection.column) - table.names.begin();
  std::erase_if(table.rows, [&](const std::vector<TableCell>& row) {
    const auto* const key = std::get_if<std::string>(&row[static_cast<std::size_t>(column)]);
    return key == nullptr || !selection.keys.contains(*key);
  });
  if (table.rows.empty()) return cursor.say("the selection is not in the table");
  cursor.say(fmt::format("copied {} as JSON", counted(table.rows.size(), "row")));
  effects.push_back(CopyRows{std::move(table)});
}

Status DashboardState::export_table(std::string_view file) {
  const std::string_view name = table_of_view(to_text(ui().view));
  if (name.empty()) return error("the view {} has no table to export", to_text(ui().view));
  std::string path(file);
  if (path.empty()) {
    path = fmt::format("drover-{}-{}.csv", to_text(ui().view), time_in_name(cursor.shown()));
  }
  effects.push_back(ExportTable{shown_table(name), std::move(path)});
  return {};
}

}  // namespace drover::tui
