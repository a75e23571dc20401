// What we know of every device now, column by column: the last value of each metric. One row per
// device; a host's rows lie together.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/sample/sample.h"

namespace drover::tui {

/// Metrics on a scale from 0 to 1, as bars and the sparklines beside them show them.
enum class Shade : std::uint8_t { utilization, memory, power, temperature };

/// Whether throttle reasons, as Metric::throttle tells them, hold a device's clock down. Idleness
/// slows nobody's work; what is not known holds nothing down.
bool is_slowed(double throttle);

class DeviceTable {
 public:
  using Row = std::uint32_t;

  Row rows() const { return static_cast<Row>(host_.size()); }
  /// Appends the devices of a host's groups; answers the first row. `specs[i]` and `pools[i]` are
  /// the numbers of groups[i]'s spec and of the set of its pools.
  Row append(std::uint32_t host, const std::vector<Group>& groups,
             const std::vector<std::uint16_t>& specs, const std::vector<std::uint16_t>& pools);
  /// Removes rows; later rows move down by `count`.
  void remove(Row first, Row count);
  /// Removes all rows but these, which are in order, and says whose each of them is now.
  void keep(std::span<const Row> rows, std::span<const std::uint32_t> hosts);
  /// Where `index` is a device of the rows [first, first + count): its row, else rows().
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
  /// Since when, as far as its samples tell, something holds its clock down; Instant::min() while
  /// nothing does.
  Instant slowed_since(Row row) const { return slowed_since_[row]; }

  /// NaN where the batch says nothing. REQUIRES check(batch) passed.
  void take(Instant now, Row first, Row count, const SampleBatch& batch);

  /// On the shade's scale, 0..1; NaN when absent. Power against its cap, or the group's.
  double share(Row row, Shade shade) const;
  /// Where another value of the shade's metric stands on that scale: W, C, or a share already.
  double on_scale(Row row, Shade shade, double value) const;
  /// What a row takes in memory.
  static std::size_t row_bytes();

 private:
  std::vector<std::uint32_t> host_;
  std::vector<std::uint16_t> index_, group_, spec_, pools_;
  std::vector<double> cap_w_;  // of the group, while samples do not tell
  std::array<std::vector<double>, metric_count> last_;
  std::vector<Instant> arrived_, slowed_since_;
};

}  // namespace drover::tui
