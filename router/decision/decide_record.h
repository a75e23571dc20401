// What a decision leaves behind: the chosen candidate with the next best ones, and who was rejected
// for which reason. Strings are made here, once, after the choice.
#pragma once

#include <cstddef>

#include "fleet/decision.h"
#include "router/decision/decide_candidates.h"

namespace drover::router {

Estimate estimate_of(const Standings& rows, std::size_t row);

/// Counts the rejections among scratch.rows, adds them to the record, and answers the pool's reason
/// (decide.h).
Reason record_rejections(const Question& question, DecisionScratch& scratch, Decision& decision);

/// Appends all rows to scratch.record, with the scores of the feasible ones.
void record_rows(const Question& question, DecisionScratch& scratch);

/// Fills `top` from scratch.feasible: `chosen` (its position there) first, then the best others.
void record_top(const Question& question, const DecisionScratch& scratch, std::size_t chosen,
                Decision& decision);

}  // namespace drover::router
