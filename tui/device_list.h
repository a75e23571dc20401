// The devices table's rows: which are shown, in which order, with which columns.
#pragma once

#include <cstdint>
#include <vector>

#include "fleet/time.h"
#include "tui/device_table.h"
#include "tui/list_place.h"
#include "tui/model.h"
#include "tui/narrowing.h"

namespace drover::tui {

struct DeviceList {
  int sort_column = 0;  // index in device_columns()
  bool descending = false;
  std::vector<int> columns;             // shown now
  std::vector<DeviceTable::Row> order;  // those that the filter leaves
  std::uint64_t order_structure = 0;    // Model::structure() that it was made from; 0: make it anew
  std::uint64_t order_filter = 0;       // Narrowing::version() that it was made with
  Instant ordered_at = Instant::min();
  ListPlace place;
};

/// Sorts anew where that is due: when hosts came or went, when order or filter were changed, and
/// otherwise at most every `resort_every`, but not while a person moves in it (`moved_at`).
void sort_devices(const Model& model, const Narrowing& narrowing, DeviceList& list, Instant now,
                  Duration resort_every, Instant moved_at);
/// Where the device stands; -1: not in the list.
int index_of(const DeviceList& list, DeviceTable::Row row);
/// Another column decides, one so many steps on.
void step_sort(DeviceList& list, int step);
/// This column decides; when it does already, the order is turned round.
void sort_by(DeviceList& list, int column);

}  // namespace drover::tui
