// What only grows: over a whole day, restarts of the router included.
#pragma once

#include "tests/commands/surfaces/surfaces_growth.h"
#include "tests/operations/look.h"

namespace drover::operations {

class Counters {
 public:
  /// Holds what is told now against the most that was told.
  Complaints take(const Look& look);

 private:
  commands::Growth growth_;
};

}  // namespace drover::operations
