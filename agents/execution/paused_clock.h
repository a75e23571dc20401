// The clock of work that is paused while its devices hang: it stops, and then continues where it
// was.
#pragma once

#include <optional>

#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover::agents {

class PausedClock {
 public:
  bool is_paused() const { return since_.has_value(); }
  /// The work's own time.
  Instant own(Instant now) const { return since_.value_or(now); }

  /// REQUIRES !is_paused().
  void begin(Instant now) {
    DROVER_REQUIRE(!is_paused());
    since_ = now;
  }
  /// Ends the pause and returns its length, by which everything is later. REQUIRES is_paused().
  Duration end(Instant now) {
    DROVER_REQUIRE(is_paused());
    const Duration lost = now - *since_;
    since_.reset();
    return lost;
  }

 private:
  std::optional<Instant> since_;
};

}  // namespace drover::agents
