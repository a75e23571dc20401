// Ended attempts that the router has not yet acknowledged as stored: kept, and sent again after
// each Hello.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "agents/execution/attempt.h"
#include "fleet/messages.h"

namespace drover::agents {

// A router that does not store for so long is no router: further work is refused.
inline constexpr std::size_t results_kept_max = 100'000;

class KeptResults {
 public:
  /// The message that tells the router, kept until stored(). `lease_over`: it had to stop because
  /// the router was not heard, which is no fault of the job's or of its place's.
  const Message& keep(const EndedAttempt& ended, Incarnation incarnation, bool lease_over = false);
  /// Forgets it; false when it was not kept.
  bool stored(const AttemptKey& key) { return kept_.erase(key) > 0; }
  const Message* find(const AttemptKey& key) const;
  /// The newest kept attempt of a job.
  std::optional<std::uint32_t> attempt_of(const JobId& job) const;

  bool full() const { return kept_.size() >= results_kept_max; }
  /// In the order of their keys.
  const std::map<AttemptKey, Message>& all() const { return kept_; }

 private:
  std::map<AttemptKey, Message> kept_;
};

}  // namespace drover::agents
