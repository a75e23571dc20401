#include "agents/unacknowledged_results.h"

namespace drover::agents {

const Message& UnacknowledgedResults::keep(const EndedAttempt& ended, Incarnation incarnation,
                                           bool lease_over) {
  Message message;
  if (ended.failure) {
    message =
        Failed{ended.key.job, ended.key.attempt, incarnation,       *ended.failure, ended.detail,
               ended.usage,   ended.steps_done,  ended.steps_saved, lease_over};
  } else {
    message = Finished{ended.key.job, ended.key.attempt, incarnation, ended.usage, ended.outcome};
  }
  return kept_.insert_or_assign(ended.key, std::move(message)).first->second;
}

const Message* UnacknowledgedResults::find(const AttemptKey& key) const {
  const auto found = kept_.find(key);
  return found == kept_.end() ? nullptr : &found->second;
}

std::optional<std::uint32_t> UnacknowledgedResults::attempt_of(const JobId& job) const {
  std::optional<std::uint32_t> newest;
  for (auto next = kept_.lower_bound(AttemptKey{job, 0});
       next != kept_.end() && next->first.job == job; ++next) {
    newest = next->first.attempt;
  }
  return newest;
}

}  // namespace drover::agents
