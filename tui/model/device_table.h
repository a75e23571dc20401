// The last value of each metric of every device, column by column. One row per device; the rows of
// a host are adjacent.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/sample/sample.h"

namespace drover::tui {

/// Metrics that bars and sparklines show on a scale from 0 to 1.
enum class GaugeMetric : std::uint8_t { utilization, memory, power, temperature };

/// Whether throttle reasons (a value of Metric::throttle) reduce a device's clock. Idle is no
/// throttling, and neither is an unknown value (NaN).
bool is_throttled(double throttle);

class DeviceTable {
 public:
  using Row = std::uint32_t;

  Row rows() const { return static_cast<Row>(host_.size()); }
  /// Appends the devices of a host's groups and returns the first row. `specs[i]` and `pools[i]`
  /// are the numbers of groups[i]'s spec and pool set.
  Row append(std::uint32_t host, const std::vector<Group>& groups,
             const std::vector<std::uint16_t>& specs, const std::vector<std::uint16_t>& pools);
  /// Removes rows; later rows move down by `count`.
  void remove(Row first, Row count);
  /// Removes all rows but `rows`, which are in order; row rows[i] belongs to hosts[i] from now on.
  void keep(std::span<const Row> rows, std::span<const std::uint32_t> hosts);
  /// The row of device `index` among the rows [first, first + count); rows() if there is none.
  Row find(Row first, Row count, std::uint16_t index) const;

  std::uint32_t host(Row row) const { return host_[row]; }
  std::uint16_t index(Row row) const { return index_[row]; }
  std::uint16_t group(Row row) const { return group_[row]; }
  std::uint16_t spec(Row row) const { return spec_[row]; }
  std::uint16_t pools(Row row) const { return pools_[row]; }
  void set_pools(Row row, std::uint16_t pools) { pools_[row] = pools; }
  double value(Row row, Metric metric) const { return last_[static_cast<int>(metric)][row]; }
  /// When the last sample arrived; Instant::min() before the first.
  Instant arrived(Row row) const { return arrived_[row]; }
  /// Since when its samples report throttling; Instant::min() while it is not throttled.
  Instant throttled_since(Row row) const { return throttled_since_[row]; }

  /// Takes the batch's values; metrics that it lacks become NaN. REQUIRES check(batch) passed.
  void take(Instant now, Row first, Row count, const SampleBatch& batch);

  /// The value on the metric's scale, 0..1; NaN when absent. Power is relative to the device's cap
  /// or, if samples have none, its group's.
  double share(Row row, GaugeMetric gauge_metric) const;
  /// `reading` on the same scale: W for power, C for temperature, else a share already.
  double on_scale(Row row, GaugeMetric gauge_metric, double reading) const;
  /// Bytes of memory per row.
  static std::size_t row_bytes();

 private:
  std::vector<std::uint32_t> host_;
  std::vector<std::uint16_t> index_, group_, spec_, pools_;
  std::vector<double> cap_w_;  // of the group, until samples report a cap
  std::array<std::vector<double>, metric_count> last_;
  std::vector<Instant> arrived_, throttled_since_;
};

}  // namespace drover::tui
