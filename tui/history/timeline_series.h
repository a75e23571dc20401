// The samples of one device, as far back as they are shown. They are read from a timeline's batches
// and cached while the device is shown.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/sample/sample.h"
#include "tui/history/timeline.h"

namespace drover::tui {

/// Beyond this, the oldest points are dropped: a day at one per second.
inline constexpr std::size_t series_points_max = 86'400;

/// The samples of a device; NaN for metrics that a sample lacks.
struct Series {
  std::vector<Instant> at;
  std::array<std::vector<double>, metric_count> values;  // each as long as `at`
  const std::vector<double>& of(Metric metric) const {
    return values[static_cast<std::size_t>(metric)];
  }
};

class SeriesReader {
 public:
  /// The device's samples in (from, to]. A further call for the same device reads only new samples
  /// and keeps those that the timeline has dropped since, so that they do not vanish while the user
  /// looks at them.
  const Series& read(const Timeline& timeline, const DeviceId& device, Instant from, Instant to);

 private:
  void visit(const Timeline& timeline, Instant from, Instant to);
  void add(Instant at, const SampleBatch& batch);
  void append(const Series& later);
  void cut_from(Instant at);
  void cut_before(Instant at);

  std::optional<DeviceId> device_;
  const Timeline* timeline_ = nullptr;
  Instant from_{}, to_{};  // the range that was read
  Series series_;
};

}  // namespace drover::tui
