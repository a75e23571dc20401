// The fleet's curves: what was known at each instant of a grid of fleet time, at three resolutions.
// The last minutes have a point per wall second, longer times have longer bins.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/sample/sample.h"
#include "tui/model/device_table.h"

namespace drover::tui {

/// Causes of throttling, as NVML's violation counters distinguish them.
struct ThrottleCause {
  Metric metric;
  std::string_view name;
};
inline constexpr std::array<ThrottleCause, 3> throttle_causes = {
    {{Metric::power_violation, "power cap"},
     {Metric::thermal_violation, "thermal"},
     {Metric::board_limit_violation, "power brake"}}};

/// Device-seconds, in the order of throttle_causes.
using ThrottleTimes = std::array<double, throttle_causes.size()>;

/// Throttle time: by how much the devices' counters grew while their samples were received. A
/// counter that fell was reset by its agent's restart, and growth during a silence cannot be dated:
/// neither counts.
class ThrottleTimeTracker {
 public:
  /// Called before and after rows of the table take a batch.
  void before(const DeviceTable& devices, DeviceTable::Row first, DeviceTable::Row count);
  void after(const DeviceTable& devices, DeviceTable::Row first, DeviceTable::Row count);
  /// The total growth of the counters; it never falls.
  const ThrottleTimes& sum() const { return sum_; }

 private:
  ThrottleTimes sum_{};
  std::vector<double> before_;  // kept, so that a batch allocates no memory
};

/// Wall seconds of which a replay knows single points wherever it begins. What is computed from
/// them looks no further back, so that a replay shows what the live dashboard showed.
inline constexpr int recent_points_s = 4 * 60;

/// The number of the bin that contains the instant, counted from the beginning of fleet time.
std::int64_t bin_number(Instant at, Duration bin);

/// One point of the curves. Shares are 0..1, NaN when unknown.
struct TrendPoint {
  Instant at{};
  Duration lasts{};  // the bin that it stands for; zero: it is of one instant
  double utilization = absent;
  double power = absent;  // share of all caps
  double queued = absent;
  double running = absent;
  double finished_per_s = absent;
  double samples_per_s = absent;     // of all hosts; also below
  double messages_per_s = absent;    // that held them
  double power_w = absent;           // of all devices that report
  double usd_per_h = absent;         // of all devices of hosts that are not lost
  double spend_usd_per_h = absent;   // of working devices, as the router reports
  double budget_usd_per_h = absent;  // also if there is none
  double site_cap_w = absent;        // also if there is none
  ThrottleTimes throttle_time_s{};   // of all devices, since the model began; NaN before
  struct Pool {
    double power_w = absent;
    double own_w = absent;  // of devices that name it as their first pool
    double cap_w = absent;  // also if there is none
  };
  std::vector<Pool> pools;  // in the order of Model::pools(); may be shorter
};

struct TrendResolution {
  int bin_s;           // wall seconds
  std::size_t points;  // kept at most
};
/// They cover 12 minutes, 40 minutes and 2 hours.
inline constexpr std::array<TrendResolution, 3> trend_resolutions = {
    {{1, 720}, {10, 240}, {30, 240}}};

class Trend {
 public:
  /// `wall` is one wall second in fleet time.
  explicit Trend(Duration wall) : wall_(wall) {}

  /// REQUIRES that it is later than all before.
  void add(TrendPoint point);

  /// Puts points before those that it has, each for the whole time until the next: one of a longer
  /// bin stands in all shorter bins within it. REQUIRES that they are `bin` apart.
  void add_older(const std::vector<TrendPoint>& points, Duration bin);

  /// The points as they were added.
  const std::deque<TrendPoint>& seconds() const { return resolutions_.front(); }
  /// The points of the longest bins that are no longer than `bin`, the open bin included. Each is
  /// at its bin's beginning and has the bin's greatest values (a peak is what trips a limit) and
  /// its last caps.
  const std::deque<TrendPoint>& points_for(Duration bin) const;
  /// The points from `from` on: those of points_for(bin), and before them longer bins, as far back
  /// as those are kept.
  std::vector<TrendPoint> points_since(Instant from, Duration bin) const;
  /// Before this moment nothing is known; `never` if nothing is.
  Instant begin() const;
  /// Whether points_for(bin) drops its oldest point for each new one.
  bool is_full(Duration bin) const;
  std::size_t points() const;  // of all resolutions

 private:
  std::size_t resolution_for(Duration bin) const;

  Duration wall_;
  Instant first_ = never;
  std::array<std::deque<TrendPoint>, trend_resolutions.size()> resolutions_;
};

}  // namespace drover::tui
