// Sends jobs to the router in batches, and again until they are acknowledged, so that none is lost.
//
// Each job is sent at least once and accepted exactly once: the router recognises its id. Pure. The
// time is wall time, because the retry interval does not depend on fleet time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "commands/shell/clock.h"
#include "fleet/messages.h"

namespace drover::commands {

/// Whether the router has the job.
inline bool is_taken(SubmitStatus status) {
  return status == SubmitStatus::accepted || status == SubmitStatus::exists;
}

class JobSubmitter {
 public:
  /// A job that is unacknowledged for this long is sent again.
  static constexpr WallSpan retry_after = std::chrono::seconds(2);
  /// At most this many jobs are unacknowledged at once; the others wait here. Enough for 30,000
  /// jobs/s at a latency of 100 ms.
  static constexpr std::size_t in_flight_max = 4096;

  void add(Job job);
  /// The messages to send now: new jobs, and jobs that are due for a retry.
  std::vector<Submit> due(WallTime now);
  /// The time of the next retry; WallTime::max() if nothing is in flight.
  WallTime next_deadline() const;
  void receive(const SubmitReply& reply);

  struct Counts {
    std::uint64_t given = 0;     // by add
    std::uint64_t accepted = 0;  // new to the router
    std::uint64_t existed = 0;   // the router had them already
    std::uint64_t refused = 0;   // including conflicts
    std::uint64_t sent_again = 0;
  };
  const Counts& counts() const { return counts_; }
  /// Neither acknowledged nor refused yet.
  std::size_t open() const { return waiting_.size() + in_flight_.size(); }
  /// Called once for each job that the router has.
  std::function<void(JobId)> on_accepted;
  /// Called for each refusal.
  std::function<void(const SubmitResult&)> on_refusal;

 private:
  struct Batch {
    WallTime again;
    std::vector<JobId> jobs;
  };
  void dispatch(Submit submit, WallTime now, std::vector<Submit>& sends);

  std::deque<Job> waiting_;
  std::map<JobId, Job> in_flight_;
  std::deque<Batch> batches_;
  Counts counts_;
};

}  // namespace drover::commands
