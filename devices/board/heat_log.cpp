#include "devices/board/heat_log.h"

#include "devices/board/heat.h"

namespace drover::devices {
namespace {

Cooling cooling_of(const DeviceSpec& device) {
  return {device.die_resistance, device.die_time_s, device.sink_resistance, device.sink_time_s};
}

MemoryHeat memory_of(const DeviceSpec& device) {
  return {device.memory_offset_k, device.memory_sink_share, device.memory_die_share};
}

}  // namespace

std::vector<ModelledHeat> heat_along(const DeviceSpec& device, double inlet_c, double die_start_c,
                                     std::span<const LoggedPower> log) {
  std::vector<ModelledHeat> modelled;
  if (log.empty()) return modelled;
  const Cooling cooling = cooling_of(device);
  const MemoryHeat memory = memory_of(device);
  Temperatures state{die_start_c, die_start_c - cooling.die_k_per_w * log.front().power_w};
  for (std::size_t i = 0; i < log.size(); ++i) {
    const HeatCourse course(cooling, state, inlet_c, log[i].power_w, memory);
    modelled.push_back({state.die_c, course.memory().at(0)});
    if (i + 1 < log.size()) state = course.at(log[i + 1].t_s - log[i].t_s);
  }
  return modelled;
}

double inlet_of_settled(const DeviceSpec& device, double die_c, double power_w) {
  return die_c - (settled(cooling_of(device), 0, power_w)).die_c;
}

}  // namespace drover::devices
