// Counts recent events in bins of equal width, numbered from the beginning of fleet time. Newer
// bins overwrite those that are older than `bins`.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace drover::tui {

class SlidingWindowCounter {
 public:
  static constexpr std::int64_t bins = 13;

  /// Counts an event. Events older than the last `bins` bins are ignored.
  void add(std::int64_t bin) {
    Bin& slot = bins_[static_cast<std::size_t>((bin % bins + bins) % bins)];
    if (slot.number < bin) slot = {bin, 0};
    if (slot.number == bin) ++slot.count;
  }

  /// The count in the bins from `first` to `last`, both included.
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
