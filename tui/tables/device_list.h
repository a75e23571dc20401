// The rows of the devices table, their order, groups and columns; and the list of hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "tui/model/device_table.h"
#include "tui/model/model.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/fleet_filter.h"
#include "tui/tables/list_viewport.h"

namespace drover::tui {

/// How the table and the map group devices.
enum class Grouping : std::uint8_t { host, rack, pool, kind, state };
inline constexpr int grouping_count = 5;
/// As typed after `:group`, in the order of Grouping.
inline const std::vector<std::string>& grouping_names() {
  static const std::vector<std::string> names = {"host", "rack", "pool", "kind", "state"};
  return names;
}
inline std::string_view to_text(Grouping grouping) {
  return grouping_names()[static_cast<std::size_t>(grouping)];
}

/// A device, or the heading of a group of devices.
struct DeviceLine {
  DeviceTable::Row row = 0;
  std::string heading;  // empty: a device
};

struct DeviceList {
  int sort_column = 0;  // index in device_columns()
  bool descending = false;
  std::optional<SortKey> second;  // sorts devices that are equal by the first key
  std::optional<Grouping> grouping;
  std::vector<ShownColumn> wanted;    // in this order; empty: by rank, as many as fit
  std::vector<ShownColumn> columns;   // shown now
  int chosen_column = -1;             // index in device_columns(), that o sorts by; -1: none
  std::vector<DeviceLine> lines;      // devices that match the filter, and headings
  std::uint64_t order_structure = 0;  // Model::structure() at the last sort; 0: sort again
  std::uint64_t order_filter = 0;     // FleetFilter::version() at the last sort
  std::uint64_t order_shown = 0;      // FleetFilter::result() at the last sort
  Instant ordered_at = Instant::min();
  ListViewport place;
};

/// Sorts if it is due: when hosts, order or filter changed, else at most every `resort_every`, but
/// not shortly after the user moved the selection (`moved_at`). An order by names alone stays as it
/// is until the filter shows other devices.
void sort_devices(const Model& model, const FleetFilter& fleet_filter, DeviceList& list,
                  Instant now, Duration resort_every, Instant moved_at);
/// The devices that the filter shows in natural order of their names, as a list has them at first.
std::vector<DeviceTable::Row> devices_by_name(const Model& model, const FleetFilter& fleet_filter);
/// The device's line; -1 if it is not in the list.
int index_of(const DeviceList& list, const Model& model, const std::optional<DeviceId>& device);
/// The device at `index`; if that is a heading, the next device in `direction`, else the one
/// before.
std::optional<DeviceTable::Row> device_at(const DeviceList& list, int index, int direction);
/// Selects the device that device_at finds.
void choose_device(DeviceList& list, const Model& model, int index, int direction,
                   std::optional<DeviceId>& chosen);
/// The text that a search of a line matches; headings match nothing.
std::string search_text_of(const DeviceList& list, const Model& model, int index);
/// Sorts by the column `step` columns to the right.
void step_sort(DeviceList& list, int step);
/// Chooses the column `step` columns to the right, that o sorts by; at an end, the last one.
void step_column(DeviceList& list, int step);
/// Makes the next column, or none, the secondary sort key.
void step_secondary_sort(DeviceList& list);
/// Sorts by this column; if it is the sort column already, reverses the order.
void sort_by(DeviceList& list, int column);
/// Sorts by one or two keys.
void sort_by(DeviceList& list, std::span<const SortKey> keys);
void group_by(DeviceList& list, std::optional<Grouping> grouping);
/// Groups by the next grouping; after the last one, not at all.
void step_grouping(DeviceList& list);
void invert(DeviceList& list);

struct HostList {
  std::optional<std::string> chosen;   // by name
  std::vector<std::uint32_t> numbers;  // indices of Model::hosts(), in the order shown
  ListViewport place;
};

/// Hosts with a device that matches the filter: worst first (lost, suspect, silent for longest),
/// then by rack and name; hosts that left come last.
std::vector<std::uint32_t> list_hosts(const Model& model, const FleetFilter& fleet_filter,
                                      Instant now);

}  // namespace drover::tui
