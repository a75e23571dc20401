#include "tui/views/views.h"

#include <utility>

#include "fleet/base/enum_tables.h"
#include "tui/pages/pages.h"

namespace drover::tui {
namespace {

struct ViewRow {
  ViewId id;
  std::unique_ptr<View> (*make)(UiState& ui);
};

constexpr std::array<ViewRow, view_count> view_table = {{
    {ViewId::fleet, make_fleet_view},
    {ViewId::devices, make_devices_view},
    {ViewId::device, make_device_view},
    {ViewId::jobs, make_jobs_view},
    {ViewId::routing, make_routing_view},
    {ViewId::power, make_power_view},
    {ViewId::events, make_events_view},
    {ViewId::telemetry, make_telemetry_view},
    {ViewId::users, make_users_view},
    {ViewId::help, make_help_view},
}};

// A missing row has the number of the first view.
static_assert(is_in_order(view_table, &ViewRow::id));

}  // namespace

Views::Views(std::vector<HelpLine> help, std::vector<ViewHelp> view_help) {
  ui.help = std::move(help);
  ui.view_help = std::move(view_help);
  for (std::size_t i = 0; i < view_table.size(); ++i) views_[i] = view_table[i].make(ui);
  places_ = {make_comparison_view(ui), make_changes_view(ui), make_topology_view(ui)};
  why_ = make_why_view(ui);
  host_tree_ = make_host_tree_view(ui);
}

void Views::show(ViewId view) {
  ui.view = view;
  ui.place = DevicePlace::device;
  ui.explained = {};
  ui.details_top = 0;
  ui.figure = {};
}

void Views::forget_layout() {
  for (const auto& view : views_) view->forget_layout();
  for (const auto& view : places_) view->forget_layout();
  why_->forget_layout();
  host_tree_->forget_layout();
}

}  // namespace drover::tui
