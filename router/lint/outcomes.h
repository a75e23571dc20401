// What a policy does for each reason, without regard to devices: `decide` with the names of pools,
// rules and reasons only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "router/lint/cases.h"

namespace drover::router {

/// Whether filters can reject candidates of the rule's first pools for this reason. Reasons that
/// depend on the job alone (precisions, operations, deadline, data) can always occur, and so can a
/// power cap, which operators may set at run time.
bool can_occur(const Policy& policy, const PolicyCase& jobs, Reason reason);

/// Why the policy itself keeps every job of the case out of this pool, regardless of its devices;
/// nullopt: that depends on devices and their state. The framework and versions of a class count,
/// as for jobs that specify none. `precisions`: accepted ones; empty: any.
std::optional<Reason> surely_excluded(const Policy& policy, const PolicyCase& jobs,
                                      const Pool& pool, const std::vector<Precision>& precisions);

/// The reason of the last case if every case is surely excluded.
std::optional<Reason> surely_excluded(const Policy& policy, const std::vector<PolicyCase>& cases,
                                      const Pool& pool, const std::vector<Precision>& precisions);

/// A pool to try when the preferred pool has no placement.
struct NextPool {
  std::string pool;
  const Fallback* fallback = nullptr;  // that names it; null: the rule's list of pools
  std::optional<Reason> excluded;      // why it certainly never runs the job
};

struct PolicyOutcome {
  std::vector<NextPool> next;
  FallbackAction action = FallbackAction::queue;  // when none of them runs the job
  const Fallback* fallback = nullptr;             // with that action; null: default_action
  /// Whether the policy has nothing for this reason: no other pool and no action.
  bool is_unhandled() const;
};

/// The outcome when the rule's first pool rejects a job of the case for this reason.
PolicyOutcome outcome_for(const Policy& policy, const PolicyCase& jobs, Reason reason);

/// "waits 20 s, then fails", "is rejected".
std::string ending_text(const Policy& policy, const PolicyOutcome& outcome, Reason reason);

/// A table by rule: its cases, the pools in order, and what happens for each reason.
std::string outcome_table(const Policy& policy);

}  // namespace drover::router
