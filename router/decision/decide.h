// One placement decision: filters, scorers, pick and fallback over the fleet state. Pure: the same
// fleet state, policy, job, time and random stream give the same decision.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "devices/catalogue/model.h"
#include "fleet/base/random_stream.h"
#include "fleet/decision.h"
#include "fleet/job.h"
#include "router/decision/estimate.h"
#include "router/decision/failback.h"
#include "router/fleet_state/fleet_state.h"
#include "router/policy/policy.h"

namespace drover::router {

struct PlacementRequest {
  const Job* job = nullptr;
  const devices::ModelSpec* model = nullptr;
  std::uint32_t attempt = 1;
  Instant submitted{};
  std::uint32_t from_step = 0;              // train: the checkpoint to start from
  std::set<std::string> avoid;              // targets where an attempt failed: a last resort
  bool avoid_binds = false;                 // back-off after a failed attempt: `avoid` is enforced
  double running_jobs = 0;                  // in the fleet, for max_share
  double spend_usd_per_h = 0;               // for the budget
  const FailbackState* failback = nullptr;  // of the job's rule; null: none
  double tenant_devices = 0;                // held by its tenant
  double tenant_devices_max = 0;            // limit of the tenant; 0: none
};

/// One host's part of a multi-host gang.
struct AllocationPart {
  HostIndex host = 0;
  std::vector<std::uint16_t> devices;
};

/// Where a job runs.
struct Allocation {
  HostIndex host = 0;
  GroupIndex group = 0;
  std::optional<ReplicaIndex> replica;  // serve
  std::vector<std::uint16_t> devices;   // train: device indices in the host
  std::vector<AllocationPart> others;   // train over hosts: the parts beside this one
  Precision precision = Precision::bf16;
  double run_s = 0;          // estimated, ratio applied; a new replica: until it is ready
  double wait_s = 0;         // serve: until its prefill starts
  double first_token_s = 0;  // serve: from the decision, ratio applied
  double ratio = 1;          // learnt ratio in `run_s`, for Estimator::learn
  double watts_each = 0;     // to reserve per device (train)
  ServingPower serving;      // serve: the replica's power above context-idle power
  Usage expected;            // its share of device-seconds, joules and dollars
};

struct PlacementResult {
  Decision decision;                // complete except for `number`
  std::optional<Allocation> place;  // if decision.action is assign
  Duration max_wait{0};             // if the action is queue: then the job fails; 0: no limit
  /// If the action is queue and a permanent reason excludes every device that the rule allows: the
  /// reason that most of them share; `policy` when no rule matches. Only other devices or another
  /// policy could help.
  std::optional<Reason> impossible;
  /// Watts that the job would add where only power limits reject it: the least among the last
  /// candidates. Nothing: no such candidate.
  std::optional<double> required_power_w;
  bool guard_rejected = false;  // a candidate was free, but a guard or the rule's spill rejected it
  bool probe = false;           // placed in a preferred pool while a sticky fallback holds others
  bool held = false;            // placed by the sticky fallback without trying other pools
  std::optional<bool> leaving;  // whether leaving pays by the rule's spill; nothing: not evaluated
};

/// The steps of a decision: the first rule that matches; its pools in order; in each the
/// candidates, the filters, the scorers, the pick; then the fallbacks whose `on` and guard match;
/// then the policy's default action.
///
/// A candidate's own reason is that of the first filter it fails, in the order of `filters()`
/// (permanent ones first). A pool's reason is permanent only if every candidate is excluded for
/// good: then it is the most frequent own reason. Otherwise it is the most frequent transient own
/// reason: with two busy and three too small devices, the reason is `capacity`. A pool without
/// candidates has the reason `capacity`. A decision's reason is that of its preferred pool; if that
/// is permanent, a waiting job has the first transient reason of another pool. A guard compares
/// with the best candidate of the preferred pool that no permanent reason excludes; without one it
/// passes. Energy and cost of a request are compared at equal load: as if the found candidate were
/// shared by as many requests as that one, or by as many as its batch allows.
///
/// Some filters are soft constraints. They are dropped when the job would otherwise only be queued
/// and no fallback names their reason. First `avoid` (reason cooldown; no reason if the job stays
/// in its preferred pool). Then the rule's slo: the job goes to the best candidate without it,
/// since waiting would only make it later, and `change` reports it. Last panic mode: if too little
/// of a pool is healthy (policy `panic`), silent or ejected candidates are used as well, or the job
/// is rejected, as the policy says; lost hosts and unusable devices are never used. A job past its
/// own deadline is rejected; so is a request longer than its model's context, unless a fallback
/// names that reason.
///
/// Pools without any group are skipped: they are neither preferred nor a reason to fall back, and
/// the decision names them. Pools whose hosts are all lost remain preferred: reason unhealthy.
PlacementResult decide(const FleetState& fleet_state, const Policy& policy, Estimator& estimator,
                       const PlacementRequest& request, Instant now, RandomStream& random);

/// Where to load a new replica of this model for jobs like this one, with the same filters and
/// reasons as `decide`; action start_replica, or queue when there is no placement.
PlacementResult decide_replica(const FleetState& fleet_state, const Policy& policy,
                               Estimator& estimator, const PlacementRequest& request, Instant now,
                               RandomStream& random);

}  // namespace drover::router
