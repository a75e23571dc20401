// Where work comes from: jobs with their arrival times, one after the other.
#pragma once

#include <optional>

#include "fleet/base/time.h"
#include "fleet/job.h"

namespace drover::commands {

struct Arrival {
  Duration at{};  // fleet time after the start of feeding; never less than the one before
  Job job;
};

class WorkSource {
 public:
  virtual ~WorkSource() = default;
  /// Nothing: there is no more.
  virtual std::optional<Arrival> next() = 0;
};

}  // namespace drover::commands
