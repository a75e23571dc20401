// Feeds a source of work to the router at its own pace in fleet time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "commands/connection/barred_notice.h"
#include "commands/connection/session.h"
#include "commands/shell/stop_signals.h"
#include "commands/submit/delivery.h"
#include "commands/submit/work_source.h"

namespace drover::commands {

struct FeedingLimits {
  Wall stop_after = Wall::max();                       // wall time; then nothing more is taken
  Wall acknowledge_within = std::chrono::seconds(10);  // after the last one
  bool remember_jobs = false;                          // answer their ids
};

struct Fed {
  Delivery::Counts counts;
  std::uint64_t unacknowledged = 0;
  std::uint64_t input_tokens = 0;  // of all that was given
  std::uint64_t output_tokens = 0;
  std::vector<JobId> jobs;  // those that the router has, when they were to be remembered
  bool stopped = false;     // by a signal
  std::string problem;      // why the router takes nothing from us, in its words
  std::string shut_out;     // why it does not let us in at the end
};

/// Runs until the source ends, a limit is reached, a signal comes or the router objects, and then
/// until all is acknowledged or patience ends. Meanwhile `barred` tells when the router shuts us
/// out.
Fed feed(Session& session, WorkSource& source, StopSignals& signals, const FeedingLimits& limits,
         BarredNotice& barred, std::function<void(const SubmitResult&)> on_refusal);

}  // namespace drover::commands
