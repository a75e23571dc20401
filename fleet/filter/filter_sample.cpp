#include "fleet/filter/filter_sample.h"

#include <cmath>

namespace drover::filter {

void show_slowed(double throttle, TextTest& test) {
  if (std::isnan(throttle)) return;
  const std::uint32_t set = static_cast<std::uint32_t>(throttle) & ~std::uint32_t{throttle_idle};
  if (set == 0) {
    test.see("no");
    return;
  }
  // Heat that acts in hardware sets the bit of the slowdown as well; alone that is a power brake.
  const bool hot_hardware = (set & throttle_thermal_hardware) != 0;
  const bool slowdown = (set & throttle_hardware_slowdown) != 0;
  constexpr std::uint32_t named = throttle_power_cap | throttle_thermal_software |
                                  throttle_thermal_hardware | throttle_hardware_slowdown |
                                  throttle_power_brake;
  if ((set & throttle_power_cap) != 0) test.see("power");
  if ((set & throttle_thermal_software) != 0) test.see("heat");
  if (hot_hardware) test.see("hw heat");
  if ((set & throttle_power_brake) != 0 || (slowdown && !hot_hardware)) test.see("hw");
  if ((set & ~named) != 0) test.see("other");
}

}  // namespace drover::filter
