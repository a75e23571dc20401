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
  const std::vector<ReservedDevices>& kept;
};

struct Change {
  Reason reason = Reason::capacity;
  double amount = 0;  // in its own unit; the text rounds it up
  std::string words;
  bool by_itself = false;             // it happens without an operator
  std::function<void(WhatIf&)> make;  // holds no reference to the row
};

/// The change that removes this filter's reason; nothing: no single change would.
std::optional<Change> smallest_change(const RejectedCandidate& rejected, Reason reason);

/// Frees, resumes and repairs the devices of the row (a group or a gang over hosts) as far as
/// needed.
std::optional<Change> freeing_change(const RejectedCandidate& rejected);
/// Waiting, for a gang over hosts or a group.
std::optional<Change> waiting_change(const RejectedCandidate& rejected);
/// For a replica without free capacity, or not yet ready.
std::optional<Change> relieving_change(const RejectedCandidate& rejected);

/// Rounds up to the displayed precision, so that the displayed amount is enough.
double rounded_up(double amount, double step);
double duration_rounded_up(double seconds);

}  // namespace drover::router
