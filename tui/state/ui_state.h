// What the user has chosen: view, selection, order, scroll position. Selections are ids (of a
// device, a job, a decision), never rows, so they stay valid when the table changes.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "tui/map/heat_levels.h"
#include "tui/map/heat_map.h"
#include "tui/map/map_metric.h"
#include "tui/state/keymap.h"
#include "tui/state/prompt.h"
#include "tui/tables/decision_list.h"
#include "tui/tables/device_list.h"
#include "tui/tables/fleet_filter.h"
#include "tui/tables/host_list.h"
#include "tui/tables/job_list.h"
#include "tui/tables/list_viewport.h"
#include "tui/tables/log_list.h"

namespace drover::tui {

/// By how much charts zoom out, in time and in bin width: the resolutions of the history.
inline constexpr std::array zoom_factors = {1, 10, 60};

/// Tagged devices or jobs at most: an action applies to all at once, and routers limit requests.
inline constexpr std::size_t tags_max = 256;

/// The selected metric or limit of the device view, and whether its formula is shown.
struct FormulaSelection {
  int index = -1;  // in metric_formulas(); -1: none
  bool open = false;
  bool follow = false;  // the page must scroll until it is visible
  int page_top = 0;     // first visible row of the page while a formula is open
};

struct UiState {
  View view = View::fleet;
  View before_help = View::fleet;
  View before_device = View::devices;
  std::optional<Prompt> prompt;  // the line being typed
  PromptHistory typed;           // earlier lines
  FleetFilter fleet_filter;
  std::string finding;  // the text that n and N search for

  std::optional<DeviceId> device;  // selected; shared by the views fleet, devices and device
  std::set<DeviceId> tagged_devices;
  std::set<JobId> tagged_jobs;

  FormulaSelection figure;
  int zoom = 0;                               // of charts: index into zoom_factors
  MapMetric metric = MapMetric::utilization;  // shown by the map's colours
  Grouping grouping = Grouping::host;         // of the map
  HeatMap map;
  HeatLevels levels;  // of the map's cells
  DeviceList devices;
  JobList jobs;
  DecisionList decisions;
  LogList log;
  HostList hosts;
  ListViewport help;

  Instant moved_at = Instant::min();  // when the user last moved a selection
  // The first visible row of the open job, decision, formula, device or power page.
  int details_top = 0;
  int details_seen = 1;                // number of its visible rows
  std::string note;                    // the last command's message, for the dashboard to show
  std::optional<Instant> seek_target;  // for the playback cursor

  int zoom_factor() const { return zoom_factors[static_cast<std::size_t>(zoom)]; }
  /// Drops the laid out rows: they refer to a model that may have changed before the next layout.
  void forget_layout();
};

}  // namespace drover::tui
