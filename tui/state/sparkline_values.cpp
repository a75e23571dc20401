// The recent values of a device, as sparklines show them.
#include <algorithm>
#include <cmath>

#include "tui/history/cursor_history.h"
#include "tui/state/frame_context.h"

namespace drover::tui {
namespace {

constexpr HistoryResolution resolution = HistoryResolution::seconds;
constexpr Duration usual_sample_every = std::chrono::seconds(1);  // fleet time

constexpr HistoryMetric metric_of(GaugeMetric gauge_metric) {
  return static_cast<HistoryMetric>(gauge_metric);
}
static_assert(metric_of(GaugeMetric::utilization) == HistoryMetric::utilization &&
              metric_of(GaugeMetric::memory) == HistoryMetric::memory &&
              metric_of(GaugeMetric::power) == HistoryMetric::power &&
              metric_of(GaugeMetric::temperature) == HistoryMetric::temperature);

/// Bins in which the next sample of the device may still be late. Some hosts are read rarely.
int bins_between_samples(const FrameContext& frame, DeviceTable::Row row) {
  const Duration bin = frame.recent.bin(resolution);
  const Duration every = std::clamp(frame.model.host_of(row).reported.registration.sample_every,
                                    usual_sample_every, usual_sample_every + recent_seconds * bin);
  return static_cast<int>((every + bin - Duration(1)) / bin);
}

/// Extends each value to the following `bins` bins, in which the next sample may still be late.
void fill_lateness(std::vector<double>& shares, int bins) {
  int since = bins;
  double last = absent;
  for (double& share : shares) {
    if (!std::isnan(share)) {
      last = share;
      since = 0;
    } else if (since < bins) {
      share = last;
      ++since;
    }
  }
}

}  // namespace

int sparkline_values_max(const FrameContext& frame) {
  return std::min(recent_seconds, frame.recent.bins(resolution));
}

std::vector<double> sparkline_values(const FrameContext& frame, DeviceTable::Row row,
                                     GaugeMetric gauge_metric, int count) {
  const DeviceTable& devices = frame.model.devices();
  const Duration bin = frame.recent.bin(resolution);
  const int lateness = bins_between_samples(frame, row);
  // Earlier bins may extend to the first requested one.
  const int before = std::clamp(recent_seconds - count, 0, lateness);
  HistoryBins bins = frame.recent.read(frame.model.id_of(row), metric_of(gauge_metric), resolution,
                                       frame.now, count + before);
  for (double& value : bins.values) value = devices.on_scale(row, gauge_metric, value);
  // The unfinished bin of a past moment is not in the history. Its last sample is the model's.
  const Instant arrived = devices.arrived(row);
  if (arrived >= bins.begin && arrived <= frame.now) {
    bins.values[static_cast<std::size_t>((arrived - bins.begin) / bin)] =
        devices.share(row, gauge_metric);
  }
  fill_lateness(bins.values, lateness);
  bins.values.erase(bins.values.begin(), bins.values.begin() + before);
  return std::move(bins.values);
}

}  // namespace drover::tui
