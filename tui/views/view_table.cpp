#include "tui/state/view_table.h"

#include <array>

#include "tui/views/view_rows.h"

namespace drover::tui {
namespace {

const std::array<const ViewRow*, view_count>& table() {
  static const std::array<const ViewRow*, view_count> rows = {
      &fleet_row(), &devices_row(), &device_row(),     &jobs_row(), &routing_row(),
      &power_row(), &events_row(),  &data_plane_row(), &help_row()};
  return rows;
}

}  // namespace

const ViewRow& row_of(View view) { return *table()[static_cast<std::size_t>(view)]; }

const std::vector<std::string>& view_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ViewRow* row : table()) all.emplace_back(row->name);
    return all;
  }();
  return names;
}

}  // namespace drover::tui
