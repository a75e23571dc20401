// Submits the jobs of a work source to the router, each at its arrival time in fleet time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "commands/connection/session.h"
#include "commands/shell/stop_signals.h"
#include "commands/submit/job_submitter.h"
#include "commands/submit/work_source.h"

namespace drover::commands {

struct FeedingLimits {
  WallSpan stop_after = WallSpan::max();  // wall time after which no job is added
  bool remember_jobs = false;             // fill SubmitStats::jobs
};

struct SubmitStats {
  JobSubmitter::Counts counts;
  std::uint64_t unacknowledged = 0;
  std::uint64_t input_tokens = 0;  // of all submitted jobs
  std::uint64_t output_tokens = 0;
  std::vector<JobId> jobs;      // the jobs that the router has, if they were to be remembered
  std::string connect_refusal;  // why the router refuses the connection at the end
};

/// Submits until the source ends, `stop_after` passes or a signal arrives; then waits until all
/// jobs are acknowledged or ten seconds have passed. The error says why the router rejects the
/// jobs. `connect_refusal` reports meanwhile if the router refuses the connection. `on_refusal`
/// gets the first refused jobs.
Result<SubmitStats> feed(Session& session, WorkSource& source, StopSignals& signals,
                         const FeedingLimits& limits, ConnectRefusalNotice& connect_refusal,
                         const std::function<void(const SubmitResult&)>& on_refusal);

}  // namespace drover::commands
