#include "tui/history/history_ring.h"

#include <algorithm>

#include "fleet/base/result.h"

namespace drover::tui {
namespace {

constexpr std::uint16_t count_most = std::numeric_limits<std::uint16_t>::max();

/// Of the first so many metrics, those that are told by their mean. Sums are kept of these only.
std::size_t means_in(int metrics) {
  std::size_t means = 0;
  for (int metric = 0; metric < metrics; ++metric) {
    means += facts(static_cast<HistoryMetric>(metric)).long_time == Statistic::mean ? 1 : 0;
  }
  return means;
}

/// The greater of two, of which no_point is less than all others: one more than it wraps to zero.
HistoryPoint greater(HistoryPoint a, HistoryPoint b) {
  const auto above = [](HistoryPoint point) { return static_cast<HistoryPoint>(point + 1); };
  return static_cast<HistoryPoint>(std::max(above(a), above(b)) - 1);
}

}  // namespace

HistoryRing::HistoryRing(Keeps keeps, int metrics, int bins, std::size_t devices)
    : keeps_(keeps), metrics_(metrics), bins_(bins), devices_(devices) {
  points_.resize(static_cast<std::size_t>(metrics) * static_cast<std::size_t>(bins) * devices,
                 no_point);
  if (keeps == Keeps::last || bins == 0) return;
  sums_.resize(means_in(metrics) * devices);
  counts_.resize(sums_.size());
}

std::size_t HistoryRing::bytes(Keeps keeps, int metrics, int bins, std::size_t devices) {
  if (bins == 0) return 0;
  std::size_t each =
      static_cast<std::size_t>(metrics) * static_cast<std::size_t>(bins) * sizeof(HistoryPoint);
  if (keeps == Keeps::statistic) {
    each += means_in(metrics) * (sizeof(std::uint32_t) + sizeof(std::uint16_t));
  }
  return each * devices;
}

std::size_t HistoryRing::place(std::int64_t bin, int metric) const {
  const std::int64_t over = bin % bins_;
  const auto slot = static_cast<std::size_t>(over < 0 ? over + bins_ : over);
  return (slot * static_cast<std::size_t>(metrics_) + static_cast<std::size_t>(metric)) * devices_;
}

/// The bin becomes the newest: it and those between are blank.
void HistoryRing::open(std::int64_t bin) {
  const std::size_t size = static_cast<std::size_t>(metrics_) * devices_;
  const std::int64_t first = newest_ == none ? bin : std::max(newest_ + 1, bin - bins_ + 1);
  for (std::int64_t blank = first; blank <= bin; ++blank) {
    std::fill_n(points_.begin() + static_cast<std::ptrdiff_t>(place(blank, 0)), size, no_point);
  }
  std::fill(sums_.begin(), sums_.end(), 0);
  std::fill(counts_.begin(), counts_.end(), 0);
  newest_ = bin;
}

void HistoryRing::add(std::int64_t bin, const HistoryPoints& points,
                      std::span<const std::uint32_t> columns) {
  if (bins_ == 0 || (newest_ != none && bin < newest_)) return;
  if (bin != newest_) open(bin);
  std::size_t mean = 0;
  for (int metric = 0; metric < metrics_; ++metric) {
    HistoryPoint* const kept = &points_[place(bin, metric)];
    const std::span<const HistoryPoint> told = points.of(metric);
    if (keeps_ == Keeps::last) {
      for (std::size_t i = 0; i < told.size(); ++i) kept[columns[i]] = told[i];
    } else if (facts(static_cast<HistoryMetric>(metric)).long_time == Statistic::maximum) {
      for (std::size_t i = 0; i < told.size(); ++i) {
        kept[columns[i]] = greater(kept[columns[i]], told[i]);
      }
    } else {
      std::uint32_t* const sums = &sums_[mean * devices_];
      std::uint16_t* const counts = &counts_[mean * devices_];
      ++mean;
      for (std::size_t i = 0; i < told.size(); ++i) {
        const std::uint32_t column = columns[i];
        // So many whole points are just below what a sum can hold.
        if (told[i] == no_point || counts[column] == count_most) continue;
        sums[column] += told[i];
        ++counts[column];
        kept[column] = static_cast<HistoryPoint>(
            (std::uint64_t{sums[column]} + counts[column] / 2u) / counts[column]);
      }
    }
  }
}

HistoryPoint HistoryRing::at(std::int64_t bin, int metric, std::size_t device) const {
  if (newest_ == none || bin > newest_ || bin <= newest_ - bins_) return no_point;
  return points_[place(bin, metric) + device];
}

HistoryRing HistoryRing::laid_out(Keeps keeps, int metrics, int bins,
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
