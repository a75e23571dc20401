// The smallest change that would remove what rejects a candidate, and how to make it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fleet/reason.h"
#include "router/decision/candidates.h"
#include "router/explain/freeing_plan.h"
#include "router/explain/what_if.h"

namespace drover::router {

/// One row that filters reject.
struct RejectedCandidate {
  const PlacementQuery& query;
  const CandidateTable& rows;
  std::size_t row;
  const PlacementKind& kind;
  const std::vector<Preemption>& kept;
};

struct Change {
  Reason reason = Reason::capacity;
  double amount = 0;  // in its own unit; the text rounds it up
  std::string words;
  bool by_itself = false;             // it happens without an operator
  std::function<void(WhatIf&)> make;  // holds no reference to the row
};

/// Frees, resumes and repairs the devices of the row (a group or a multi-host gang) as far as
/// needed.
std::optional<Change> freeing_change(const RejectedCandidate& rejected);
/// Waiting, for a multi-host gang or a group.
std::optional<Change> waiting_change(const RejectedCandidate& rejected);
/// For a replica without free capacity, or not yet ready.
std::optional<Change> relieving_change(const RejectedCandidate& rejected);

Change change_of(double amount, std::string words, std::function<void(WhatIf&)> make);
/// A change of the candidate's rule.
Change change_of_rule(const RejectedCandidate& rejected, double amount, std::string words,
                      std::function<void(Rule&)> change);

// Each of these removes one reason: by the job (nearest_job.cpp), by what the candidate lacks
// (nearest_place.cpp), or by the policy (nearest_policy.cpp).
std::optional<Change> try_again(const RejectedCandidate& rejected);
std::optional<Change> cool_down(const RejectedCandidate& rejected);
std::optional<Change> allow_later_token(const RejectedCandidate& rejected);
std::optional<Change> wait_longer(const RejectedCandidate& rejected);
std::optional<Change> raise_power(const RejectedCandidate& rejected);
std::optional<Change> raise_budget(const RejectedCandidate& rejected);
std::optional<Change> resume_replica(const RejectedCandidate& rejected);
std::optional<Change> refresh_samples(const RejectedCandidate& rejected);
std::optional<Change> repair_replica(const RejectedCandidate& rejected);
std::optional<Change> raise_share(const RejectedCandidate& rejected);
std::optional<Change> allow_precision(const RejectedCandidate& rejected);
std::optional<Change> add_memory(const RejectedCandidate& rejected);
std::optional<Change> take_fewer_tokens(const RejectedCandidate& rejected);
std::optional<Change> take_other_topology(const RejectedCandidate& rejected);
std::optional<Change> allow_transfer(const RejectedCandidate& rejected);
std::optional<Change> take_other_framework(const RejectedCandidate& rejected);
std::optional<Change> without_operations(const RejectedCandidate& rejected);

/// Rounds up to the displayed precision, so that the displayed amount is enough.
double rounded_up(double amount, double step);
double duration_rounded_up(double seconds);

}  // namespace drover::router
