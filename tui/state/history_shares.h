// The last minute of a device beside its bar: a share of the shade's scale for each wall second.
#pragma once

#include <vector>

#include "tui/state/scene.h"

namespace drover::tui {

/// Wall seconds of which there is room for something: recent_seconds, less in the largest fleets.
int shares_most(const Scene& scene);

/// So many wall seconds up to the scene's moment, oldest first; NaN where nothing is known. Samples
/// come once in a fleet second and a little early or late: each stands until the next is clearly
/// missing. REQUIRES count >= 0.
std::vector<double> recent_shares(const Scene& scene, DeviceTable::Row row, Shade shade, int count);

}  // namespace drover::tui
