#include "router/fleet_state/sample_runs.h"

#include <algorithm>

namespace drover::router {

std::vector<RowRun> runs_of(const std::vector<std::uint16_t>& numbers,
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
