// A study: recorded work on a fleet under one policy, as one row of a table.
//
// The whole system runs (agents, router, codec, ledger) under the virtual clock, at the pace of a
// fleet with `--speed`: heartbeats, leases and waits of the wall are multiplied, so that months of
// fleet time take seconds. Nothing fails by itself; who wants faults runs a Scenario.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agents/agent.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/time.h"
#include "fleet/job.h"
#include "fleet/reason.h"
#include "router/policy/policy.h"
#include "simulator/scenario.h"

namespace drover::simulator {

struct Study {
  std::vector<agents::AgentSettings> hosts;
  router::Policy policy;
  std::vector<Arrival> arrivals;
  std::uint64_t seed = 1;
  /// Of the fleet, as `drover router --speed`: a heartbeat is so many fleet seconds. Hosts send
  /// their samples as often.
  double speed = 3600;
  /// Jobs that are not done so long after the last arrival are counted as not completed.
  Duration patience = std::chrono::hours(24 * 365);
};

/// Mean and quantiles of spans, s. A quantile is the smallest value that so many reach.
struct Spans {
  double mean_s = 0, p50_s = 0, p99_s = 0, max_s = 0;
  bool operator==(const Spans&) const = default;
};
Spans spans_of(std::vector<double> values_s);

struct StudyResult {
  std::uint64_t jobs = 0;
  std::uint64_t completed = 0;
  std::map<Reason, std::uint64_t> failures;
  double makespan_s = 0;  // from the first arrival to the last end
  Spans completion;       // JCT: submission to end, of completed jobs
  Spans queueing;         // submission to the start of the attempt that completed
  Usage charged, wasted;
  double fleet_energy_j = 0, fleet_cost_usd = 0;  // idle included
  std::map<Reason, std::uint64_t> fallbacks;      // by reason
  std::map<std::string, double> device_s;         // charged, by kind of device
  std::uint64_t assignments = 0;                  // checked for exclusions
  std::vector<std::string> exclusions;            // must be empty
  double simulated_s = 0;
  std::uint64_t events = 0;
  bool operator==(const StudyResult&) const = default;
};

/// Runs it to the end of the last job. The same study gives the same result.
StudyResult run_study(Study study, const devices::Catalogue& catalogue);

/// What no policy can beat, of jobs that come when they come, each on its best devices at nominal
/// pace: measured where there is a pace, else as the device model says.
struct StudyBounds {
  double completion_mean_s = 0;  // every job alone on its fastest devices, at once
  double makespan_s = 0;         // of these two the longer:
  double longest_s = 0;          //   the last end if no job ever waited
  double work_s = 0;             //   each job's fewest device-seconds, over all devices at once
  std::uint64_t homeless = 0;    // jobs that no kind of device can run
};
StudyBounds bounds_of(const Study& study, const devices::Catalogue& catalogue);

/// Takes the training jobs out that ask for more devices; answers how many.
std::uint64_t leave_out_gangs_over(std::uint64_t devices, Study& study);

}  // namespace drover::simulator
