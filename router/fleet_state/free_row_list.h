// Free rows of the device columns, for hosts that register later.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

#include "fleet/base/result.h"

namespace drover::router {

class FreeRowList {
 public:
  /// Frees these rows. REQUIRES that none of them is free already. Adjacent ranges are merged, so
  /// that small hosts free space for large ones.
  void give(std::uint32_t first, std::size_t count) {
    if (count == 0) return;
    const auto next = ranges_.lower_bound(first);
    DROVER_REQUIRE(next == ranges_.end() || first + count <= next->first);
    if (next != ranges_.end() && first + count == next->first) {
      count += next->second;
      ranges_.erase(next);
    }
    const auto behind = ranges_.lower_bound(first);
    if (behind != ranges_.begin()) {
      const auto before = std::prev(behind);
      DROVER_REQUIRE(before->first + before->second <= first);
      if (before->first + before->second == first) {
        before->second += count;
        return;
      }
    }
    ranges_.emplace(first, count);
  }
  /// Takes `count` consecutive rows from the smallest range that is large enough. Returns the
  /// first row; nothing: no range is large enough.
  std::optional<std::uint32_t> take(std::size_t count) {
    auto best = ranges_.end();
    for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
      if (range->second < count) continue;
      if (best == ranges_.end() || range->second < best->second) best = range;
    }
    if (best == ranges_.end()) return std::nullopt;
    const auto [first, length] = *best;
    ranges_.erase(best);
    if (length > count) ranges_.emplace(first + static_cast<std::uint32_t>(count), length - count);
    return first;
  }
  /// Length of the longest free range.
  std::size_t longest() const {
    std::size_t longest = 0;
    for (const auto& [first, length] : ranges_) longest = std::max(longest, length);
    return longest;
  }

 private:
  std::map<std::uint32_t, std::size_t> ranges_;  // length by first row
};

}  // namespace drover::router
