#include "tui/state/view_table.h"

#include <array>

#include "tui/views/views.h"

namespace drover::tui {
namespace {

struct ViewRow {
  View view;
  const ViewDefinition* definition;
};

constexpr std::array<ViewRow, view_count> view_table = {{
    {View::fleet, &fleet_view},
    {View::devices, &devices_view},
    {View::device, &device_view},
    {View::jobs, &jobs_view},
    {View::routing, &routing_view},
    {View::power, &power_view},
    {View::events, &events_view},
    {View::data_plane, &data_plane_view},
    {View::help, &help_view},
}};

// A missing row has the number of the first view.
constexpr bool view_table_in_order() {
  for (std::size_t index = 0; index < view_table.size(); ++index) {
    if (static_cast<std::size_t>(view_table[index].view) != index) return false;
  }
  return true;
}
static_assert(view_table_in_order());

}  // namespace

const ViewDefinition& view_definition(View view) {
  return *view_table[static_cast<std::size_t>(view)].definition;
}

const std::vector<std::string>& view_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ViewRow& row : view_table) all.emplace_back(row.definition->name);
    return all;
  }();
  return names;
}

}  // namespace drover::tui
