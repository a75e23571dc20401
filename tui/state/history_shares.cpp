#include "tui/state/history_shares.h"

#include <algorithm>
#include <cmath>

#include "tui/history/history_moment.h"

namespace drover::tui {
namespace {

constexpr HistoryRung rung = HistoryRung::seconds;
constexpr Duration sample_every = std::chrono::seconds(1);  // fleet time

constexpr HistoryMetric metric_of(Shade shade) { return static_cast<HistoryMetric>(shade); }
static_assert(metric_of(Shade::utilization) == HistoryMetric::utilization &&
              metric_of(Shade::memory) == HistoryMetric::memory &&
              metric_of(Shade::power) == HistoryMetric::power &&
              metric_of(Shade::temperature) == HistoryMetric::temperature);

/// A value stands in the bins behind its own in which the next sample may still come.
void fill_lateness(std::vector<double>& shares, int stands) {
  int since = stands;
  double last = absent;
  for (double& share : shares) {
    if (!std::isnan(share)) {
      last = share;
      since = 0;
    } else if (since < stands) {
      share = last;
      ++since;
    }
  }
}

}  // namespace

int shares_most(const Scene& scene) { return std::min(recent_seconds, scene.recent.bins(rung)); }

std::vector<double> recent_shares(const Scene& scene, DeviceTable::Row row, Shade shade,
                                  int count) {
  const DeviceTable& devices = scene.model.devices();
  const Duration bin = scene.recent.bin(rung);
  const auto stands = static_cast<int>((sample_every + bin - Duration(1)) / bin);
  // Those before the first one that is asked for may stand in it.
  const int before = std::clamp(recent_seconds - count, 0, stands);
  HistoryBins bins =
      scene.recent.read(scene.model.id_of(row), metric_of(shade), rung, scene.now, count + before);
  for (double& value : bins.values) value = devices.on_scale(row, shade, value);
  // The unfinished bin of a past moment is not in the history, and it holds the last sample, which
  // the model of that moment has.
  const Instant arrived = devices.arrived(row);
  if (arrived >= bins.begin && arrived <= scene.now) {
    bins.values[static_cast<std::size_t>((arrived - bins.begin) / bin)] = devices.share(row, shade);
  }
  fill_lateness(bins.values, stands);
  bins.values.erase(bins.values.begin(), bins.values.begin() + before);
  return std::move(bins.values);
}

}  // namespace drover::tui
