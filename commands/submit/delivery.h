// Jobs on their way to the router: sent in batches, sent again until acknowledged, never lost.
//
// At least once from here, and exactly once there: the router recognises a job by its id. Pure; the
// time given is the shell's own, because patience with a router is no fleet time.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "fleet/messages.h"

namespace drover::commands {

class Delivery {
 public:
  using Moment = std::chrono::nanoseconds;
  /// Unacknowledged for so long: sent again.
  static constexpr Moment patience = std::chrono::seconds(2);
  /// So many may be unacknowledged at once; the others wait here. Covers 30,000 jobs/s at 100 ms.
  static constexpr std::size_t in_flight_max = 4096;

  void add(Job job);
  /// What to send now: new jobs, and those whose patience has ended.
  std::vector<Submit> due(Moment now);
  /// When `due` will have something by itself; Moment::max() when nothing waits.
  Moment next_deadline() const;
  void receive(const SubmitReply& reply);

  struct Counts {
    std::uint64_t given = 0;     // by add
    std::uint64_t accepted = 0;  // anew
    std::uint64_t existed = 0;   // the router had them already
    std::uint64_t refused = 0;   // conflicts too
    std::uint64_t sent_again = 0;
    std::uint64_t acknowledged() const { return accepted + existed + refused; }
  };
  const Counts& counts() const { return counts_; }
  /// Neither acknowledged nor refused yet.
  std::size_t open() const { return waiting_.size() + in_flight_.size(); }
  /// Is told each job that the router has, once.
  std::function<void(JobId)> on_taken;
  /// Is told each refusal.
  std::function<void(const SubmitResult&)> on_refusal;

 private:
  struct Batch {
    Moment again;
    std::vector<JobId> jobs;
  };
  void dispatch(Submit submit, Moment now, std::vector<Submit>& sends);

  std::deque<Job> waiting_;
  std::map<JobId, Job> in_flight_;
  std::deque<Batch> batches_;
  Counts counts_;
};

}  // namespace drover::commands
