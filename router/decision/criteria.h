// What a candidate must satisfy, and what makes one better than another: a table of filters and a
// table of scorers, one small function each. A new one is a function and a row here, and the
// names in router/policy: CONTRIBUTING.md lists them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fleet/reason.h"
#include "router/decision/candidates.h"

namespace drover::router {

/// The rows from `begin` on, and all condition bits that occur in them.
struct CandidateRange {
  CandidateTable& all;
  std::size_t begin;
  std::uint32_t conditions;
};

/// A filter checks kinds of placements once, or each candidate, or both; a null pointer checks
/// nothing. `bit` is set in `failed` of each candidate that fails.
struct Filter {
  Reason reason;
  bool (*kind_fails)(const PlacementQuery&, const PlacementKind&);
  void (*filter_rows)(const PlacementQuery&, CandidateRange, std::uint32_t bit);
};

/// All filters. A candidate's own reason is that of the first filter it fails. Filters with
/// permanent reasons come first, so a transient own reason means that no permanent one applies.
std::span<const Filter> filters();

/// Bits of the filters that reject for this reason.
std::uint32_t filters_of(Reason reason);
/// Bits of the filters whose reasons are permanent: the lowest ones, without a gap.
std::uint32_t permanent_filters();
/// Bits of the filters that check kinds: a candidate that fails one is excluded for good.
std::uint32_t kind_filters();
/// Bits of the filters that check the state of a group whatever the size of the work: a group that
/// fails none of them may hold part of a gang.
std::uint32_t state_filters();
/// Bits of the filters that `kind` fails.
std::uint32_t failed_filters(const PlacementQuery& query, const PlacementKind& kind);
/// Filters the rows from `begin` on.
void apply_filters(const PlacementQuery& query, CandidateTable& rows, std::size_t begin);

// The filters on kinds of placements, in criteria_kinds.cpp.
// They fail for good: no change of a candidate's state can help.
bool fails_real(const PlacementQuery& query, const PlacementKind& kind);
bool fails_precision(const PlacementQuery& query, const PlacementKind& kind);
bool fails_ops(const PlacementQuery& query, const PlacementKind& kind);
bool fails_framework(const PlacementQuery& query, const PlacementKind& kind);
bool fails_context(const PlacementQuery& query, const PlacementKind& kind);
bool fails_kind_memory(const PlacementQuery& query, const PlacementKind& kind);
bool fails_topology(const PlacementQuery& query, const PlacementKind& kind);

/// Watts by which the row would exceed the power limit of one of its racks.
double rack_lacks_w(const PlacementQuery& query, const CandidateTable& rows, std::size_t row);
/// Whether the pool has its `max_share` of the running jobs.
bool share_used_up(const PlacementQuery& query);
/// Writes the rows that no filter rejects to scratch.feasible.
void find_feasible(DecisionScratch& scratch);

/// Values of which more is better are shares in [0, 1]. Of those of which less is better, a value x
/// scores (smallest + scale) / (x + scale) over the feasible candidates: twice as long scores half,
/// and differences far below the scale do not matter.
enum class Better : std::uint8_t { higher, lower };
struct ScorerRow {
  Scorer scorer;
  Better better;
  double scale;
  /// Writes the values of the chosen rows.
  void (*fill)(const CandidateTable& rows, std::span<const std::uint32_t> chosen,
               std::span<double> values);
};
std::span<const ScorerRow> scorers();

/// Writes the scores of scratch.feasible to scratch.scores: the weighted mean of the rule's
/// scorers, times `slow_start` of the row.
void apply_scorers(const PlacementQuery& query, DecisionScratch& scratch);
/// The share of its score that a returned candidate gets: see router/health/outlier_detector.h.
double slow_start(const PlacementQuery& query, const DecisionScratch& scratch, std::size_t row);

/// The index of the chosen one. `max`: the highest score, ties drawn at random; `p2c`: the better
/// of two drawn at random; `weighted`: drawn in proportion to the scores. REQUIRES at least one
/// score.
std::size_t pick(Pick how, const std::vector<double>& scores, RandomStream& random);

}  // namespace drover::router
