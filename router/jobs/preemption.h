// Who must make room for a gang that finds none: the place where it costs least.
//
// Pure: the same roster and the same holders give the same answer. Only strictly lower priority
// makes room, so no job is preempted by one that it may preempt, and no chain of them is a ring.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "router/jobs/jobs.h"
#include "router/policy/policy_rule.h"
#include "router/roster/roster.h"

namespace drover::router {

/// A job that has made room so often is left alone: however much work of higher priority comes, it
/// ends some day (assumed).
inline constexpr std::uint32_t preempted_max = 3;

/// A gang that holds devices and may be sent away for the job in question.
struct Holder {
  JobId job;
  std::uint64_t number = 0;  // order of acceptance
  int priority = 0;
  std::vector<DeviceIndex> devices;
  double lost_device_s = 0;  // work since its last checkpoint
  Instant since{};           // that it runs
};

/// Whether the record's attempt may be ended for a job of this priority under a rule that says
/// `preempt`: it runs, is a gang's, has a lower priority, is not on its way out, has an attempt
/// left beside this one, and has not made room too often.
bool may_be_preempted(const JobRecord& record, const Preempt& preempt, int priority,
                      std::uint32_t attempts_max);

/// What ending the record's attempt now would lose: as many of its device-seconds as its steps
/// since the last checkpoint are of all that it has done.
double lost_device_s(const JobRecord& record, Instant now);

struct Eviction {
  struct Part {
    GroupIndex group = nowhere;
    std::vector<std::uint16_t> devices;  // numbers in the host
  };
  std::vector<Part> parts;  // what the job is to have; one, or those of a gang over hosts
  std::vector<JobId> jobs;  // that make room, in the order in which they were chosen
};

/// Where a gang could be: one group, or groups of one kind of GPU over which it is spread.
using GroupSet = std::vector<GroupIndex>;

/// Among these the place for `count` devices where the fewest gangs must go, then those of the
/// lowest priority, then those that lose least, then the newest (llm-d: lowest priority, then least
/// sunk cost). Nothing: no such set frees enough.
std::optional<Eviction> cheapest_eviction(const Roster& roster, std::span<const GroupSet> places,
                                          int count, std::span<const Holder> holders);

}  // namespace drover::router
