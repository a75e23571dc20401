// How many jobs of a class have met and missed its target lately, in bins of fleet time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "fleet/base/time.h"
#include "fleet/summary.h"

namespace drover::router {

class RecentOutcomes {
 public:
  /// A time of up to an hour before the newest one is counted where it belongs. With one further
  /// back, the clock was set: the count starts again.
  void add(Instant now, bool missed) {
    const std::int64_t number = number_of(now);
    if (newest_ && number <= *newest_ - bin_count) *this = {};
    newest_ = std::max(newest_.value_or(number), number);
    Bin& bin = bins_[slot_of(number)];
    if (bin.number != number) bin = {number, 0, 0};
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
  static constexpr std::int64_t bin_count = std::chrono::hours(1) / bin_length;

  struct Bin {
    std::int64_t number = 0;
    std::uint32_t judged = 0, missed = 0;
  };

  /// Rounds down, also before 1970.
  static std::int64_t number_of(Instant at) {
    const Duration since = at.time_since_epoch();
    return since / bin_length - (since % bin_length < Duration{} ? 1 : 0);
  }
  static std::size_t slot_of(std::int64_t number) {
    return static_cast<std::size_t>((number % bin_count + bin_count) % bin_count);
  }

  std::array<Bin, bin_count> bins_;
  std::optional<std::int64_t> newest_;  // the number of a bin
};

}  // namespace drover::router
