// The filter fields of devices. Router, dashboard and commands supply the facts; the meaning of a
// field is defined here only.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "fleet/device_state.h"
#include "fleet/filter/filter.h"
#include "fleet/sample/sample.h"

namespace drover::filter {

/// What is known about a device besides its samples.
struct DeviceFacts {
  std::uint16_t index = 0;
  std::uint16_t group = 0;
  DeviceCondition condition;
  double slowdown_c = 0;       // temperature at which it begins to throttle; 0: not reported
  double group_cap_w = 0;      // power cap while samples report none; 0: none
  double price_usd_per_h = 0;  // 0: not known
};

/// The current power cap: the sampled one, else that of the group.
inline double power_cap_w(double sampled_w, double group_w) {
  if (!std::isnan(sampled_w)) return sampled_w;
  return group_w > 0 ? group_w : absent;
}

/// The value of a field that depends on samples only; NaN for other fields. `reading(Metric)`
/// returns the last value or NaN.
template <typename Reading>
double sampled(Field field, const Reading& reading) {
  switch (field) {
    case Field::utilization:
      return reading(Metric::utilization);
    case Field::tensor:
      return reading(Metric::tensor_activity);
    case Field::memory_bandwidth:
      return reading(Metric::memory_activity);
    case Field::memory_share:
      return reading(Metric::memory_used) / reading(Metric::memory_total);
    case Field::memory:
      return reading(Metric::memory_used);
    case Field::power:
      return reading(Metric::power);
    case Field::temperature:
      return reading(Metric::temperature);
    case Field::memory_temperature:
      return reading(Metric::memory_temperature);
    case Field::clock:
      return reading(Metric::clock);
    case Field::queue:
      return reading(Metric::queue);
    case Field::running:
      return reading(Metric::running);
    case Field::energy:
      return reading(Metric::energy);
    default:
      return absent;
  }
}

/// The value of a numeric device field; NaN for other fields. `reading(Metric)` returns the last
/// value, or NaN when it is not known.
template <typename Reading>
double number_of(Field field, const DeviceFacts& device, const Reading& reading) {
  switch (field) {
    case Field::index:
      return device.index;
    case Field::group:
      return device.group;
    case Field::age:
      return device.condition.age_s;
    case Field::price:
      return device.price_usd_per_h > 0 ? device.price_usd_per_h : absent;
    case Field::headroom:
      return device.slowdown_c > 0 ? device.slowdown_c - reading(Metric::temperature) : absent;
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

/// Passes the values of Field::state to `test`.
void show_states(const DeviceCondition& condition, TextMatcher& test);

/// Passes the values of Field::throttle to `test`: the throttle reasons in the bits of
/// Metric::throttle by their names on the dashboard, or "no"; none when the bits are unknown.
void show_throttle_reasons(double throttle, TextMatcher& test);

/// Whether an alert about `subject` concerns the device: it is about the device or its host.
bool is_about_device(std::string_view subject, std::string_view device, std::string_view host);

}  // namespace drover::filter
