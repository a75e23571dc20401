// The past of one device, read from a timeline's batches and kept for as long as it is looked at.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "fleet/identity.h"
#include "fleet/sample.h"
#include "tui/timeline.h"

namespace drover::tui {

/// Beyond, the oldest go: a day at one a second.
inline constexpr std::size_t series_points_max = 86'400;

/// What a device told, sample by sample; NaN where it told nothing.
struct Series {
  std::vector<Instant> at;
  std::array<std::vector<double>, metric_count> values;  // each as long as `at`
  const std::vector<double>& of(Metric metric) const {
    return values[static_cast<std::size_t>(metric)];
  }
};

class SeriesReader {
 public:
  /// All that the timeline holds of the device up to `to`. Asked again for the same device, only
  /// what is new is read.
  const Series& read(const Timeline& timeline, const DeviceId& device, Instant to);

 private:
  void add(Instant at, const SampleBatch& batch);
  void cut_from(Instant at);
  void cut_before(Instant at);

  std::optional<DeviceId> device_;
  const Timeline* timeline_ = nullptr;
  Instant read_to_ = Instant::min();
  Series series_;
};

}  // namespace drover::tui
