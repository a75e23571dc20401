// What filters learn of a device, of whoever keeps it: the router's rules, the dashboard, commands.
// Each says what it knows; what a field means stands here, once.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "fleet/device_state.h"
#include "fleet/filter/filter.h"
#include "fleet/filter/filter_sample.h"

namespace drover::filter {

/// A device, beside what its samples tell.
struct DeviceFacts {
  std::uint16_t index = 0;
  std::uint16_t group = 0;
  DeviceStanding standing;
  double slowdown_c = 0;       // where heat begins to slow it; 0: not told
  double group_cap_w = 0;      // its power cap while samples tell none; 0: none
  double price_usd_per_h = 0;  // 0: not known
};

/// Degrees below the temperature from which on heat slows the device.
inline double headroom_c(double slowdown_c, double temperature_c) {
  return slowdown_c > 0 ? slowdown_c - temperature_c : absent;
}

/// The cap that holds: what samples tell, else the group's.
inline double power_cap_w(double sampled_w, double group_w) {
  if (!std::isnan(sampled_w)) return sampled_w;
  return group_w > 0 ? group_w : absent;
}

/// The number of a field of devices; NaN of every other field. `reading(Metric)` answers the last
/// value, NaN when it is not known now.
template <typename Reading>
double number_of(Field field, const DeviceFacts& device, const Reading& reading) {
  switch (field) {
    case Field::index:
      return device.index;
    case Field::group:
      return device.group;
    case Field::age:
      return device.standing.age_s;
    case Field::price:
      return device.price_usd_per_h > 0 ? device.price_usd_per_h : absent;
    case Field::headroom:
      return headroom_c(device.slowdown_c, reading(Metric::temperature));
    case Field::cap:
      return power_cap_w(reading(Metric::power_cap), device.group_cap_w);
    case Field::power_share: {
      const double cap_w = power_cap_w(reading(Metric::power_cap), device.group_cap_w);
      return cap_w > 0 ? reading(Metric::power) / cap_w : absent;
    }
    default:
      return sampled(field, reading);
  }
}

/// The values of Field::state.
void show_states(const DeviceStanding& standing, TextTest& test);

/// Whether an alert about `subject` is one of the device: its own, or one of its whole host.
bool is_about_device(std::string_view subject, std::string_view device, std::string_view host);

}  // namespace drover::filter
