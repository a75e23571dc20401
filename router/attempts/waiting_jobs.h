// Open jobs without an attempt: their class and rule, their place in the queue, their deadlines,
// and when a failed job may be tried again.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "devices/catalogue/catalogue.h"
#include "router/health/retry_budget.h"
#include "router/health/timing.h"
#include "router/jobs/queue.h"

namespace drover::router {

struct WaitingJobsDependencies {
  const RouterTiming& settings;
  const Policy& policy;
  const devices::Catalogue& catalogue;
  const JobTable& jobs;
  JobQueue& queue;
  FairShare& tenants;
};

/// Decides nothing about a job: it says which ones may be decided, and which ones are late.
class WaitingJobs : WaitingJobsDependencies {
 public:
  explicit WaitingJobs(const WaitingJobsDependencies& uses) : WaitingJobsDependencies(uses) {}

  /// Sets the job's class and rule by the policy in force.
  void set_class(JobRecord& record) const;
  /// The same for every waiting job, after a policy change.
  void renew_classes();
  void add(JobRecord& record);
  /// Does nothing if it does not wait.
  void remove(JobRecord& record);

  /// The job has been accepted, or has ended: its deadline counts from, or until then.
  void watch_deadline(JobRecord& record);
  void forget_deadline(const JobRecord& record) {
    deadlines_.erase({record.deadline(), record.number});
  }
  /// The next job that waited until its deadline; null: none.
  JobRecord* take_late(Instant now);

  /// When the retry budget allows the job: `now`, or later.
  Instant retry_allowed_at(Instant now, const JobRecord& record) {
    return retry_allowed_at(now, record, retries_);
  }
  /// The same, for a query.
  Instant retry_would_be_allowed_at(Instant now, const JobRecord& record) const {
    RetryLog log = retries_;  // reading it drops expired entries
    return retry_allowed_at(now, record, log);
  }
  void retry_began(Instant now) { retries_.began(now); }
  /// Wakes the waiting jobs of this model then.
  void wake_at(Instant until, const std::string& model) { back_offs_.emplace(until, model); }
  void end_back_offs(Instant now);

  /// When a job is late, or a back-off ends.
  Instant next_deadline() const;

  /// The run ends: no new job is accepted, and no failed one is tried again.
  void close() { closed_ = true; }
  bool closed() const { return closed_; }

 private:
  Instant retry_allowed_at(Instant now, const JobRecord& record, RetryLog& log) const;

  std::map<std::pair<Instant, std::uint64_t>, JobRecord*> deadlines_;  // of open jobs
  RetryLog retries_;
  /// Ends of back-offs and of waits for the retry budget, by model of the waiting jobs.
  std::set<std::pair<Instant, std::string>> back_offs_;
  bool closed_ = false;
};

}  // namespace drover::router
