// One resolution of the history of one host: a ring of bins of equal width. Bins are numbered from
// the beginning of fleet time, so the position in the ring determines the bin's number: the ring
// has the newest bin and the `bins - 1` before it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tui/history/history_metrics.h"

namespace drover::tui {

class HistoryRing {
 public:
  /// What a bin keeps of the values in it: the last one, or a statistic of all.
  enum class BinContent : std::uint8_t { last, statistic };

  HistoryRing() = default;  // without bins: keeps nothing
  HistoryRing(BinContent keeps, int metrics, int bins, std::size_t devices);

  /// The memory that such a ring takes.
  static std::size_t bytes(BinContent keeps, int metrics, int bins, std::size_t devices);

  /// Adds a batch to a bin; columns[i] is the ring's column of the batch's row i. A batch for a bin
  /// before the newest is late and ignored.
  void add(std::int64_t bin, const QuantizedBatch& points, std::span<const std::uint32_t> columns);
  /// quantized_absent for a bin that is empty, no longer kept, or in the future.
  QuantizedValue at(std::int64_t bin, int metric, std::size_t device) const;

  int bins() const { return bins_; }
  /// REQUIRES !empty().
  std::int64_t newest() const { return newest_; }
  bool empty() const { return newest_ == none; }

  /// A copy with another number of bins, metrics (the first ones) or devices: its column i is the
  /// column from[i] here, or new if that is no_place. The newest bins that fit are kept.
  static constexpr std::uint32_t no_place = std::numeric_limits<std::uint32_t>::max();
  HistoryRing resized(BinContent keeps, int metrics, int bins,
                      std::span<const std::uint32_t> from) const;

 private:
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
  std::size_t place(std::int64_t bin, int metric) const;
  void open(std::int64_t bin);

  BinContent keeps_ = BinContent::last;
  int metrics_ = 0;
  int bins_ = 0;
  std::size_t devices_ = 0;
  std::int64_t newest_ = none;
  std::vector<QuantizedValue> points_;  // [bin][metric][device]
  std::vector<std::uint32_t> sums_;     // of the newest bin: [metric with a mean][device]
  std::vector<std::uint16_t> counts_;   // the number of values in each sum
};

}  // namespace drover::tui
