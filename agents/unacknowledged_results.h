// Ended attempts whose storage the router has not yet acknowledged. They are kept, and sent again
// after each Register.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "agents/execution/attempt.h"
#include "fleet/messages.h"

namespace drover::agents {

// Beyond this number, further work is refused: the router is not storing results.
inline constexpr std::size_t unacknowledged_results_max = 100'000;

class UnacknowledgedResults {
 public:
  /// Returns the message that reports the end, kept until stored(). `lease_over`: the attempt
  /// stopped because the router was silent, which is no fault of the job or its placement.
  const Message& keep(const EndedAttempt& ended, Incarnation incarnation, bool lease_over = false);
  /// Drops the result; false: it was not kept.
  bool stored(const AttemptKey& key) { return kept_.erase(key) > 0; }
  const Message* find(const AttemptKey& key) const;
  /// The newest kept attempt of a job.
  std::optional<std::uint32_t> attempt_of(const JobId& job) const;

  bool full() const { return kept_.size() >= unacknowledged_results_max; }
  /// In key order.
  const std::map<AttemptKey, Message>& all() const { return kept_; }

 private:
  std::map<AttemptKey, Message> kept_;
};

}  // namespace drover::agents
