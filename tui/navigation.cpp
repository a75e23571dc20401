// How the user moves between views: to another one, deeper, and back; and the breadcrumb of it.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/dashboard_state.h"
#include "tui/moments/moment_snapshot.h"
#include "tui/panels/board_panels.h"

namespace drover::tui {
namespace {

/// The views that are about something of the view before: Esc leads back from them.
bool is_deeper(ViewId view) { return view == ViewId::device || view == ViewId::help; }

/// Whether another page stands in the place of the view.
bool is_page_over(const UiState& ui) {
  return ui.explaining() || (ui.view == ViewId::device && ui.place != DevicePlace::device);
}

std::string figure_name(const Model& model, const UiState& ui) {
  const auto row = ui.device ? model.find(*ui.device) : std::nullopt;
  const int figure = ui.figure.index;
  if (!row || figure < 0) return {};
  return std::string(model.spec_of(*row).real
                         ? board_figure_name(figure)
                         : metric_formulas()[static_cast<std::size_t>(figure)].name);
}

}  // namespace

std::vector<std::string> DashboardState::place_names() const {
  const UiState& shown = ui();
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty()) names.push_back(printable(name));
  };
  if (shown.comparing()) return {"comparison"};
  if (shown.shows(DevicePlace::changes)) return {"changes"};
  if (shown.shows(DevicePlace::topology)) {
    add(shown.topology_host);
    add("topology");
    return names;
  }
  if (shown.explaining()) {
    const bool of_device = shown.explained.job.empty();
    if (of_device && shown.device) return {printable("why " + to_text(*shown.device))};
    return {"why " + printable(shown.explained.job.substr(0, 8))};
  }
  if (shown.view == ViewId::device && shown.device) {
    add(to_text(*shown.device));
    add(figure_name(model(), shown));
    return names;
  }
  const bool narrowed =
      (shown.view == ViewId::devices || shown.view == ViewId::jobs) && !shown.narrowed_to.empty();
  add(narrowed ? shown.narrowed_to : std::string(to_text(shown.view)));
  if (shown.view == ViewId::fleet && shown.map_group) add(*shown.map_group);
  const bool lists_pools = shown.view == ViewId::power || shown.view == ViewId::routing;
  if (lists_pools && shown.pool && !shown.decisions.open) add(*shown.pool);
  if (shown.as_tree()) {
    const std::vector<std::string> path = path_of_selection(shown.tree, shown.device);
    // It may be narrowed to that host or rack.
    const auto named = std::ranges::find(path, shown.narrowed_to);
    for (auto name = named == path.end() ? path.begin() : named + 1; name != path.end(); ++name) {
      add(*name);
    }
  }
  if (shown.view == ViewId::jobs && shown.jobs.open && shown.jobs.chosen)
    add("job " + to_short_text(*shown.jobs.chosen));
  if (shown.view == ViewId::routing && shown.decisions.open) add("decision");
  return names;
}

std::vector<std::string> DashboardState::breadcrumb() const {
  std::vector<std::string> names;
  for (const TrailStep& step : ui().trail) {
    names.insert(names.end(), step.names.begin(), step.names.end());
  }
  for (std::string& name : place_names()) {
    // What was chosen and then opened has one name.
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

TrailStep DashboardState::step_here() const {
  TrailStep step = step_of(ui());
  step.names = place_names();
  return step;
}

void DashboardState::go_deeper(TrailStep from, ViewId next) {
  std::vector<TrailStep>& trail = ui().trail;
  trail.push_back(std::move(from));
  if (trail.size() > trail_steps_max) trail.erase(trail.begin());
  views->show(next);
}

void DashboardState::show(ViewId next) {
  if (next == ui().view && !is_page_over(ui())) return;
  // The help is no place to come back to.
  if (ui().view == ViewId::help && !ui().trail.empty()) go_back();
  if (next == ui().view && !is_page_over(ui())) return;
  ui().whole_help = false;
  if (is_deeper(next)) return go_deeper(step_here(), next);
  // What Enter has narrowed the filter to belongs to the path that ends here.
  if (!ui().narrowed_to.empty() && !ui().trail.empty()) {
    ui().fleet_filter.set(ui().trail.front().filter);
  }
  ui().trail.clear();
  ui().narrowed_to.clear();
  views->show(next);
}

void DashboardState::open() {
  TrailStep from = step_here();
  const bool was_live = cursor.live();
  const Instant moment = cursor.shown();
  const auto next = views->shown().open(key_context());
  if (!next) return;
  if (!from.device) from.device = ui().device;
  if (was_live != cursor.live() || moment != cursor.shown()) {
    from.moment = was_live ? never : moment;
  }
  go_deeper(std::move(from), *next);
}

void DashboardState::compare() {
  const std::size_t tagged = ui().tagged_devices.size();
  if (ui().comparing()) return back();
  if (tagged < 2 || tagged > compared_max) {
    return cursor.say(fmt::format("{} tagged: T tags two to four devices, then v compares them",
                                  counted(tagged, "device")));
  }
  go_deeper(step_here(), ViewId::device);
  ui().place = DevicePlace::comparison;
}

void DashboardState::keep_moment() {
  ui().mark = moment_of(model(), cursor.shown());
  ui().changes.clear();
}

void DashboardState::mark_moment() {
  if (model().hosts().empty()) return cursor.say("no hosts yet: there is nothing to mark");
  keep_moment();
  cursor.say(fmt::format("marked {}: M shows what is different at another moment",
                         to_clock_text(cursor.shown())));
}

void DashboardState::show_changes() {
  if (ui().shows(DevicePlace::changes)) return back();
  if (!ui().mark) return mark_moment();
  go_deeper(step_here(), ViewId::device);
  ui().place = DevicePlace::changes;
}

std::optional<std::string> DashboardState::selected_host() const {
  if (ui().view == ViewId::telemetry) return ui().hosts.chosen;
  if (ui().device) return ui().device->host;
  if (!ui().as_tree() || !ui().tree.chosen) return std::nullopt;
  const TreeNode* const node = node_named(ui().tree, *ui().tree.chosen);
  return node == nullptr || node->is_rack ? std::nullopt : std::optional(node->name);
}

void DashboardState::show_topology(const std::string& host) {
  if (ui().shows(DevicePlace::topology) && ui().topology_host == host) return;
  go_deeper(step_here(), ViewId::device);
  ui().place = DevicePlace::topology;
  ui().topology_host = host;
}

void DashboardState::go_back() {
  const TrailStep step = std::move(ui().trail.back());
  ui().trail.pop_back();
  restore(ui(), step);
  if (!step.moment) return;
  *step.moment == never ? cursor.go_live(now) : cursor.go_to(*step.moment, now);
}

void DashboardState::back() {
  View& shown = views->shown();
  if (shown.close()) return;
  if (!ui().trail.empty()) return go_back();
  if (ui().view == ViewId::device) return views->show(ViewId::devices);
  if (ui().view == ViewId::help) return views->show(ViewId::fleet);
  if (shown.back()) return;
  ui().fleet_filter.set({});
  ui().narrowed_to.clear();
}

}  // namespace drover::tui
