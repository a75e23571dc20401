// What a place must be, and what makes one place better than another: a table of filters and a
// table of scorers, one small function each. Adding one is a row and a function.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fleet/reason.h"
#include "router/decision/decide_candidates.h"

namespace drover::router {

/// The rows from `begin` on, and the bits that any of their conditions has.
struct Rows {
  Standings& all;
  std::size_t begin;
  std::uint32_t conditions;
};

/// A filter judges kinds of places once, or each place, or both; a null pointer judges nothing.
/// `bit` is to be set in `failed` of each place that fails.
struct Filter {
  Reason reason;
  bool (*kind_fails)(const Question&, const PlaceKind&);
  void (*judge)(const Question&, Rows, std::uint32_t bit);
};

/// In the order in which a candidate's own reason is chosen: permanent ones first, so that an own
/// reason that passes says that nothing permanent stands against the candidate.
std::span<const Filter> filters();

/// Bits of the filters that reject for this reason.
std::uint32_t filters_of(Reason reason);
/// Bits of the filters whose reasons are permanent: the lowest ones, without a gap.
std::uint32_t permanent_filters();
/// Bits of the filters that judge kinds: what fails one of them fails for good.
std::uint32_t kind_filters();
/// Bits of the filters that judge the state of a place, whatever the size of the work: a group that
/// fails none of them may hold a part of a gang.
std::uint32_t state_filters();
/// Bits of the filters that `kind` fails.
std::uint32_t failed_filters(const Question& question, const PlaceKind& kind);
/// Judges the rows from `begin` on.
void apply_filters(const Question& question, Standings& rows, std::size_t begin);
/// The pool has its `max_share` of the running jobs.
bool share_used_up(const Question& question);
/// Whether the filters shall look away from silence and ejection, because the question says so and
/// less of the pool's living capacity (in devices) is well than the policy's `panic.below`. Never
/// in a pool of one living place: there is no load to spread, and its ejection is all that protects
/// it. Never for a new replica: it would be loaded where nobody answers. In criteria_panic.cpp.
bool panics(const Question& question, const Standings& rows);
/// The rows that no filter rejects, into scratch.feasible.
void find_feasible(DecisionScratch& scratch);

/// `share` values stand in [0, 1] already, 1 is best. Of `least` values the smallest is best: a
/// value x scores (smallest + scale) / (x + scale) over the feasible candidates, so twice as long
/// scores half, and differences far below the scale do not matter.
enum class Sense : std::uint8_t { share, least };
struct ScorerRow {
  Scorer scorer;
  Sense sense;
  double scale;
  /// The values of the chosen rows.
  void (*fill)(const Standings& rows, std::span<const std::uint32_t> chosen,
               std::span<double> values);
};
std::span<const ScorerRow> scorers();

/// Scores of scratch.feasible, the weighted mean of the rule's scorers, into scratch.scores; times
/// `slow_start` of the row.
void apply_scorers(const Question& question, DecisionScratch& scratch);
/// The share of its score that a place gets, for having been away: see slow_start.h.
double slow_start(const Question& question, const DecisionScratch& scratch, std::size_t row);

}  // namespace drover::router
