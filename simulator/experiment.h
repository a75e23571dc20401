// An experiment: recorded work on a fleet under one policy, as one row of a table.
//
// The whole system (agents, router, codec, ledger) runs under a virtual clock, at the pace of a
// fleet with `--speed`: wall-time heartbeats, leases and waits are multiplied, so that months of
// fleet time take seconds. Nothing fails spontaneously; for faults, use a Scenario.
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

struct Experiment {
  std::vector<agents::AgentSettings> hosts;
  router::Policy policy;
  std::vector<Arrival> arrivals;
  std::uint64_t seed = 1;
  /// Speed of the fleet, as in `drover router --speed`: fleet seconds per wall second.
  /// Hosts send a sample each wall second.
  double speed = 3600;
  /// Jobs not done this long after the last arrival count as not completed.
  Duration give_up_after = std::chrono::hours(24 * 365);
};

/// Mean and quantiles of durations, s. A quantile is the smallest value that covers this share of
/// them.
struct DurationStats {
  double mean_s = 0, p50_s = 0, p99_s = 0, max_s = 0;
  bool operator==(const DurationStats&) const = default;
};
DurationStats duration_stats(std::vector<double> values_s);

struct ExperimentResult {
  std::uint64_t jobs = 0;
  std::uint64_t completed = 0;
  std::map<Reason, std::uint64_t> failures;
  double makespan_s = 0;     // from the first arrival to the last end
  DurationStats completion;  // JCT: submission to end, of completed jobs
  DurationStats queueing;    // submission to the start of the attempt that completed
  Usage charged, wasted;
  double fleet_energy_j = 0, fleet_cost_usd = 0;  // idle power included
  std::map<Reason, std::uint64_t> fallbacks;      // by reason
  std::map<std::string, double> device_s;         // charged, by kind of device
  std::uint64_t assignments = 0;                  // number of assignments checked
  std::vector<std::string> violations;            // placement violations; must be empty
  double simulated_s = 0;
  std::uint64_t events = 0;
  bool operator==(const ExperimentResult&) const = default;
};

/// Runs it to the end of the last job. The same experiment gives the same result.
ExperimentResult run_experiment(Experiment experiment, const devices::Catalogue& catalogue);

/// Lower bounds for any policy, for jobs with given arrival times, each on its best devices at
/// nominal pace: measured if a pace is known, else by the device model.
struct ExperimentBounds {
  double completion_mean_s = 0;   // every job alone on its fastest devices, at once
  double makespan_s = 0;          // the longer of these two:
  double longest_s = 0;           //   the last end if no job ever waited
  double work_s = 0;              //   each job's fewest device-seconds, over all devices at once
  std::uint64_t unplaceable = 0;  // jobs that no kind of device can run
};
ExperimentBounds bounds_of(const Experiment& experiment, const devices::Catalogue& catalogue);

/// Removes training jobs that request more devices; returns how many.
std::uint64_t drop_gangs_over(std::uint64_t devices, Experiment& experiment);

}  // namespace drover::simulator
