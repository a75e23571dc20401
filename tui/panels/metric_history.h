// What is known of a device's metrics over the time that a chart shows, from the nearest source:
// samples of the stream, before them the device history, and before that the server's values.
#pragma once

#include <optional>
#include <vector>

#include "tui/canvas/chart.h"
#include "tui/history/device_history.h"
#include "tui/state/frame_context.h"

namespace drover::tui {

/// How long a sample is valid: until the next is clearly missing.
Duration staleness_limit(const std::vector<Instant>& at, Duration bin);

/// The history only knows that the device was throttled, not why. No reason of NVML has this bit.
inline constexpr std::uint32_t throttle_cause_unknown = 1u << 30;

/// Of a chart of `cells` cells. `series`: the device's samples.
struct MetricHistory {
  const FrameContext& frame;
  const Series& series;
  DeviceTable::Row row;
  const TimeWindow& window;
  int cells;

  std::vector<ChartPoint> points(Metric metric) const;
  /// The growth of a counter per second. It is known only where samples are. A counter that fell
  /// was reset.
  std::vector<ChartPoint> rates(Metric counter) const;
  /// The throttle reasons of the samples, and before them throttle_cause_unknown if there was any.
  std::vector<ChartPoint> throttle_reasons() const;

 private:
  std::vector<ChartPoint> samples(Metric metric) const;
  std::vector<ChartPoint> in_memory(Metric metric) const;
  std::vector<ChartPoint> with_older(Metric metric, std::vector<ChartPoint> memory,
                                     std::optional<Statistic> statistic) const;
  HistoryBins bins_before(HistoryMetric metric) const;
};

}  // namespace drover::tui
