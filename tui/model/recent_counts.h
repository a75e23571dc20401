// How often something happened lately, in bins of equal width that are numbered from the beginning
// of fleet time. What is older than so many bins is forgotten, by itself.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace drover::tui {

class RecentCounts {
 public:
  static constexpr std::int64_t bins = 13;

  /// What belongs before the last so many bins comes too late and is left out.
  void add(std::int64_t bin) {
    Bin& place = bins_[static_cast<std::size_t>((bin % bins + bins) % bins)];
    if (place.number < bin) place = {bin, 0};
    if (place.number == bin) ++place.count;
  }

  /// In the bins from `first` to `last`, both of them.
  std::uint64_t sum(std::int64_t first, std::int64_t last) const {
    std::uint64_t sum = 0;
    for (const Bin& bin : bins_) {
      if (bin.number >= first && bin.number <= last) sum += bin.count;
    }
    return sum;
  }

 private:
  struct Bin {
    std::int64_t number = std::numeric_limits<std::int64_t>::min();
    std::uint32_t count = 0;
  };
  std::array<Bin, bins> bins_{};
};

}  // namespace drover::tui
