// One rung of the history of one host: a ring of bins of equal width. Bins are numbered from the
// beginning of fleet time, so each place of the ring knows which one it holds: the newest, or the
// one that lies as many bins before it as the place lies behind.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tui/history/history_metrics.h"

namespace drover::tui {

class HistoryRing {
 public:
  /// What a bin holds of the values that came in it: the last one, or a statistic of all.
  enum class Keeps : std::uint8_t { last, statistic };

  HistoryRing() = default;  // of no bins: keeps nothing
  HistoryRing(Keeps keeps, int metrics, int bins, std::size_t devices);

  /// What it takes in memory, before it is taken.
  static std::size_t bytes(Keeps keeps, int metrics, int bins, std::size_t devices);

  /// The values of a batch in a bin, of which `columns[i]` is the place of the batch's row i. What
  /// belongs to a bin before the newest comes too late and is left out.
  void add(std::int64_t bin, const HistoryPoints& points, std::span<const std::uint32_t> columns);
  /// no_point for a bin in which nothing came, is no longer kept, or has not come.
  HistoryPoint at(std::int64_t bin, int metric, std::size_t device) const;

  int bins() const { return bins_; }
  /// REQUIRES that something came.
  std::int64_t newest() const { return newest_; }
  bool empty() const { return newest_ == none; }

  /// The same with other numbers of bins, metrics (the first ones) or devices: its place i is the
  /// place from[i] here, no_place for a new one. The newest bins stay, as many as fit.
  static constexpr std::uint32_t no_place = std::numeric_limits<std::uint32_t>::max();
  HistoryRing laid_out(Keeps keeps, int metrics, int bins,
                       std::span<const std::uint32_t> from) const;

 private:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
  std::size_t place(std::int64_t bin, int metric) const;
  void open(std::int64_t bin);

  Keeps keeps_ = Keeps::last;
  int metrics_ = 0;
  int bins_ = 0;
  std::size_t devices_ = 0;
  std::int64_t newest_ = none;
  std::vector<HistoryPoint> points_;   // [bin][metric][device]
  std::vector<std::uint32_t> sums_;    // of the newest bin's points: [metric of a mean][device]
  std::vector<std::uint16_t> counts_;  // and how many these are
};

}  // namespace drover::tui
