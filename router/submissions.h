// Jobs that clients submit: accepted once by their id, or refused.
#pragma once

#include <cstdint>
#include <string>

#include "router/dispatch/dispatcher.h"

namespace drover::router {

struct SubmissionsDependencies {
  const Policy& policy;
  const devices::Catalogue& catalogue;
  const JobQueue& queue;
  JobTable& jobs;
  Accounting& accounting;
  OutboxBuilder& outbox;
  Publisher& publisher;
  WaitingJobs& waiting;
  Dispatcher& dispatcher;
};

/// Accepts a job once it is valid, fits and can be written, and lets it wait for its decision.
class Submissions : SubmissionsDependencies {
 public:
  explicit Submissions(const SubmissionsDependencies& uses) : SubmissionsDependencies(uses) {}

  void handle(Instant now, const Caller& caller, const Submit& submit);
  /// Unknown names may be looked up again.
  void tick() { suggestions_left_ = suggestions_per_tick; }

 private:
  SubmitResult submit_one(Instant now, const Job& job, std::uint64_t& after_write);
  SubmitResult refuse(const Job& job, Reason reason, std::string detail);

  /// Unknown model names per tick for which the nearest known one is searched. Each takes up to
  /// half a millisecond; the others get no suggestion.
  static constexpr std::uint32_t suggestions_per_tick = 8;
  std::uint32_t suggestions_left_ = suggestions_per_tick;
};

}  // namespace drover::router
