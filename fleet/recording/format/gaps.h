// Finds the lost messages of a damaged recording by their missing ordinals.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "fleet/recording/format/recording.h"

namespace drover::recording {

class OrdinalGaps {
 public:
  /// Adds a message that is present. In any order; repetitions are allowed.
  void add(std::uint64_t ordinal, Instant arrived);
  bool contains(std::uint64_t ordinal);
  /// The highest ordinal.
  std::uint64_t last_ordinal();
  /// Arrival of the message with the highest ordinal. REQUIRES one.
  Instant last_arrived();

  struct Gap {
    std::uint64_t ordinal = 0;  // the first missing one
    std::uint64_t last = 0;     // the last missing one
    DroppedMessages missing;
  };
  /// The last message that is known to have existed, present or not.
  struct End {
    std::uint64_t ordinal = 0;
    Instant arrived{};
  };
  /// The gaps in order. Ordinals of chunks interleave, so gaps at most `near` apart are merged.
  std::vector<Gap> find(Instant begun, Duration near, std::optional<End> end = {});

 private:
  struct Run {
    std::uint64_t last = 0;
    Instant first_arrived{};
    Instant last_arrived{};
  };
  void sort_in();
  void add_run(std::uint64_t first, const Run& run);

  std::map<std::uint64_t, Run> runs_;                      // by their first ordinal
  std::vector<std::pair<std::uint64_t, Instant>> recent_;  // not yet merged into `runs_`
};

}  // namespace drover::recording
