// What only grows: over a whole day, restarts of the router included.
#pragma once

#include <map>
#include <string>

#include "look.h"

namespace drover::operations {

class Counters {
 public:
  /// Holds what is told now against the most that was told.
  Complaints take(const Look& look);

 private:
  std::map<std::string, double> most_;
};

}  // namespace drover::operations
