// What occupies the devices that a job would need, and what it takes to free them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fleet/reason.h"
#include "router/decision/decide_candidates.h"
#include "router/explain/trial.h"

namespace drover::router {

/// Devices that others keep away from, for this job.
struct KeptDevices {
  JobId job;
  std::vector<DeviceIndex> devices;
  std::vector<JobId> leaving;  // gangs that make room for it
  Instant grace_until{};       // by then they have
};

/// Of one or several groups: all that has to happen before so many of their devices are free.
struct Freeing {
  double wait_s = 0;                // until gangs have ended, as they are believed to
  std::set<JobId> ends;             // those that run longer than that already
  std::set<JobId> leaving;          // those that make room for the job
  double leaving_s = 0;             // within so long
  std::set<ReplicaIndex> replicas;  // that must leave
  std::set<JobId> kept_for;         // jobs for which devices are kept
  std::set<DeviceIndex> drained, unusable;
  std::set<HostIndex> silent;

  /// `unhealthy` where something has to be repaired, else `drain` where something has to be
  /// resumed, else `capacity`.
  Reason reason() const;
  /// It happens without anyone acting.
  bool by_itself(const Question& question) const;
  std::string words(const Question& question) const;
  void make(const std::vector<KeptDevices>& kept, Trial& trial) const;
  void add(const Freeing& other);
};

/// The least that has to happen before `count` devices of the group are free, in the shape that a
/// gang or replica needs. What passes by itself comes before what an operator has to do: gangs that
/// end, replicas that leave, devices kept for another job, replicas that stay, drained devices,
/// unusable ones. Only what stands on the devices that would be used is part of it. Nothing: the
/// group is too small, or its host is about to leave.
std::optional<Freeing> cheapest_freeing(const Question& question,
                                        const std::vector<KeptDevices>& kept, GroupIndex group,
                                        int count);

/// "resume h1/3", "resume host:h1".
std::string resume_words(const Roster& roster, const std::set<DeviceIndex>& drained);
void resume(const std::set<DeviceIndex>& drained, Trial& trial);
/// "h1/3 usable again".
std::string mend_words(const Roster& roster, const std::set<DeviceIndex>& unusable,
                       const std::set<HostIndex>& silent);
void mend(const std::set<DeviceIndex>& unusable, const std::set<HostIndex>& silent, Trial& trial);

}  // namespace drover::router
