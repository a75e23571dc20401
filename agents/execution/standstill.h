// Work that stands still while its devices hang: its own time stops, and goes on where it was.
#pragma once

#include <optional>

#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover::agents {

class Standstill {
 public:
  bool holds() const { return since_.has_value(); }
  /// What time it is for the work.
  Instant own(Instant now) const { return since_.value_or(now); }

  /// REQUIRES !holds().
  void begin(Instant now) {
    DROVER_REQUIRE(!holds());
    since_ = now;
  }
  /// Ends; answers how much later everything is now. REQUIRES holds().
  Duration end(Instant now) {
    DROVER_REQUIRE(holds());
    const Duration lost = now - *since_;
    since_.reset();
    return lost;
  }

 private:
  std::optional<Instant> since_;
};

}  // namespace drover::agents
