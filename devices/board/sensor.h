// The readings of a board's sensors, which differ from the true values: they are refreshed
// periodically, are means over a window of which only a part is sampled, and are quantised.
//
// True values change at events and are constant in between. A sensor records each such interval
// when it ends, as its overlap with the sampled part of each period. This is exact for any events,
// and a bounded number of periods is kept. Readings are computed from these and from the current
// interval; reading has no side effects.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "devices/catalogue/spec.h"
#include "fleet/base/time.h"
#include "fleet/sample/sample.h"

namespace drover::devices {

inline constexpr std::size_t sensor_periods_max = 16;

/// Means of rates over sampled periods. Period k ends at `phase + (k + 1) * every`, and its last
/// `part` is sampled. A new mean over the last `count` periods is published at its end.
template <std::size_t width>
class SampledMeans {
 public:
  using Rates = std::array<double, width>;
  struct Timing {
    Duration every{};  // 0: a perfect sensor
    Duration part{};
    Duration phase{};
    std::int64_t count = 1;  // REQUIRES count < sensor_periods_max
  };

  SampledMeans() = default;
  explicit SampledMeans(const Timing& timing) : timing_(timing) {}

  /// Records an interval of constant rates that has ended. REQUIRES from >= the end of the last
  /// one.
  void enter(Instant from, Instant until, const Rates& rates);
  /// The mean published at `now`, in an interval that began at `from`.
  Rates mean(Instant now, Instant from, const Rates& rates) const;

 private:
  /// The period of an instant; its end belongs to the next.
  std::int64_t period_of(Instant instant) const;
  /// Seconds of an interval in the sampled part of a period.
  double overlap_s(std::int64_t period, Instant from, Instant until) const;
  Rates amount(std::int64_t period, Instant from, Instant until, const Rates& rates) const;

  Timing timing_;
  std::array<Rates, sensor_periods_max> amounts_{};  // rate times seconds, by period
  std::int64_t newest_ = INT64_MIN;                  // period of the newest amount
};

/// The sensors of one board.
class Sensor {
 public:
  /// The true values in an interval.
  struct Truth {
    double power_w = 0;
    bool resident = false;  // a kernel runs, however little of the device it uses
    double duty_cycle = 0, tensor_activity = 0, memory_activity = 0;
  };

  Sensor() = default;
  /// `phase` is a share of the refresh period, 0 to 1, because boards do not refresh in sync.
  Sensor(const DeviceSpec& spec, double phase);

  /// Records an interval that has ended.
  void enter(Instant from, Instant until, const Truth& truth);
  /// The sample that the sensors publish instead of the exact one.
  Sample published(Instant now, Instant from, const Truth& truth, const Sample& exact) const;

 private:
  using Power = SampledMeans<1>;
  using Activities = SampledMeans<3>;
  Activities::Rates activities(const Truth& truth) const;

  const DeviceSpec* spec_ = nullptr;
  Power power_;
  Activities activities_;
};

}  // namespace drover::devices
