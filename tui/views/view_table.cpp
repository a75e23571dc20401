#include "tui/state/view_table.h"

#include <array>

#include "tui/views/view_definitions.h"

namespace drover::tui {
namespace {

const std::array<const ViewDefinition*, view_count>& view_table() {
  static const std::array<const ViewDefinition*, view_count> rows = {
      &fleet_view_definition(),  &devices_view_definition(),    &device_view_definition(),
      &jobs_view_definition(),   &routing_view_definition(),    &power_view_definition(),
      &events_view_definition(), &data_plane_view_definition(), &help_view_definition()};
  return rows;
}

}  // namespace

const ViewDefinition& view_definition(View view) {
  return *view_table()[static_cast<std::size_t>(view)];
}

const std::vector<std::string>& view_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ViewDefinition* row : view_table()) all.emplace_back(row->name);
    return all;
  }();
  return names;
}

}  // namespace drover::tui
