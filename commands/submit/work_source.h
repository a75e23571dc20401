// The interface of a source of work: jobs with their arrival times, one after the other.
#pragma once

#include <optional>

#include "fleet/base/time.h"
#include "fleet/job.h"

namespace drover::commands {

struct Arrival {
  Duration at{};  // fleet time since the start; never decreases
  Job job;
};

class WorkSource {
 public:
  virtual ~WorkSource() = default;
  /// No value at the end.
  virtual std::optional<Arrival> next() = 0;
};

}  // namespace drover::commands
