// What a person has chosen: view, selection, order, scroll. Selections name things (a device, a
// job, a decision), never rows, so that they stay with their thing when the table moves.
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
#include "tui/tables/host_list.h"
#include "tui/tables/job_list.h"
#include "tui/tables/list_place.h"
#include "tui/tables/narrowing.h"
#include "tui/tables/news_list.h"

namespace drover::tui {

/// How many times more time charts show, with as much of it in a column; as the rungs of the
/// history ladder.
inline constexpr std::array zoom_factors = {1, 10, 60};

/// Tagged things: an action reaches all of them at once, but for more than a router takes.
inline constexpr std::size_t tags_max = 256;

/// The figure of the device view that is selected, and whether what is behind it is shown.
struct FigureChoice {
  int index = -1;  // of figures(); -1: none
  bool open = false;
  bool follow = false;  // the page is to scroll to where it is seen
  int page_top = 0;     // first row shown of the page while a figure is open
};

struct Choices {
  View view = View::fleet;
  View before_help = View::fleet;
  View before_device = View::devices;
  std::optional<Prompt> prompt;  // for what is being typed
  PromptMemory typed;            // what was typed before, by kind
  Narrowing narrowing;           // by the filter
  std::string finding;           // what n and N look for

  std::optional<DeviceId> device;  // shared by fleet, devices and device
  std::set<DeviceId> tagged_devices;
  std::set<JobId> tagged_jobs;

  FigureChoice figure;
  int zoom = 0;                               // of charts: index of zoom_factors
  MapMetric metric = MapMetric::utilization;  // that colours the map
  Grouping grouping = Grouping::host;         // of the map
  HeatMap map;
  HeatLevels levels;  // of the map's cells
  DeviceList devices;
  JobList jobs;
  DecisionList decisions;
  NewsList news;
  HostList hosts;
  ListPlace help;

  Instant moved_at = Instant::min();  // when a selection was last moved by hand
  int details_top = 0;   // first row shown of the open job, decision or figure, of device and power
  int details_seen = 1;  // rows of it that the screen has
  std::string note;      // what the last command has to say; the dashboard shows it
  std::optional<Instant> wanted_moment;  // to go to; the time cursor takes it
  bool quit = false;

  /// Nothing is laid out, so there is nothing to move in: rows and places are of a model that may
  /// have changed when the next screen is laid out.
  void forget_layout();
};

}  // namespace drover::tui
