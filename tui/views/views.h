// The views of one dashboard: a member for each one, and a table in the order of ViewId.
#pragma once

#include <array>
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

  View& shown() { return *table_[static_cast<std::size_t>(ui.view)]; }
  /// Switches to a view. The views help and device remember the previous view.
  void show(ViewId view);
  void forget_layout() {
    for (View* const view : table_) view->forget_layout();
  }

 private:
  std::array<View*, view_count> table_ = {&fleet, &devices, &device,     &jobs, &routing,
                                          &power, &events,  &data_plane, &help};
};

inline void Views::show(ViewId view) {
  if (view == ViewId::help && ui.view != ViewId::help) ui.before_help = ui.view;
  if (view == ViewId::device && ui.view != ViewId::device) {
    ui.before_device = ui.view == ViewId::help ? ViewId::devices : ui.view;
  }
  ui.view = view;
  ui.details_top = 0;
  device.forget_figure();
}

}  // namespace drover::tui
