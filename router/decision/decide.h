// One decision: filters, scorers, pick and fallback over the roster. Pure: the same roster, policy,
// job, time and dice give the same decision.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "devices/catalogue/model.h"
#include "fleet/base/dice.h"
#include "fleet/decision.h"
#include "fleet/job.h"
#include "router/decision/estimate.h"
#include "router/decision/routes.h"
#include "router/policy/policy.h"
#include "router/roster/roster.h"

namespace drover::router {

struct Ask {
  const Job* job = nullptr;
  const devices::ModelSpec* model = nullptr;
  std::uint32_t attempt = 1;
  Instant submitted{};
  std::uint32_t from_step = 0;  // train: the checkpoint that it would begin from
  std::set<std::string>
      avoid;                 // targets where an earlier attempt failed: used only when nothing else
  bool avoid_binds = false;  // the back-off after a failed attempt: not even when nothing else
  double running_jobs = 0;   // over the fleet, for max_share
  double spend_usd_per_h = 0;         // for the budget
  const RouteState* route = nullptr;  // of the job's rule; null: nothing has happened to it
  double tenant_devices = 0;          // held by its tenant
  double tenant_devices_max = 0;      // that it may hold; 0: any number
};

/// One host's part of a gang over hosts.
struct PlacePart {
  HostIndex host = 0;
  GroupIndex group = 0;
  std::vector<std::uint16_t> devices;
};

/// Where a job shall run.
struct Place {
  HostIndex host = 0;
  GroupIndex group = 0;
  std::optional<ReplicaIndex> replica;  // serve
  std::vector<std::uint16_t> devices;   // train: numbers in the host
  std::vector<PlacePart> others;        // train over hosts: the parts beside this one
  Precision precision = Precision::bf16;
  double run_s = 0;          // estimated, learnt ratio applied; a new replica: until it is ready
  double wait_s = 0;         // serve: until its prompt's turn comes
  double first_token_s = 0;  // serve: from the decision, learnt ratio applied
  double ratio = 1;          // the learnt ratio that `run_s` holds, for Estimator::learn
  double watts_each = 0;     // to reserve per device (train)
  ServingPower serving;      // serve: what the replica will draw above its devices' open power
  Usage expected;            // its share of the devices' seconds, joules and dollars
};

struct Verdict {
  Decision decision;           // whole but for `number`
  std::optional<Place> place;  // when decision.action is assign
  Duration max_wait{0};        // when the action is queue: then it fails; 0: for ever
  /// When the action is queue and every device that the rule allows is excluded by a permanent
  /// reason: the one that most of them share; `policy` when no rule holds. Only other devices, or
  /// another policy, could help.
  std::optional<Reason> impossible;
  /// Watts that the job would add where nothing but power limits stands against it: the least of
  /// the places that were looked at last. Nothing: there is no such place.
  std::optional<double> wants_w;
  bool unfair = false;          // a place was free, and a guard or the rule's spill was against it
  bool probe = false;           // placed in a wanted pool while a sticky fallback holds others back
  bool held = false;            // went where the sticky fallback leads, asking nobody else
  std::optional<bool> leaving;  // by the rule's spill: whether it pays; nothing: not looked at
};

/// What a decision does, in order: the first rule that holds; its pools in order; in each the
/// candidates, the filters, the scorers, the pick; then the fallbacks whose `on` and guard hold;
/// then the policy's default action.
///
/// A candidate's own reason is its first failed filter in the filters' order (permanent ones come
/// first). A pool's reason is a permanent one only where each of its candidates is excluded for
/// good: then the own reason that most of them share. Else it is the own reason that most of the
/// others share, which passes: what two busy devices say counts, whatever three too small ones say.
/// A pool without candidates has the reason `capacity`. A decision's reason is its wanted pool's;
/// that of a job that waits is, where that one is permanent, the first passing one of another pool.
/// A guard compares with the best candidate of the wanted pool that no permanent reason excludes;
/// where there is none, it passes. Energy and cost of a request are compared at equal fill: as if
/// the place found were shared by as many as that candidate is, or by as many as its batch takes.
///
/// Some filters are wishes. When the job would only be queued, and no fallback names that reason,
/// `avoid` is dropped (reason cooldown; none in the wanted pool, where nothing fell back), then the
/// rule's slo: the job goes to what is best without it, since waiting would only make it later, and
/// `change` says so. Last comes panic: where too little of a pool is well (policy `panic`), places
/// that are silent or ejected are used as well, or the job is rejected, as the policy says; lost
/// hosts and unusable devices never are used. A job whose own deadline is over is rejected; so is a
/// request longer than its model's context, unless a fallback names that reason.
///
/// Pools without any group are passed over: they are neither wanted nor a reason to fall back, and
/// the decision names them. Those whose hosts are all lost are wanted as ever: reason unhealthy.
Verdict decide(const Roster& roster, const Policy& policy, Estimator& estimator, const Ask& ask,
               Instant now, Dice& dice);

/// Where a new replica of this model could be loaded for jobs like this one, best first, with the
/// same filters and reasons as `decide`; action start_replica, or queue when nowhere.
Verdict decide_replica(const Roster& roster, const Policy& policy, Estimator& estimator,
                       const Ask& ask, Instant now, Dice& dice);

}  // namespace drover::router
