#include "tui/groups/tree_columns.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/units.h"

namespace drover::tui {
namespace {

constexpr double tree_gibibyte = 1024.0 * 1024.0 * 1024.0;
constexpr int tree_bar_columns_most = 24;
constexpr int tree_name_columns_most = 40;

std::string tree_devices(const DeviceSums& sums) { return tree_count_text(sums.devices); }

/// "4x1!" with the signs of lost and of unusable devices.
std::string tree_bad(const DeviceSums& sums) {
  std::string text = sums.lost > 0 ? tree_count_text(sums.lost) + "x" : "";
  if (sums.unhealthy > 0) text += tree_count_text(sums.unhealthy) + "!";
  return text.empty() ? "-" : text;
}

std::string tree_in_use(const DeviceSums& sums) {
  return sums.reporting == 0 ? std::string(not_known) : tree_count_text(sums.in_use);
}

std::string tree_memory(const DeviceSums& sums) {
  if (std::isnan(sums.memory_bytes)) return std::string(not_known);
  return fmt::format("{:.0f}/{:.0f}", sums.memory_bytes / tree_gibibyte,
                     sums.memory_total_bytes / tree_gibibyte);
}

/// Watts, as the lines of devices write them.
std::string tree_watts(const DeviceSums& sums) { return rounded_text(sums.power_w, ""); }

std::string tree_hottest(const DeviceSums& sums) { return rounded_text(sums.hottest_c, "C"); }

std::string tree_throttled(const DeviceSums& sums) {
  if (sums.reporting == 0) return std::string(not_known);
  return sums.throttled == 0 ? "-" : tree_count_text(sums.throttled);
}

std::string tree_running(const DeviceSums& sums) { return known_text(sums.running, count_text); }
std::string tree_queued(const DeviceSums& sums) { return known_text(sums.queued, count_text); }

/// ">" before a sum that lacks the price of some device.
std::string tree_price(const DeviceSums& sums) {
  if (std::isnan(sums.usd_per_h)) return std::string(not_known);
  return fmt::format("{}{:.2f}", sums.unpriced > 0 ? ">" : "", sums.usd_per_h);
}

double tree_power_share(const DeviceSums& sums) {
  return sums.power_limit_w > 0 ? sums.power_w / sums.power_limit_w : absent;
}

constexpr std::array tree_column_table = {
    TreeColumn{"RACK, HOST, DEVICE", "HOST", 14, 24, 0, "DEVICE"},
    TreeColumn{"DEVS", "DEVS", 4, 5, 1, "", tree_devices},
    TreeColumn{"BAD", "BAD", 6, 7, 3, "", tree_bad},
    TreeColumn{"USED", "USED", 4, 5, 7, "", tree_in_use},
    TreeColumn{"UTIL", "UTIL", 4, 10, 2, "UTIL", tree_load,
               [](const DeviceSums& sums) { return sums.load(); }},
    TreeColumn{"MEMORY GiB", "MEMORY GiB", 13, 14, 6, "MEMORY", tree_memory,
               [](const DeviceSums& sums) { return sums.memory_share(); }},
    TreeColumn{"POWER W", "POWER W", 7, 12, 4, "POWER", tree_watts, tree_power_share},
    TreeColumn{"TEMP", "TEMP", 4, 4, 5, "TEMP", tree_hottest, nullptr,
               [](const DeviceSums& sums) { return sums.hottest_c; }},
    TreeColumn{"THROTTLE", "THR", 4, 10, 10, "THROTTLE", tree_throttled},
    TreeColumn{"RUN", "RUN", 5, 5, 8, "RUN", tree_running},
    TreeColumn{"QUEUE", "QUEUE", 5, 5, 9, "QUEUE", tree_queued},
    TreeColumn{"KIND", "KIND", 16, 16, 11, "KIND", [](const DeviceSums&) { return std::string(); }},
    TreeColumn{"PRICE $/h", "PRICE $/h", 10, 10, 12, "PRICE", tree_price},
};

// The last column that the narrowest wide screen shows: brief titles leave room for more, which
// would be gone on a wider screen.
constexpr int tree_brief_rank_max = 10;

int device_column_number(std::string_view title) {
  const auto columns = device_columns();
  const auto found = std::ranges::find(columns, title, &DeviceColumn::title);
  return title.empty() || found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

Align tree_align(const TreeColumn& column) {
  const bool text = column.sum == nullptr || column.title == "KIND" || column.title == "THROTTLE";
  return text ? Align::left : Align::right;
}

/// Fills the room that is left: bars and names become wider.
void spread_tree_columns(std::vector<PlacedColumn<SizedTreeColumn>>& placed, int columns) {
  if (columns < tree_wide_columns) return;
  int room = columns - column_after(placed, 0);
  const auto spread = [&](const PlacedColumn<SizedTreeColumn>& one, int most) {
    const int more = std::clamp(most - one.width, 0, std::max(0, room));
    room -= more;
    widen(placed, one.column->title, more);
  };
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (placed[i].column->column->share != nullptr) spread(placed[i], tree_bar_columns_most);
  }
  if (!placed.empty()) spread(placed.front(), tree_name_columns_most);
}

}  // namespace

std::string tree_count_text(std::uint32_t count) {
  return count < 10'000 ? std::to_string(count) : fmt::format("{}k", count / 1'000);
}

std::string tree_load(const DeviceSums& sums) { return percent_text(sums.load()); }

std::string tree_power(const DeviceSums& sums) { return known_text(sums.power_w, watts_text); }

std::vector<SizedTreeColumn> sized_tree_columns(int columns) {
  const bool wide = columns >= tree_wide_columns;
  std::vector<SizedTreeColumn> sized;
  for (const TreeColumn& column : tree_column_table) {
    if (!wide && column.rank > tree_brief_rank_max) continue;
    sized.push_back({wide ? column.title : column.brief, wide ? column.width : column.brief_width,
                     tree_align(column), column.rank, &column,
                     device_column_number(column.of_devices)});
  }
  return sized;
}

std::vector<PlacedTreeColumn> place_tree_columns(const std::vector<SizedTreeColumn>& sized,
                                                 int columns) {
  auto placed = fit_columns<SizedTreeColumn>(sized, tree_sign_columns, columns - tree_sign_columns);
  spread_tree_columns(placed, columns);
  return placed;
}

const DeviceColumn& device_column_of(const SizedTreeColumn& column) {
  DROVER_REQUIRE(column.number >= 0);
  return device_columns()[static_cast<std::size_t>(column.number)];
}

}  // namespace drover::tui
