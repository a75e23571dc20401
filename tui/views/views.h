// The views of one dashboard.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "tui/state/view.h"

namespace drover::tui {

std::unique_ptr<View> make_fleet_view(UiState& ui);
std::unique_ptr<View> make_devices_view(UiState& ui);
std::unique_ptr<View> make_host_tree_view(UiState& ui);
std::unique_ptr<View> make_device_view(UiState& ui);
std::unique_ptr<View> make_jobs_view(UiState& ui);
std::unique_ptr<View> make_routing_view(UiState& ui);
std::unique_ptr<View> make_power_view(UiState& ui);
std::unique_ptr<View> make_events_view(UiState& ui);
std::unique_ptr<View> make_telemetry_view(UiState& ui);
std::unique_ptr<View> make_users_view(UiState& ui);
std::unique_ptr<View> make_help_view(UiState& ui);

class Views {
 public:
  Views(std::vector<HelpLine> help, std::vector<ViewHelp> view_help);
  Views(const Views&) = delete;  // the views refer to `ui`
  Views& operator=(const Views&) = delete;

  UiState ui;  // what the user has chosen in each of them

  View& shown() {
    if (ui.explaining()) return *why_;
    if (ui.as_tree()) return *host_tree_;
    const auto place = static_cast<std::size_t>(ui.place);
    return ui.view == ViewId::device && place > 0 ? *places_[place - 1]
                                                  : *views_[static_cast<std::size_t>(ui.view)];
  }
  /// Switches to a view.
  void show(ViewId view);
  void forget_layout();

 private:
  std::array<std::unique_ptr<View>, view_count> views_;  // in the order of ViewId
  // In the order of DevicePlace, without the device view.
  std::array<std::unique_ptr<View>, device_place_count - 1> places_;
  std::unique_ptr<View> why_;        // of a job or an idle device
  std::unique_ptr<View> host_tree_;  // in the place of the table of devices
};

}  // namespace drover::tui
