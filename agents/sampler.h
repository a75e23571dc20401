// When the host samples its devices: on a grid of fleet time, so that all hosts sample the same
// instants, and never more often than the rate limit allows. Grid points skipped for the limit are
// counted.
#pragma once

#include <cstdint>

#include "fleet/base/time.h"

namespace drover::agents {

class Sampler {
 public:
  /// REQUIRES every > 0.
  Sampler(Duration every, Duration every_min);

  /// Starts at the first grid point after `now`, unless it has started.
  void begin(Instant now);
  /// `never` before begin().
  Instant next_due() const { return next_; }
  /// The sample due now was taken.
  void taken();

  std::uint64_t thinned() const { return thinned_; }

 private:
  Duration every_;
  std::int64_t stride_;  // grid points from one sample to the next
  Instant next_ = never;
  bool first_ = true;
  std::uint64_t thinned_ = 0;
};

}  // namespace drover::agents
