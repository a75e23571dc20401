// Copies the selection and exports the table of the view.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/dashboard_state.h"
#include "tui/moments/change_lines.h"
#include "tui/tables/table_rows.h"

namespace drover::tui {
namespace {

/// What is selected, as lines of text and as rows of a table.
struct Selection {
  std::vector<std::string> lines;
  TableRows rows;
};

Selection selected_devices(const EvaluationContext& at, const UiState& ui) {
  Selection selection;
  std::set<DeviceId> ids = ui.tagged_devices;
  if (ids.empty() && ui.device) ids.insert(*ui.device);
  std::vector<DeviceTable::Row> rows;
  if (ids.empty() && ui.as_tree() && ui.tree.chosen) {
    const TreeNode* const node = node_named(ui.tree, *ui.tree.chosen);
    if (node == nullptr) return {};
    return {{std::string(title_of(*node))}, device_rows(at, rows_below(ui.tree, *node))};
  }
  for (const DeviceId& id : ids) {
    selection.lines.push_back(to_text(id));
    if (const auto row = at.model.find(id)) rows.push_back(*row);
  }
  selection.rows = device_rows(at, rows);
  return selection;
}

Selection selected_jobs(const EvaluationContext& at, const UiState& ui) {
  Selection selection;
  std::set<JobId> ids = ui.tagged_jobs;
  if (ids.empty() && ui.jobs.chosen) ids.insert(*ui.jobs.chosen);
  std::vector<JobChanged> jobs;
  for (const JobId& id : ids) {
    selection.lines.push_back(to_text(id));
    const auto job = at.model.jobs().find(id);
    if (job != at.model.jobs().end()) jobs.push_back(job->second.reported);
  }
  selection.rows = job_rows(at, jobs);
  return selection;
}

Selection selected_decisions(const EvaluationContext& at, const UiState& ui) {
  const int line = index_of_chosen(ui.decisions);
  if (line < 0) return {};
  const DecisionLine& chosen = ui.decisions.lines[static_cast<std::size_t>(line)];
  Selection selection;
  std::vector<Decision> decisions;
  for (const std::uint64_t number :
       chosen.group.empty() ? std::vector{chosen.number} : chosen.group) {
    const Decision* const decision = decision_of(at.model, number);
    if (decision == nullptr) continue;
    selection.lines.push_back(to_text(decision->job));
    decisions.push_back(*decision);
  }
  selection.rows = decision_rows(at, decisions);
  return selection;
}

Selection selected_entries(const EvaluationContext& at, const UiState& ui) {
  const LogLine* const line = selected_log_line(ui.log);
  if (line == nullptr) return {};
  const LogGroup entries = line->group.empty() ? LogGroup{line->entry} : line->group;
  Selection selection;
  for (const LogEntry& entry : entries) {
    selection.lines.push_back(fmt::format("{}: {}", entry.subject, entry_text(entry)));
  }
  selection.rows = event_rows(at, entries);
  return selection;
}

/// All lines of the page of changes.
Selection listed_changes(const UiState& ui) {
  Selection selection{texts_of(ui.changes), {{"section", "what", "change", "detail"}, {}}};
  for (const ChangeSection& section : ui.changes) {
    for (const ChangeLine& line : section.lines) {
      const auto rest = line.cells.begin() + 2;
      selection.rows.rows.push_back({section.title, line.cells[0], line.cells[1],
                                     joined(std::vector(rest, line.cells.end()), " ")});
    }
  }
  return selection;
}

Selection selected_user(const EvaluationContext& at, const UiState& ui) {
  if (!ui.users.chosen) return {};
  const auto& [tenant, user] = *ui.users.chosen;
  Selection selection;
  selection.rows =
      table_rows({at.model, at.now, ui.fleet_filter, ui.devices, std::nullopt}, "users");
  const auto named = [](const std::string& name) {
    return name.empty() ? TableCell() : TableCell(name);
  };
  const TableCell of_tenant = named(tenant), of_user = named(user);
  std::erase_if(selection.rows.rows, [&](const std::vector<TableCell>& row) {
    return row[0] != of_tenant || row[1] != of_user;
  });
  if (!selection.rows.rows.empty()) selection.lines.push_back(user.empty() ? tenant : user);
  return selection;
}

/// Empty if nothing is selected on the screen.
Selection selection_of(const EvaluationContext& at, const UiState& ui) {
  if (ui.shows(DevicePlace::changes)) return listed_changes(ui);
  switch (ui.view) {
    case ViewId::jobs:
      return selected_jobs(at, ui);
    case ViewId::routing:
      return selected_decisions(at, ui);
    case ViewId::events:
      return selected_entries(at, ui);
    case ViewId::telemetry:
      if (!ui.hosts.chosen) return {};
      return {{*ui.hosts.chosen}, rows_of_host(at, *ui.hosts.chosen)};
    case ViewId::users:
      return selected_user(at, ui);
    default:
      return selected_devices(at, ui);
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
  const JobsByDevice jobs(model());
  const Selection selection = selection_of({model(), cursor.shown(), jobs}, ui());
  if (selection.lines.empty()) return cursor.say("nothing is selected to copy");
  std::string text;
  for (const std::string& line : selection.lines) {
    if (!text.empty()) text += '\n';
    text += printable(line);
  }
  if (text.size() > copy_bytes_max) {
    return cursor.say(
        fmt::format("found {} bytes to copy, expected at most {}", text.size(), copy_bytes_max));
  }
  cursor.say(selection.lines.size() == 1 ? fmt::format("copied {}", text)
                                         : fmt::format("copied {} lines", selection.lines.size()));
  effects.push_back(CopyText{std::move(text)});
}

void DashboardState::copy_as_json() {
  const JobsByDevice jobs(model());
  Selection selection = selection_of({model(), cursor.shown(), jobs}, ui());
  if (selection.rows.rows.empty()) return cursor.say("nothing is selected to copy");
  cursor.say(fmt::format("copied {} as JSON", counted(selection.rows.rows.size(), "row")));
  effects.push_back(CopyRows{std::move(selection.rows)});
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
