// A decision explains itself: what was chosen, what else stood for choice with its scores, who was
// rejected for which reason, and which fallback step fired.
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
  queue,           // it waits; `fallback_reason` says for what
  reject,          // it fails for good
  start_replica,   // a replica of `model` is loaded on `target`
  retire_replica,  // `target` is unloaded
};
std::string_view to_text(Action action);

/// What the router believes of one candidate, in fleet seconds from the decision.
struct Estimate {
  double start_s = 0;
  double finish_s = 0;
  double energy_j = 0;
  double cost_usd = 0;
  bool wait_known = true;  // false: when it would start nobody can tell, start_s and finish_s say 0
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
  std::string price;  // what its dollars stand on, where that is assumed; else empty
  bool operator==(const Candidate&) const = default;
};

/// So many candidates of one device class were rejected for this reason. A candidate that fails
/// several filters counts once under each.
struct Rejection {
  std::string pool;
  std::string device_class;  // device spec id
  Reason reason = Reason::policy;
  std::uint32_t count = 0;
  bool operator==(const Rejection&) const = default;
};

/// One candidate of a decision: its score, or every reason that it was rejected for.
struct Standing {
  std::string target;
  std::string pool;
  std::string device_class;     // device spec id
  std::optional<double> score;  // none: it was rejected
  std::vector<Reason> reasons;  // of the rejection, in the filters' order
  bool operator==(const Standing&) const = default;
};

/// The smallest single change with which a job that waits would have a place. It has been tried.
struct NearestFit {
  Reason reason = Reason::capacity;  // that stands against this place
  std::string target;
  std::string pool;
  double amount = 0;   // in the change's own unit: bytes, seconds, watts, dollars; 0: no number
  std::string change;  // for people: "+6.2 GB", "int8 allowed", "41s"
  bool operator==(const NearestFit&) const = default;
};

/// What jobs that fell back for one reason cost more than they would have in the pool that they
/// wanted, as estimated when they were placed; less where negative.
struct FallbackSum {
  Reason reason = Reason::capacity;
  std::uint64_t jobs = 0;
  double cost_usd = 0;
  double energy_j = 0;
  double finish_s = 0;      // of those whose wait was known
  std::uint64_t timed = 0;  // so many
  bool operator==(const FallbackSum&) const = default;
};

struct Decision {
  std::uint64_t number = 0;  // counts from 1 in this router's life
  Instant at{};
  JobId job;  // empty for replica decisions
  std::uint32_t attempt = 0;
  WorkKind kind = WorkKind::serve;
  std::string model;
  Action action = Action::assign;
  std::string rule;
  std::string wanted_pool;  // the rule's first pool that any device of the fleet is in
  std::string pool;         // where it went; empty when nowhere
  std::string target;
  std::optional<Reason> fallback_reason;  // why not the wanted pool; absent when it was had
  std::uint8_t fallback_step = 0;         // 0: none; else along the rule: further pools, fallbacks
  /// A declared degradation, "degraded bf16 -> int8", and wishes that were given up; else empty.
  std::string change;
  std::string work_class;  // of the policy; empty: none matches
  std::uint64_t policy_version = 0;
  /// What the best candidate of the wanted pool would have done, had it nothing against the job but
  /// what passes by itself: a fallback's cost is measured against it.
  std::optional<Estimate> primary;
  std::vector<Candidate> top;  // best first, at most 3; top[0] is the chosen one
  std::vector<Rejection> rejections;
  std::uint32_t considered = 0;
  std::uint64_t roster_version = 0;
  /// Of the rule and its fallbacks: their turn came, and no device of the fleet is in them.
  std::vector<std::string> absent_pools;
  bool operator==(const Decision&) const = default;
};

}  // namespace drover
