// What only grows: over a whole day, restarts of the router included.
#pragma once

#include "tests/commands/consistency/growth.h"
#include "tests/operations/look.h"

namespace drover::operations {

class Counters {
 public:
  /// Holds what is told now against the most that was told.
  Mismatches take(const FleetSnapshot& look);

 private:
  commands::Growth growth_;
};

}  // namespace drover::operations
