// What a decision leaves behind: the chosen candidate with the next best ones, and the rejections
// by reason. Strings are built here, once, after the choice.
#pragma once

#include <cstddef>

#include "fleet/decision.h"
#include "router/decision/candidates.h"

namespace drover::router {

Estimate estimate_of(const CandidateTable& rows, std::size_t row);

/// Counts the rejections in scratch.rows, adds them to the decision, and returns the pool's reason
/// (decide.h).
Reason record_rejections(const PlacementQuery& query, DecisionScratch& scratch, Decision& decision);

/// Appends all rows to scratch.record, with the scores of the feasible ones.
void record_rows(const PlacementQuery& query, DecisionScratch& scratch);

/// Fills `top` from scratch.feasible: `chosen` (an index there) first, then the best others.
void record_top(const PlacementQuery& query, const DecisionScratch& scratch, std::size_t chosen,
                Decision& decision);

}  // namespace drover::router
