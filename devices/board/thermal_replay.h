// The temperatures that the thermal model gives for a log of power. `drover validate` compares them
// with the temperatures in the same log.
#pragma once

#include <span>
#include <vector>

#include "devices/catalogue/spec.h"

namespace drover::devices {

struct PowerLogEntry {
  double t_s = 0;
  double power_w = 0;  // until the next entry
};

struct ModelledTemperatures {
  double die_c = 0;
  double memory_c = 0;
};

/// Returns one entry per log entry. At the beginning the die has the given temperature and the sink
/// is in steady state with it, which the die reaches within a second. REQUIRES ascending times.
std::vector<ModelledTemperatures> replay_temperatures(const DeviceSpec& device, double inlet_c,
                                                      double die_start_c,
                                                      std::span<const PowerLogEntry> log);

/// The inlet temperature at which the steady state of this power has this die temperature.
double inlet_for_steady_state(const DeviceSpec& device, double die_c, double power_w);

}  // namespace drover::devices
