#include "fleet/filter/device.h"

#include <cmath>

namespace drover::filter {

void show_states(const DeviceCondition& condition, TextMatcher& test) {
  for (const DeviceState state : active_states(condition)) {
    if (test.match(to_text(state))) return;
  }
}

void show_throttle_reasons(double throttle, TextMatcher& test) {
  if (std::isnan(throttle)) return;
  const std::uint32_t set =
      static_cast<std::uint32_t>(throttle) & ~std::uint32_t{throttle_gpu_idle};
  if (set == 0) {
    test.match("no");
    return;
  }
  // A hardware thermal slowdown also sets the hardware slowdown bit; alone that is a power brake.
  const bool hot_hardware = (set & throttle_hw_thermal_slowdown) != 0;
  const bool slowdown = (set & throttle_hw_slowdown) != 0;
  constexpr std::uint32_t named = throttle_sw_power_cap | throttle_sw_thermal_slowdown |
                                  throttle_hw_thermal_slowdown | throttle_hw_slowdown |
                                  throttle_hw_power_brake;
  if ((set & throttle_sw_power_cap) != 0) test.match("power");
  if ((set & throttle_sw_thermal_slowdown) != 0) test.match("thermal");
  if (hot_hardware) test.match("hw thermal");
  if ((set & throttle_hw_power_brake) != 0 || (slowdown && !hot_hardware)) test.match("hw");
  if ((set & ~named) != 0) test.match("other");
}

bool is_about_device(std::string_view subject, std::string_view device, std::string_view host) {
  return subject == device || subject == host;
}

}  // namespace drover::filter
