// The views of one dashboard.
#pragma once

#include <utility>
#include <vector>

#include "tui/views/data_plane_view.h"
#include "tui/views/device_view.h"
#include "tui/views/devices_view.h"
#include "tui/views/events_view.h"
#include "tui/views/fleet_view.h"
#include "tui/views/help_view.h"
#include "tui/views/jobs_view.h"
#include "tui/views/power_view.h"
#include "tui/views/routing_view.h"

namespace drover::tui {

class Views {
 public:
  /// `help`: the lines of the help page.
  explicit Views(std::vector<HelpLine> help_lines) : help(ui, std::move(help_lines)) {}

  UiState ui;  // what they share
  FleetView fleet{ui};
  DevicesView devices{ui};
  DeviceView device{ui, devices};
  JobsView jobs{ui};
  RoutingView routing{ui};
  PowerView power{ui};
  EventsView events{ui, jobs};
  DataPlaneView data_plane{ui};
  HelpView help;

  View& shown();
  /// Switches to a view. The views help and device remember the previous view.
  void show(ViewId view);
  void forget_layout();
};

}  // namespace drover::tui
