// Splits the rows of a sample batch into runs of consecutive devices, so that columns are
// decoded run by run instead of row by row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "router/fleet_state/fleet_state.h"

namespace drover::router {

/// Consecutive rows of consecutive devices.
struct RowRun {
  std::size_t row = 0;
  DeviceIndex device = 0;
  std::size_t count = 0;
};

/// `numbers`: the rows' device indices in the host; `devices`: the host's devices by index, which
/// are consecutive. Rows of unknown devices are in no run. Agents send rows in order, so most
/// batches are one run.
inline std::vector<RowRun> runs_of(const std::vector<std::uint16_t>& numbers,
                                   const std::vector<DeviceIndex>& devices) {
  std::vector<RowRun> runs;
  for (std::size_t row = 0; row < numbers.size();) {
    const std::size_t number = numbers[row];
    if (number >= devices.size()) {
      ++row;
      continue;
    }
    const std::size_t count_max = std::min(numbers.size() - row, devices.size() - number);
    std::size_t count = 1;
    while (count < count_max && numbers[row + count] == number + count) ++count;
    runs.push_back({row, devices[number], count});
    row += count;
  }
  return runs;
}

}  // namespace drover::router
