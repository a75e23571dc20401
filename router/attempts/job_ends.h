// The only code that ends jobs, or lets one wait again after an attempt.
#pragma once

#include <cstdint>
#include <string>

#include "router/attempts/outlier_reporting.h"
#include "router/attempts/reserved_devices.h"
#include "router/attempts/waiting_jobs.h"
#include "router/decision/failback.h"
#include "router/jobs/accounting.h"

namespace drover::router {

struct JobEndsDependencies {
  const RouterTiming& settings;
  const Policy& policy;
  const PreemptionTable& preemptions;
  FleetState& fleet_state;
  Estimator& estimator;
  JobTable& jobs;
  JobQueue& queue;
  FairShare& tenants;
  FailbackTable& failbacks;
  Accounting& accounting;
  OutboxBuilder& outbox;
  Publisher& publisher;
  OutlierReporting& outliers;
  ReservedDevices& reserved;
  WaitingJobs& waiting;
};

/// Writes the end of an attempt, releases what it held, accounts for it, and publishes the job.
/// Each function returns the write.
class JobEnds : JobEndsDependencies {
 public:
  explicit JobEnds(const JobEndsDependencies& uses) : JobEndsDependencies(uses) {}

  /// Every member has finished.
  std::uint64_t finish(Instant now, JobRecord& record, const Finished& finished);
  /// The attempt failed: requeues the job, or fails it after the last attempt.
  std::uint64_t requeue(Instant now, JobRecord& record, Failed failed);
  /// Fails the job for good.
  std::uint64_t fail(Instant now, JobRecord& record, Failed failed);
  std::uint64_t fail(Instant now, JobRecord& record, Reason reason, std::string detail);
  /// Fails jobs that have waited too long.
  void expire(Instant now);

 private:
  /// The attempt is over: releases its reservation and its hosts, and wakes waiting jobs.
  void release(JobRecord& record, bool finished = false);
  /// When the failed attempt may be repeated in the same place.
  Instant retry_time(Instant now, std::uint32_t attempts) const;
  void close_job(Instant now, JobRecord& record, JobState state, std::uint64_t write);
};

}  // namespace drover::router
