#include "tui/history/history_ring.h"

#include <algorithm>

#include "fleet/base/result.h"

namespace drover::tui {
namespace {

constexpr std::uint16_t count_max = std::numeric_limits<std::uint16_t>::max();

/// The number of the first `metrics` metrics that use the mean. Only these have sums.
std::size_t means_in(int metrics) {
  std::size_t means = 0;
  for (int metric = 0; metric < metrics; ++metric) {
    means +=
        facts(static_cast<HistoryMetric>(metric)).long_bin_statistic == Statistic::mean ? 1 : 0;
  }
  return means;
}

/// The greater of two values. quantized_absent counts as the least: adding one wraps it to zero.
QuantizedValue greater(QuantizedValue a, QuantizedValue b) {
  const auto above = [](QuantizedValue point) { return static_cast<QuantizedValue>(point + 1); };
  return static_cast<QuantizedValue>(std::max(above(a), above(b)) - 1);
}

}  // namespace

HistoryRing::HistoryRing(BinContent keeps, int metrics, int bins, std::size_t devices)
    : keeps_(keeps), metrics_(metrics), bins_(bins), devices_(devices) {
  points_.resize(static_cast<std::size_t>(metrics) * static_cast<std::size_t>(bins) * devices,
                 quantized_absent);
  if (keeps == BinContent::last || bins == 0) return;
  sums_.resize(means_in(metrics) * devices);
  counts_.resize(sums_.size());
}

std::size_t HistoryRing::bytes(BinContent keeps, int metrics, int bins, std::size_t devices) {
  if (bins == 0) return 0;
  std::size_t each =
      static_cast<std::size_t>(metrics) * static_cast<std::size_t>(bins) * sizeof(QuantizedValue);
  if (keeps == BinContent::statistic) {
    each += means_in(metrics) * (sizeof(std::uint32_t) + sizeof(std::uint16_t));
  }
  return each * devices;
}

std::size_t HistoryRing::place(std::int64_t bin, int metric) const {
  const std::int64_t over = bin % bins_;
  const auto slot = static_cast<std::size_t>(over < 0 ? over + bins_ : over);
  return (slot * static_cast<std::size_t>(metrics_) + static_cast<std::size_t>(metric)) * devices_;
}

/// Makes the bin the newest and clears it and the bins in between.
void HistoryRing::open(std::int64_t bin) {
  const std::size_t size = static_cast<std::size_t>(metrics_) * devices_;
  const std::int64_t first = newest_ == none ? bin : std::max(newest_ + 1, bin - bins_ + 1);
  for (std::int64_t blank = first; blank <= bin; ++blank) {
    std::fill_n(points_.begin() + static_cast<std::ptrdiff_t>(place(blank, 0)), size,
                quantized_absent);
  }
  std::fill(sums_.begin(), sums_.end(), 0);
  std::fill(counts_.begin(), counts_.end(), 0);
  newest_ = bin;
}

void HistoryRing::add(std::int64_t bin, const QuantizedBatch& points,
                      std::span<const std::uint32_t> columns) {
  if (bins_ == 0 || (newest_ != none && bin < newest_)) return;
  if (bin != newest_) open(bin);
  std::size_t mean = 0;
  for (int metric = 0; metric < metrics_; ++metric) {
    QuantizedValue* const kept = &points_[place(bin, metric)];
    const std::span<const QuantizedValue> values = points.of(metric);
    if (keeps_ == BinContent::last) {
      for (std::size_t i = 0; i < values.size(); ++i) kept[columns[i]] = values[i];
    } else if (facts(static_cast<HistoryMetric>(metric)).long_bin_statistic == Statistic::maximum) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        kept[columns[i]] = greater(kept[columns[i]], values[i]);
      }
    } else {
      std::uint32_t* const sums = &sums_[mean * devices_];
      std::uint16_t* const counts = &counts_[mean * devices_];
      ++mean;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint32_t column = columns[i];
        // count_max values just fit into a sum.
        if (values[i] == quantized_absent || counts[column] == count_max) continue;
        sums[column] += values[i];
        ++counts[column];
        kept[column] = static_cast<QuantizedValue>(
            (std::uint64_t{sums[column]} + counts[column] / 2u) / counts[column]);
      }
    }
  }
}

QuantizedValue HistoryRing::at(std::int64_t bin, int metric, std::size_t device) const {
  if (newest_ == none || bin > newest_ || bin <= newest_ - bins_) return quantized_absent;
  return points_[place(bin, metric) + device];
}

HistoryRing HistoryRing::resized(BinContent keeps, int metrics, int bins,
                                 std::span<const std::uint32_t> from) const {
  DROVER_REQUIRE(metrics <= metrics_ || empty());
  HistoryRing ring(keeps, metrics, bins, from.size());
  if (empty() || bins == 0) return ring;
  ring.newest_ = newest_;
  for (std::int64_t bin = newest_ - std::min(bins, bins_) + 1; bin <= newest_; ++bin) {
    for (int metric = 0; metric < metrics; ++metric) {
      const std::size_t row = ring.place(bin, metric);
      for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] != no_place) ring.points_[row + i] = at(bin, metric, from[i]);
      }
    }
  }
  if (sums_.empty()) return ring;
  for (std::size_t mean = 0; mean < means_in(metrics); ++mean) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i] == no_place || ring.sums_.empty()) continue;
      ring.sums_[mean * from.size() + i] = sums_[mean * devices_ + from[i]];
      ring.counts_[mean * from.size() + i] = counts_[mean * devices_ + from[i]];
    }
  }
  return ring;
}

}  // namespace drover::tui
