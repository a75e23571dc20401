// A routing decision with its explanation: the chosen candidate, the other candidates with their
// scores, the rejections with their reasons, and the fallback step that was used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "fleet/reason.h"
#include "fleet/workload.h"

namespace drover {

enum class Action : std::uint8_t {
  assign,          // the job goes to `target`
  queue,           // it waits; `fallback_reason` says what for
  reject,          // it fails for good
  start_replica,   // a replica of `model` is loaded on `target`
  retire_replica,  // `target` is unloaded
};
std::string_view to_text(Action action);

/// The router's estimate for one candidate. Times are fleet seconds from the decision.
struct Estimate {
  double start_s = 0;
  double finish_s = 0;
  double energy_j = 0;
  double cost_usd = 0;
  bool wait_known = true;  // false: the start time is unknown; start_s and finish_s are 0
  bool operator==(const Estimate&) const = default;
};

struct ScorePart {
  std::string scorer;
  double value = 0;  // in [0, 1], 1 is best
  double weight = 0;
  bool operator==(const ScorePart&) const = default;
};

struct Candidate {
  std::string target;  // "host/r0" or "host/0-7"
  std::string pool;
  double score = 0;  // sum of value times weight over sum of weights
  std::vector<ScorePart> parts;
  Estimate estimate;
  std::string price;  // the source of an assumed price; empty when the price is not assumed
  bool operator==(const Candidate&) const = default;
};

/// The number of candidates of one device class that were rejected for one reason. A candidate that
/// fails several filters counts once under each.
struct Rejection {
  std::string pool;
  std::string device_class;  // device spec id
  Reason reason = Reason::policy;
  std::uint32_t count = 0;
  bool operator==(const Rejection&) const = default;
};

/// One candidate of a decision: its score, or all reasons for its rejection.
struct CandidateStatus {
  std::string target;
  std::string pool;
  std::string device_class;     // device spec id
  std::optional<double> score;  // none: rejected
  std::vector<Reason> reasons;  // of the rejection, in the order of the filters
  bool operator==(const CandidateStatus&) const = default;
};

/// The smallest single change with which a queued job could be placed. The router has tried it.
struct NearestFit {
  Reason reason = Reason::capacity;  // why `target` is rejected without the change
  std::string target;
  std::string pool;
  double amount = 0;   // in the change's unit: bytes, seconds, watts, dollars; 0: no number
  std::string change;  // for users: "+6.2 GB", "int8 allowed", "41s"
  bool operator==(const NearestFit&) const = default;
};

/// What the jobs that fell back for one reason cost in addition to their cost in the preferred
/// pool, as estimated when they were placed. Negative: they cost less.
struct FallbackCost {
  Reason reason = Reason::capacity;
  std::uint64_t jobs = 0;
  double cost_usd = 0;
  double energy_j = 0;
  double finish_s = 0;      // of the jobs whose wait was known
  std::uint64_t timed = 0;  // number of those jobs
  bool operator==(const FallbackCost&) const = default;
};

struct Decision {
  std::uint64_t number = 0;  // from 1, for one run of the router
  Instant at{};
  JobId job;  // empty for replica decisions
  std::uint32_t attempt = 0;
  WorkKind kind = WorkKind::serve;
  std::string model;
  Action action = Action::assign;
  std::string rule;
  std::string preferred_pool;  // the first pool of the rule that has a device of the fleet
  std::string pool;            // the chosen pool; empty: none
  std::string target;
  /// Why not the preferred pool as the rule asks; none: it was chosen. fell_back() tells whether it
  /// was left.
  std::optional<Reason> fallback_reason;
  std::uint8_t fallback_step = 0;  // 0: none; else the step in the rule: further pools, fallbacks
  /// A declared degradation ("degraded bf16 -> int8") and the soft constraints that were dropped.
  std::string change;
  std::string work_class;  // of the policy; empty: none matches
  std::uint64_t policy_version = 0;
  /// The estimate for the best candidate of the preferred pool if it had only transient reasons
  /// against the job. The cost of a fallback is measured against it.
  std::optional<Estimate> primary;
  std::vector<Candidate> top;  // best first, at most 3; top[0] is the chosen one
  std::vector<Rejection> rejections;
  std::uint32_t considered = 0;
  std::uint64_t fleet_version = 0;
  /// Pools of the rule and its fallbacks that were tried and have no device of the fleet.
  std::vector<std::string> empty_pools;
  bool operator==(const Decision&) const = default;
};

/// Whether a further pool or a fallback of the rule placed it. A decision with a reason that did
/// not fall back either waits, or stayed in its preferred pool without a soft constraint.
inline bool fell_back(const Decision& decision) {
  return decision.fallback_reason && !decision.pool.empty() &&
         (decision.pool != decision.preferred_pool || decision.fallback_step > 0);
}
/// Whether it is in its preferred pool although there was a reason against it.
inline bool stayed(const Decision& decision) {
  return decision.fallback_reason && !decision.pool.empty() && !fell_back(decision);
}

}  // namespace drover
