// Which gangs to preempt for a gang that finds no devices: the choice that costs least.
//
// Pure: the same fleet state and the same victims give the same result. Only strictly lower
// priority is preempted, so preemption cannot form cycles.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "router/fleet_state/fleet_state.h"
#include "router/jobs/job_table.h"
#include "router/policy/rule.h"

namespace drover::router {

/// A job that was preempted this often is not preempted again, so that it ends eventually
/// (assumed).
inline constexpr std::uint32_t preempted_max = 3;

/// A gang that holds devices and may be preempted for the job.
struct PreemptionVictim {
  JobId job;
  std::uint64_t number = 0;  // order of acceptance
  int priority = 0;
  std::vector<DeviceIndex> devices;
  double lost_device_s = 0;  // work since its last checkpoint
  Instant since{};           // start of the run
};

/// Whether the record's attempt may be preempted for a job of this priority under a rule with
/// `preempt`: it runs, is a gang, has a lower priority, is not ending already, has an attempt left
/// besides this one, and was not preempted too often.
bool may_be_preempted(const JobRecord& record, const Preempt& preempt, int priority,
                      std::uint32_t attempts_max);

/// Device-seconds that ending the record's attempt now would lose: its total, times the share of
/// its steps since the last checkpoint.
double lost_device_s(const JobRecord& record, Instant now);

struct PreemptionPlan {
  struct Part {
    GroupIndex group = no_index;
    std::vector<std::uint16_t> devices;  // numbers in the host
  };
  std::vector<Part> parts;  // what the job gets: one part, or several for a multi-host gang
  std::vector<JobId> jobs;  // preempted jobs, in the order of choice
};

/// A possible placement: one group, or groups of one kind of GPU for a multi-host gang.
using GroupSet = std::vector<GroupIndex>;

/// The cheapest of these placements for `count` devices: fewest gangs preempted, then lowest
/// priority, then least lost work, then newest (llm-d: lowest priority, then least sunk cost).
/// Nothing: no set frees enough devices.
std::optional<PreemptionPlan> cheapest_preemption(const FleetState& fleet_state,
                                                  std::span<const GroupSet> places, int count,
                                                  std::span<const PreemptionVictim> victims);

}  // namespace drover::router
