// The columns of the devices table, one row each: title, text, bar and sort key. And the shown
// columns with their widths, and the sort order, as the user types them: "DEVICE,UTIL,POWER:14",
// "POWER,-TEMP".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "tui/canvas/draw_region.h"
#include "tui/tables/fleet_filter.h"

namespace drover::tui {

/// Before the kind of a device that is real, not emulated. `~` marks what is assumed.
inline constexpr std::string_view real_mark = "=";

/// Temperatures from which on a device is shown as warm and as hot, as in all-smi.
inline constexpr double warm_celsius = 80, hot_celsius = 90;

struct DeviceColumn {
  std::string_view title;
  int width;
  Align align;
  int rank;       // narrow screens keep the lowest ranks
  bool quantity;  // sorted in descending order by default
  /// "N/A" if unknown.
  std::string (*text)(const EvaluationContext& at, DeviceTable::Row row);
  /// The sort key; NaN sorts last. `place` is the device's index in Model::device_order(). Null:
  /// sorted by text.
  double (*order)(const EvaluationContext& at, DeviceTable::Row row, std::uint32_t place) = nullptr;
  /// The filled share; null: no bar.
  double (*bar)(const Model& model, DeviceTable::Row row) = nullptr;
  double warm = 2, hot = 2;  // thresholds of the colour: shares, or values if there is no bar
  bool of_jobs = false;      // `text` reads EvaluationContext::jobs
  std::string_view unit{};   // of all its numbers, which then stand without it
};

std::span<const DeviceColumn> device_columns();

struct ShownColumn {
  int number = 0;  // in device_columns()
  int width = 0;
  bool operator==(const ShownColumn&) const = default;
};

struct SortKey {
  int column = 0;  // in device_columns()
  bool descending = false;
  bool operator==(const SortKey&) const = default;
};

inline constexpr int column_width_min = 3;  // "N/A" must fit
inline constexpr int column_width_max = 60;

/// Parses "NAME[:WIDTH],..": each name at most once, upper or lower case.
Result<std::vector<ShownColumn>> parse_columns(std::string_view text);
/// Parses "NAME[,NAME]": one or two names, ascending, or descending with a "-" before the name.
Result<std::vector<SortKey>> parse_sort(std::string_view text);

/// The fewest columns of the curve of the load, which is behind the others if there is room.
inline constexpr int load_columns_least = 11;

/// The first of `wanted` that fit, with one blank between them. If `wanted` is empty, the columns
/// of the lowest ranks in the table's order; all but the most important ones leave room for the
/// curve of the load, and those of wide screens for a minute of it.
/// Of real devices (`all_real`), whose work is not counted, only without RUN and QUEUE.
std::vector<ShownColumn> columns_that_fit(std::span<const ShownColumn> wanted, int width,
                                          bool all_real = false);
/// The total width with blanks.
int width_of(std::span<const ShownColumn> columns);

/// "hw thermal" "thermal" "hw" "power" "other" "idle"; "" when not throttled; "N/A" when unknown.
std::string throttle_text(double bits);

}  // namespace drover::tui
