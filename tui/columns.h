// The columns of the devices table: one row here is a column there, with its title, its text, its
// bar and the key that it sorts by.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tui/pen.h"
#include "tui/scene.h"

namespace drover::tui {

struct DeviceColumn {
  std::string_view title;
  int width;
  Align align;
  int rank;       // narrow screens keep the lowest ranks
  bool quantity;  // sorted with the greatest first
  std::string (*text)(const Scene& scene, DeviceTable::Row row);
  /// `place` is the device's place in Model::device_order(). NaN sorts last.
  double (*order)(const Model& model, DeviceTable::Row row, std::uint32_t place);
  /// The filled share; null: no bar.
  double (*bar)(const Model& model, DeviceTable::Row row);
  double warm = 2, hot = 2;  // shares (or values, without a bar) that turn the colour
};

std::span<const DeviceColumn> device_columns();

/// The columns that fit, in the table's order, one blank between them.
std::vector<int> columns_that_fit(int width);
/// The width that they take.
int width_of(std::span<const int> columns);

/// "hw heat" "heat" "power" "other" "idle"; "" when nothing slows the clock; "-" when unknown.
std::string throttle_text(double bits);

}  // namespace drover::tui
