// The devices table's rows: which are shown, in which order, with which columns.
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
#include "tui/tables/column_choice.h"
#include "tui/tables/grouping.h"
#include "tui/tables/list_place.h"
#include "tui/tables/narrowing.h"

namespace drover::tui {

/// A device, or the heading of those below it.
struct DeviceLine {
  DeviceTable::Row row = 0;
  std::string heading;  // empty: a device
};

struct DeviceList {
  int sort_column = 0;  // index in device_columns()
  bool descending = false;
  std::optional<SortKey> second;  // orders what is equal by the first; then the place does
  std::optional<Grouping> grouping;
  std::vector<ShownColumn> wanted;    // in their order; empty: by rank, as many as fit
  std::vector<ShownColumn> columns;   // shown now
  std::vector<DeviceLine> lines;      // of devices that the filter leaves
  std::uint64_t order_structure = 0;  // Model::structure() that it was made from; 0: make it anew
  std::uint64_t order_filter = 0;     // Narrowing::version() that it was made with
  Instant ordered_at = Instant::min();
  ListPlace place;
};

/// Sorts anew where that is due: when hosts came or went, when order or filter were changed, and
/// otherwise at most every `resort_every`, but not while a person moves in it (`moved_at`).
void sort_devices(const Model& model, const Narrowing& narrowing, DeviceList& list, Instant now,
                  Duration resort_every, Instant moved_at);
/// The line where the device stands; -1: not in the list.
int index_of(const DeviceList& list, DeviceTable::Row row);
/// The device at `index`, or the next in the direction of the move, or else before it.
std::optional<DeviceTable::Row> device_at(const DeviceList& list, int index, int direction);
/// Another column decides, one so many steps on.
void step_sort(DeviceList& list, int step);
/// The next column, or none, orders what is equal by the first.
void step_second(DeviceList& list);
/// This column decides; when it does already, the order is turned round.
void sort_by(DeviceList& list, int column);
/// By these, one or two.
void sort_by(DeviceList& list, std::span<const SortKey> keys);
void group_by(DeviceList& list, std::optional<Grouping> grouping);

}  // namespace drover::tui
