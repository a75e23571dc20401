// The last decisions, by number, for `why` and for snapshots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "fleet/decision.h"

namespace drover::router {

class DecisionLog {
 public:
  explicit DecisionLog(std::size_t kept) : kept_(kept > 0 ? kept : 1) {}

  /// Numbers the decision (from 1) and keeps it; the reference holds until the next call.
  const Decision& add(Decision decision);
  /// Null when it is no longer kept.
  const Decision* find(std::uint64_t number) const;
  /// At most so many, oldest first.
  std::vector<const Decision*> last(std::size_t count) const;
  /// The job of the last decision that sent a job somewhere by a fallback; empty when there was
  /// none.
  const JobId& last_fallback() const { return last_fallback_; }

 private:
  std::size_t kept_;
  std::uint64_t next_number_ = 1;
  JobId last_fallback_;
  std::deque<Decision> decisions_;
};

}  // namespace drover::router
