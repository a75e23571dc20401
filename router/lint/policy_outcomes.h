// What a policy says of each reason, before any device is asked: the walk of `decide` over names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "router/lint/policy_cases.h"

namespace drover::router {

/// Whether the filters can have this reason against a place of the rule's first pools. Reasons that
/// hang on what only a job says (its precisions, operations, deadline, data) can always occur, and
/// so can a power cap: operators set them while the router runs.
bool can_occur(const Policy& policy, const PolicyCase& jobs, Reason reason);

/// Why no job of the case ever runs in this pool, whatever devices are there: the policy's own
/// words exclude it. Nothing: devices and their state decide. What a class says of its framework
/// and versions counts, as for jobs that say nothing of them. `precisions`: that are accepted;
/// empty: any.
std::optional<Reason> surely_excluded(const Policy& policy, const PolicyCase& jobs,
                                      const Pool& pool, const std::vector<Precision>& precisions);

/// A pool that is asked after the wanted one has no place.
struct NextPool {
  std::string pool;
  const Fallback* fallback = nullptr;  // that names it; null: the rule's list of pools does
  std::optional<Reason> excluded;      // surely, so it never takes the job
};

struct PolicyOutcome {
  std::vector<NextPool> next;
  FallbackAction action = FallbackAction::queue;  // when none of them takes the job
  const Fallback* fallback = nullptr;             // that says so; null: default_action
  /// Nothing of the policy is for this reason: no other pool may take the job, and no action is
  /// named.
  bool is_hole() const;
};

/// When the rule's first pool has this reason against a job of the case.
PolicyOutcome outcome_for(const Policy& policy, const PolicyCase& jobs, Reason reason);

/// "waits 20 s, then fails", "is rejected".
std::string ending_text(const Policy& policy, const PolicyOutcome& outcome, Reason reason);

/// For people: rule by rule its cases, the pools in order, and per reason what happens.
std::string outcome_table(const Policy& policy);

}  // namespace drover::router
