// The filter fields that are read from a device's last sample, stored in any form.
#pragma once

#include "fleet/filter/filter.h"
#include "fleet/sample/sample.h"

namespace drover::filter {

/// The value of a field that depends on samples only; NaN for other fields (fleet/filter/device.h
/// has those). `reading(Metric)` returns the last value or NaN.
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

/// Passes the values of Field::throttle to `test`: the throttle reasons in the bits of
/// Metric::throttle by their names on the dashboard, or "no"; none when the bits are unknown.
void show_throttle_reasons(double throttle, TextMatcher& test);

}  // namespace drover::filter
