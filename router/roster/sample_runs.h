// The rows of a batch of samples, cut into runs of devices that follow one another, so that columns
// are decoded run by run and not row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "router/roster/roster.h"

namespace drover::router {

/// Rows, one after the other, of devices that follow one another as well.
struct Run {
  std::size_t row = 0;
  DeviceIndex device = 0;
  std::size_t count = 0;
};

/// `numbers`: the rows' devices by their number in the host; `devices`: the host's by their number,
/// which follow one another. Rows of devices that the host does not have are in no run. Agents send
/// theirs in order, so most batches are one run.
std::vector<Run> runs_of(const std::vector<std::uint16_t>& numbers,
                         const std::vector<DeviceIndex>& devices);

}  // namespace drover::router
