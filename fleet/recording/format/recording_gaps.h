// Which messages of a damaged recording are nowhere any more: their places are missing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "fleet/recording/format/recording.h"

namespace drover::recording {

class PlaceGaps {
 public:
  /// A message that is there. In any order, and more than once.
  void add(std::uint64_t place, Instant arrived);
  bool contains(std::uint64_t place);
  /// The highest.
  std::uint64_t last_place();
  /// When that message arrived. REQUIRES one.
  Instant last_arrived();

  struct Gap {
    std::uint64_t place = 0;  // the first that is missing
    std::uint64_t last = 0;   // the last
    DroppedMessages missing;
  };
  /// A message that is known to have been, whether it is there or not: the last one.
  struct End {
    std::uint64_t place = 0;
    Instant arrived{};
  };
  /// In order. Chunks hold places by turns, so gaps that are no more than `near` apart are one.
  std::vector<Gap> find(Instant begun, Duration near, std::optional<End> end = {});

 private:
  struct Run {
    std::uint64_t last = 0;
    Instant first_arrived{};
    Instant last_arrived{};
  };
  void sort_in();
  void add_run(std::uint64_t first, const Run& run);

  std::map<std::uint64_t, Run> runs_;                      // by their first place
  std::vector<std::pair<std::uint64_t, Instant>> recent_;  // not yet in them: sorted together
};

}  // namespace drover::recording
