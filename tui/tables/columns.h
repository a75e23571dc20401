// The columns of the devices table: one row here is a column there, with its title, its text, its
// bar and the key that it sorts by.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tui/canvas/pen.h"
#include "tui/tables/filter_things.h"

namespace drover::tui {

struct DeviceColumn {
  std::string_view title;
  int width;
  Align align;
  int rank;       // narrow screens keep the lowest ranks
  bool quantity;  // sorted with the greatest first
  /// "N/A" where nothing is known.
  std::string (*text)(const Judged& at, DeviceTable::Row row);
  /// `place` is the device's place in Model::device_order(). NaN sorts last. Null: by its text.
  double (*order)(const Judged& at, DeviceTable::Row row, std::uint32_t place);
  /// The filled share; null: no bar.
  double (*bar)(const Model& model, DeviceTable::Row row);
  double warm = 2, hot = 2;  // shares (or values, without a bar) that turn the colour
  bool of_jobs = false;      // `text` asks Judged::jobs
};

std::span<const DeviceColumn> device_columns();

/// What nothing is known of.

/// "hw heat" "heat" "power" "other" "idle"; "" when nothing slows the clock; "-" when unknown.
std::string throttle_text(double bits);

}  // namespace drover::tui
