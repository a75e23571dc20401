// How many jobs of a class have met and missed its target lately, in bins of fleet time.
#pragma once

#include <array>
#include <cstdint>

#include "fleet/base/time.h"
#include "fleet/summary.h"

namespace drover::router {

class RecentOutcomes {
 public:
  void add(Instant now, bool missed) {
    Bin& bin = bins_[slot_of(number_of(now))];
    if (bin.number != number_of(now)) bin = {number_of(now), 0, 0};
    ++bin.judged;
    if (missed) ++bin.missed;
  }

  /// Over the last `window`, which is at most an hour. The bin of `now` has only begun, so up to a
  /// bin's length is missing.
  ClassOutcomes within(Instant now, Duration window) const {
    ClassOutcomes sum;
    const std::int64_t after = number_of(now) - window / bin_length;
    for (const Bin& bin : bins_) {
      if (bin.number <= after || bin.number > number_of(now)) continue;
      sum.judged += bin.judged;
      sum.missed += bin.missed;
    }
    return sum;
  }

 private:
  static constexpr Duration bin_length = std::chrono::seconds(15);
  static constexpr std::size_t bin_count = std::chrono::hours(1) / bin_length;

  struct Bin {
    std::int64_t number = -1;
    std::uint32_t judged = 0, missed = 0;
  };

  static std::int64_t number_of(Instant at) { return at.time_since_epoch() / bin_length; }
  static std::size_t slot_of(std::int64_t number) {
    return static_cast<std::size_t>(number % static_cast<std::int64_t>(bin_count));
  }

  std::array<Bin, bin_count> bins_;
};

}  // namespace drover::router
