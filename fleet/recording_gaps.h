// Which messages of a damaged recording are nowhere any more: their places are missing.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fleet/recording.h"

namespace drover::recording {

class PlaceGaps {
 public:
  /// A message that is there. In any order, and more than once.
  void add(std::uint64_t place, Instant arrived);
  /// The highest.
  std::uint64_t last_place() const { return runs_.empty() ? 0 : runs_.rbegin()->second.last; }

  struct Gap {
    std::uint64_t place = 0;  // the first that is missing
    DroppedMessages missing;
  };
  /// In order. Chunks hold places by turns, so gaps that are less than a minute apart are one.
  std::vector<Gap> find(Instant begun) const;

 private:
  struct Run {
    std::uint64_t last = 0;
    Instant first_arrived{};
    Instant last_arrived{};
  };
  std::map<std::uint64_t, Run> runs_;  // by their first place
};

}  // namespace drover::recording
