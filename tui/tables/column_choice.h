// Which columns of the devices table are shown and how wide, and by which two it is sorted, as
// people write it: "DEVICE,UTIL,POWER:14", "POWER,-TEMP".
#pragma once

#include <optional>
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

inline constexpr int column_width_least = 3;  // "N/A" must fit
inline constexpr int column_width_most = 60;

/// "NAME[:WIDTH],..": each once, in any case of letters.
Result<std::vector<ShownColumn>> parse_columns(std::string_view text);
/// "NAME[,NAME]": rising, or falling with a "-" before the name. One or two.
Result<std::vector<SortKey>> parse_sort(std::string_view text);

/// Those of `wanted` that fit, from the first on, one blank between them; where nothing is wanted,
/// those of the lowest ranks, in the table's order. What only wide screens show leaves room for
/// the sparklines.
std::vector<ShownColumn> columns_that_fit(std::span<const ShownColumn> wanted, int width);
/// The width that they take.
int width_of(std::span<const ShownColumn> columns);

}  // namespace drover::tui
