// The temperatures that the model gives for a logged course of power: what `drover validate` holds
// against the temperatures of the same log.
#pragma once

#include <span>
#include <vector>

#include "devices/catalogue/spec.h"

namespace drover::devices {

struct LoggedPower {
  double t_s = 0;
  double power_w = 0;  // until the next entry
};

struct ModelledHeat {
  double die_c = 0;
  double memory_c = 0;
};

/// One entry per logged one. The log begins with a die of this temperature on a sink that has
/// settled against it, as the die does within a second. REQUIRES times that do not fall.
std::vector<ModelledHeat> heat_along(const DeviceSpec& device, double inlet_c, double die_start_c,
                                     std::span<const LoggedPower> log);

/// The inlet temperature under which a device that has long drawn this power has this temperature.
double inlet_of_settled(const DeviceSpec& device, double die_c, double power_w);

}  // namespace drover::devices
