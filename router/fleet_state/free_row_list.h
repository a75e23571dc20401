// Free rows of the device columns, for hosts that register later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace drover::router {

class FreeRowList {
 public:
  /// Frees these rows. REQUIRES that none of them is free already. Adjacent ranges are merged, so
  /// that small hosts free space for large ones.
  void give(std::uint32_t first, std::size_t count);
  /// Takes `count` consecutive rows from the smallest range that is large enough. Returns the
  /// first row; nothing: no range is large enough.
  std::optional<std::uint32_t> take(std::size_t count);
  /// Length of the longest free range.
  std::size_t longest() const;

 private:
  std::map<std::uint32_t, std::size_t> ranges_;  // length by first row
};

}  // namespace drover::router
