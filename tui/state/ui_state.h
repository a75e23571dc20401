// What the user has chosen in the views, and the lists as they were last laid out. Selections are
// ids (of a device, a job, a decision), never rows, so they stay valid when the table changes.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "tui/groups/host_tree.h"
#include "tui/groups/user_list.h"
#include "tui/map/heat_levels.h"
#include "tui/map/map_metric.h"
#include "tui/model/metric_formulas.h"
#include "tui/moments/change_lines.h"
#include "tui/moments/moment_snapshot.h"
#include "tui/state/device_place.h"
#include "tui/state/prompt.h"
#include "tui/state/settings.h"
#include "tui/state/trail.h"
#include "tui/state/view_help.h"
#include "tui/state/view_id.h"
#include "tui/tables/decision_list.h"
#include "tui/tables/device_list.h"
#include "tui/tables/fleet_filter.h"
#include "tui/tables/job_list.h"
#include "tui/tables/log_list.h"

namespace drover::tui {

/// Tagged devices or jobs at most: an action applies to all at once, and routers limit requests.
inline constexpr std::size_t tags_max = 256;

/// Devices that are compared at most: more lines in one chart cannot be told apart.
inline constexpr std::size_t compared_max = 4;

/// The selected metric or limit of the device view, and whether its formula is shown.
struct FormulaSelection {
  int index = -1;  // in metric_formulas(), or of a real device's figures; -1: none
  int count = metric_formula_count;  // of the device that is shown
  bool open = false;
  bool follow = false;  // the page must scroll until it is visible
  int page_top = 0;     // first visible row of the page while a formula is open
};

/// The page that explains a job, in the place of the jobs view; or the selected device, which is
/// idle, in the place of the device view.
struct Explained {
  bool shown = false;
  std::string job;  // its id or first digits; empty: the device
};

struct UiState {
  ViewId view = ViewId::fleet;
  std::vector<TrailStep> trail;  // the places above the one shown, the first one on top
  std::string narrowed_to;       // what Enter has narrowed the filter to: "gpu-a"; or empty
  std::optional<Prompt> prompt;  // the line being typed
  PromptHistory typed;           // earlier lines
  FleetFilter fleet_filter;
  std::string finding;  // the text that n and N search for
  /// What is folded, by what the names are of: "hosts". It survives a restart, as `typed` does.
  std::map<std::string, std::set<std::string>> folds;
  /// The screen shows what the demo's story is about, until a key is pressed.
  bool follows_story = false;

  std::optional<DeviceId> device;  // selected; shared by the views fleet, devices and device
  std::set<DeviceId> tagged_devices;
  std::set<JobId> tagged_jobs;
  DevicePlace place = DevicePlace::device;  // what stands in the place of the device view
  std::string topology_host;                // of which the topology is shown
  Explained explained;

  std::optional<Duration> chart_span;  // of charts; none: it follows the data
  Instant moved_at = Instant::min();   // when the user last moved a selection
  // The first visible row of the open job, decision, formula, device or power page.
  int details_top = 0;
  int details_seen = 1;  // number of its visible rows

  std::optional<MomentSnapshot> mark;  // the moment with which the one shown is compared
  std::vector<ChangeSection> changes;  // since then, as last laid out

  // What is shown in one view.
  MapMetric map_metric = MapMetric::utilization;  // the colours of the map
  Grouping map_grouping = Grouping::host;
  std::optional<std::string> map_group;  // chosen, by the name of its label
  HeatLevels map_levels;                 // of the map's cells
  DeviceList devices;
  HostTree tree;  // of the same devices
  FormulaSelection figure;
  JobList jobs;
  DecisionList decisions;
  LogList log;
  HostList hosts;
  std::optional<std::string> pool;  // chosen in the power and routing views
  UserList users;
  std::vector<HelpLine> help;       // the whole list
  std::vector<ViewHelp> view_help;  // in the order of ViewId
  bool whole_help = true;           // the list, not the keys of one view

  bool shows(DevicePlace page) const { return view == ViewId::device && place == page; }
  bool comparing() const { return shows(DevicePlace::comparison); }
  bool explaining() const {
    return explained.shown && view == (explained.job.empty() ? ViewId::device : ViewId::jobs);
  }
  bool as_tree() const { return view == ViewId::devices && tree.shown; }
  /// The first compared_max tagged devices.
  std::vector<DeviceId> compared_devices() const {
    std::vector<DeviceId> first(tagged_devices.begin(), tagged_devices.end());
    if (first.size() > compared_max) first.resize(compared_max);
    return first;
  }
  /// Shows this metric of map_metrics() on the map; false if there is none of that word.
  bool show_map_metric(std::string_view word);
  /// Selects a metric or limit by its index in metric_formulas().
  void select_figure(int index);
};

/// Applies the settings. REQUIRES valid settings: read_settings checks them.
void apply_view_settings(const ViewSettings& settings, UiState& ui);

/// `settings` with the current choices, for saving.
ViewSettings capture_view_settings(const UiState& ui, ViewSettings settings);

}  // namespace drover::tui
