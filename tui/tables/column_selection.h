// The shown columns of the devices table with their widths, and the sort order, as the user types
// them: "DEVICE,UTIL,POWER:14", "POWER,-TEMP".
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"

namespace drover::tui {

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

/// The first of `wanted` that fit, with one blank between them. If `wanted` is empty, the columns
/// of the lowest ranks in the table's order; those of wide screens leave room for the sparklines.
std::vector<ShownColumn> columns_that_fit(std::span<const ShownColumn> wanted, int width);
/// The total width with blanks.
int width_of(std::span<const ShownColumn> columns);

}  // namespace drover::tui
