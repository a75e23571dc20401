// The values of a device's sparkline: its last minute, one share of the metric's scale per wall
// second.
#pragma once

#include <vector>

#include "tui/state/frame_context.h"

namespace drover::tui {

/// Wall seconds that the history covers: recent_seconds, less in the largest fleets.
int sparkline_values_max(const FrameContext& frame);

/// The last `count` wall seconds up to frame.now, oldest first; NaN where unknown. Samples come
/// once in a fleet second, slightly early or late, so each is valid until the next is clearly
/// missing. REQUIRES count >= 0.
std::vector<double> sparkline_values(const FrameContext& frame, DeviceTable::Row row,
                                     GaugeMetric gauge_metric, int count);

}  // namespace drover::tui
