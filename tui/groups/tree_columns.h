// The columns of the tree of hosts: values of devices, and their sums on the lines of racks and
// hosts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tui/canvas/fit_columns.h"
#include "tui/groups/device_sums.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {

inline constexpr int tree_sign_columns = 2;    // as in the table of devices
inline constexpr int tree_wide_columns = 116;  // from here on, bars and whole titles

/// A column of the tree. That of devices has its text, bar and thresholds for the lines of devices,
/// and sorts the tree; some columns are of racks and hosts only.
struct TreeColumn {
  std::string_view title, brief;  // `brief`: on screens below tree_wide_columns
  int brief_width, width;
  int rank;
  std::string_view of_devices;  // the title of the column of devices; or empty
  std::string (*sum)(const DeviceSums& sums) = nullptr;  // null: the name
  double (*share)(const DeviceSums& sums) = nullptr;     // of the bar on wide screens; null: none
  double (*level)(const DeviceSums& sums) = nullptr;     // that the thresholds colour; null: none
};

/// A column with the width that it has on this screen.
struct SizedTreeColumn {
  std::string_view title;
  int width;
  Align align;
  int rank;
  const TreeColumn* column;
  int number;  // in device_columns(); -1: none
};

using PlacedTreeColumn = PlacedColumn<SizedTreeColumn>;

/// All columns, for a screen of this width.
std::vector<SizedTreeColumn> sized_tree_columns(int columns);
/// Those that fit; on wide screens, bars and names take the room that is left. They point into
/// `sized`.
std::vector<PlacedTreeColumn> place_tree_columns(const std::vector<SizedTreeColumn>& sized,
                                                 int columns);
/// The column of devices with the thresholds and bars of this one. REQUIRES that it has one.
const DeviceColumn& device_column_of(const SizedTreeColumn& column);
/// At most four columns: "9999", "12k".
std::string tree_count_text(std::uint32_t count);
/// "61%": the mean load.
std::string tree_load(const DeviceSums& sums);
/// "5.48kW": for text without titles, which name the unit.
std::string tree_power(const DeviceSums& sums);

}  // namespace drover::tui
