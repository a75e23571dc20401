// Rows of the devices' columns that no host has any more, for hosts to come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace drover::router {

class SpareRows {
 public:
  /// These rows are nobody's any more. REQUIRES that none of them is spare already.
  /// Neighbours become one range, so that small hosts leave room for large ones.
  void give(std::uint32_t first, std::size_t count);
  /// The first of so many rows side by side, which are spare no more; none: no range has as many.
  /// The smallest range that is large enough is taken from.
  std::optional<std::uint32_t> take(std::size_t count);
  /// How many rows side by side can be taken at most.
  std::size_t longest() const;

 private:
  std::map<std::uint32_t, std::size_t> ranges_;  // length by first row
};

}  // namespace drover::router
