// The past of one device, as far back as it is shown: read from a timeline's batches, and kept for
// as long as it is looked at.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/sample/sample.h"
#include "tui/history/timeline.h"

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
  /// What the timeline holds of the device in (from, to]. Asked again for the same device, only
  /// what is new is read, and what the timeline has forgotten since then stays: the past of a
  /// moment is not to vanish while a person looks at it.
  const Series& read(const Timeline& timeline, const DeviceId& device, Instant from, Instant to);

 private:
  void visit(const Timeline& timeline, Instant from, Instant to);
  void add(Instant at, const SampleBatch& batch);
  void append(const Series& later);
  void cut_from(Instant at);
  void cut_before(Instant at);

  std::optional<DeviceId> device_;
  const Timeline* timeline_ = nullptr;
  Instant from_{}, to_{};  // what was read
  Series series_;
};

}  // namespace drover::tui
