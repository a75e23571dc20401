#include "fleet/board.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

namespace drover {

std::string_view to_text(LinkEnd end) {
  constexpr std::array<std::string_view, 4> names = {"unknown", "device", "link_switch",
                                                     "processor"};
  return names[static_cast<std::size_t>(end)];
}

std::string_view to_text(PciePath path) {
  constexpr std::array<std::string_view, 7> names = {
      "unknown", "board", "one_switch", "switches", "host_bridge", "numa_node", "between_nodes"};
  return names[static_cast<std::size_t>(path)];
}

void set_processes(Board& board, std::vector<DeviceProcess> processes, bool complete) {
  std::ranges::stable_sort(processes, std::ranges::greater(), [](const DeviceProcess& process) {
    return process.memory_bytes.value_or(0);
  });
  const std::size_t kept = std::min(processes.size(), device_processes_max);
  board.processes_left_out = static_cast<std::uint32_t>(processes.size() - kept);
  processes.resize(kept);
  board.processes = std::move(processes);
  board.processes_known = complete;
}

std::uint16_t pcie_generation(double gigatransfers_per_s) {
  constexpr std::array<double, 7> speeds = {2.5, 5, 8, 16, 32, 64, 128};
  for (std::size_t index = 0; index < speeds.size(); ++index) {
    if (std::abs(gigatransfers_per_s - speeds[index]) < 0.2)
      return static_cast<std::uint16_t>(index + 1);
  }
  return 0;
}

}  // namespace drover
