#include "tui/state/view_table.h"

#include <array>

#include "fleet/base/enum_tables.h"
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
static_assert(is_in_order(view_table, &ViewRow::view));

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
