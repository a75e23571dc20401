// What filters learn from a device's last sample, of whoever keeps it: rows, columns or a replay.
#pragma once

#include "fleet/filter/filter.h"
#include "fleet/sample/sample.h"

namespace drover::filter {

/// The number of a field that samples alone tell; NaN of every other field
/// (fleet/filter/filter_device.h has those). `reading(Metric)` answers the last value or NaN.
template <typename Reading>
double sampled(Field field, const Reading& reading) {
  switch (field) {
    case Field::utilization:
      return reading(Metric::utilization);
    case Field::matrix:
      return reading(Metric::matrix_activity);
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

/// The values of Field::slowed: what holds the clock down of Metric::throttle's bits, each by its
/// name on the dashboard, or "no"; none when the bits are not known.
void show_slowed(double throttle, TextTest& test);

}  // namespace drover::filter
