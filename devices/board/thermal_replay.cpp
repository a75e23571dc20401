#include "devices/board/thermal_replay.h"

#include "devices/board/thermal_model.h"

namespace drover::devices {
namespace {

Cooling cooling_of(const DeviceSpec& device) {
  return {device.die_resistance, device.die_time_s, device.sink_resistance, device.sink_time_s};
}

MemoryThermalCoupling memory_of(const DeviceSpec& device) {
  return {device.memory_offset_k, device.memory_sink_share, device.memory_die_share};
}

}  // namespace

std::vector<ModelledTemperatures> replay_temperatures(const DeviceSpec& device, double inlet_c,
                                                      double die_start_c,
                                                      std::span<const PowerLogEntry> log) {
  std::vector<ModelledTemperatures> modelled;
  if (log.empty()) return modelled;
  const Cooling cooling = cooling_of(device);
  const MemoryThermalCoupling memory = memory_of(device);
  Temperatures state{die_start_c, die_start_c - cooling.die_k_per_w * log.front().power_w};
  for (std::size_t i = 0; i < log.size(); ++i) {
    const ThermalTransient course(cooling, state, inlet_c, log[i].power_w, memory);
    modelled.push_back({state.die_c, course.memory().at(0)});
    if (i + 1 < log.size()) state = course.at(log[i + 1].t_s - log[i].t_s);
  }
  return modelled;
}

double inlet_for_steady_state(const DeviceSpec& device, double die_c, double power_w) {
  return die_c - (steady_state(cooling_of(device), 0, power_w)).die_c;
}

}  // namespace drover::devices
