// The columns of the devices table, one row each: title, text, bar and sort key.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tui/canvas/draw_region.h"
#include "tui/tables/filter_subjects.h"

namespace drover::tui {

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
};

std::span<const DeviceColumn> device_columns();

/// "hw thermal" "thermal" "hw" "power" "other" "idle"; "" when not throttled; "N/A" when unknown.
std::string throttle_text(double bits);

}  // namespace drover::tui
