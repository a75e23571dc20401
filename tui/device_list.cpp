#include "tui/device_list.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tui/columns.h"

namespace drover::tui {

void sort_devices(const Model& model, const Narrowing& narrowing, DeviceList& list, Instant now,
                  Duration resort_every, Instant moved_at) {
  const bool must =
      list.order_structure != model.structure() || list.order_filter != narrowing.version();
  const bool due = saturating_add(list.ordered_at, resort_every) <= now;
  const bool moving =
      moved_at != Instant::min() && now < saturating_add(moved_at, 3 * resort_every);
  if (!must && (!due || moving)) return;
  list.order_structure = model.structure();
  list.order_filter = narrowing.version();
  list.ordered_at = now;
  const DeviceColumn& column = device_columns()[static_cast<std::size_t>(list.sort_column)];
  const auto& places = model.device_order();
  std::vector<std::pair<double, std::uint32_t>> keys;
  keys.reserve(places.size());
  for (std::uint32_t place = 0; place < places.size(); ++place) {
    if (!narrowing.shows(places[place])) continue;
    const double value = column.order(model, places[place], place);
    // Unknown values stand at the end, whatever the direction.
    const double key = std::isnan(value) ? std::numeric_limits<double>::infinity()
                       : list.descending ? -value
                                         : value;
    keys.emplace_back(key, place);
  }
  std::sort(keys.begin(), keys.end());
  list.order.clear();
  for (const auto& [key, place] : keys) list.order.push_back(places[place]);
}

int index_of(const DeviceList& list, DeviceTable::Row row) {
  const auto at = std::find(list.order.begin(), list.order.end(), row);
  return at == list.order.end() ? -1 : static_cast<int>(at - list.order.begin());
}

void step_sort(DeviceList& list, int step) {
  const auto& shown = list.columns;
  if (shown.empty()) return;
  const auto at = std::find(shown.begin(), shown.end(), list.sort_column);
  const int place = at == shown.end() ? 0 : static_cast<int>(at - shown.begin());
  const int count = static_cast<int>(shown.size());
  sort_by(list, shown[static_cast<std::size_t>((place + step + count) % count)]);
}

void sort_by(DeviceList& list, int column) {
  const bool again = list.sort_column == column;
  list.sort_column = column;
  // Of a quantity the greatest is of interest, of a name the first.
  list.descending =
      again ? !list.descending : device_columns()[static_cast<std::size_t>(column)].quantity;
  list.order_structure = 0;
  list.place = ListPlace{};
}

}  // namespace drover::tui
