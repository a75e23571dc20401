// What a board publishes of itself, which is not the truth: values change at their own period, are
// means over a window of which only a part is looked at, and come in steps.
//
// The truth changes at events and is constant in between. A sensor enters each such stretch when it
// ends, as the overlap with the sampled part of each period: exact, whatever the events, and a
// bounded number of periods is kept. What it publishes is computed from those and from the stretch
// that still lasts; asking changes nothing.
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
/// `part` is looked at; a new mean over the last `count` periods appears at its end.
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

  /// A stretch of constant rates has ended. REQUIRES from >= the end of the one before.
  void enter(Instant from, Instant until, const Rates& rates);
  /// Published at `now`, in a stretch that has lasted since `from`.
  Rates mean(Instant now, Instant from, const Rates& rates) const;

 private:
  /// The period in which an instant lies; its end belongs to the next.
  std::int64_t period_of(Instant instant) const;
  /// Seconds of a stretch in the sampled part of a period.
  double overlap_s(std::int64_t period, Instant from, Instant until) const;
  Rates amount(std::int64_t period, Instant from, Instant until, const Rates& rates) const;

  Timing timing_;
  std::array<Rates, sensor_periods_max> amounts_{};  // rate times seconds, by period
  std::int64_t newest_ = INT64_MIN;                  // period of the newest amount
};

/// The sensors of one board.
class Sensor {
 public:
  /// What a stretch is like: what is averaged.
  struct Truth {
    double power_w = 0;
    bool resident = false;  // any kernel, however little of the device it uses
    double duty = 0, matrix_activity = 0, memory_activity = 0;
  };

  Sensor() = default;
  /// Boards do not refresh in step: `phase` is a share of the period, 0 to 1.
  Sensor(const DeviceSpec& spec, double phase);

  /// A stretch has ended at `until`.
  void enter(Instant from, Instant until, const Truth& truth);
  /// The sample as published, made of the true one.
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
