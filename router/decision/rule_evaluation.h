// One evaluation of a rule: its pools in order, each with filters, scorers and pick, then its
// fallbacks. Evaluations differ in the soft constraints that they enforce.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "router/decision/candidates.h"
#include "router/decision/failback.h"

namespace drover::router {

class RuleEvaluation {
 public:
  /// `recorded`: all candidates are written to scratch.record.
  RuleEvaluation(PlacementQuery& query, Estimator& estimator, RandomStream& random,
                 PlacementResult& result, bool recorded = true)
      : query_(query),
        estimator_(estimator),
        random_(random),
        scratch_(estimator.scratch()),
        result_(result),
        decision_(result.decision),
        recorded_(recorded) {}

  void run();

  /// Whether the job waits although no fallback of the policy asked for it.
  bool waits_by_default() const { return decision_.action == Action::queue && !asked_; }

  /// If every candidate of every pool is excluded for good: the reason that most of them have, in
  /// accepted precisions if any were tried.
  std::optional<Reason> impossible() const;

 private:
  /// The candidate that others are compared with, and its load.
  struct Primary {
    Estimate estimate;
    ReplicaLoad load;
  };

  void ask_pools();
  bool follow_failback();
  void measure_preferred();
  /// The pool's number; nothing if no device of the fleet is in it: it is skipped, and the
  /// decision says so.
  std::optional<std::uint32_t> present(const std::string& name);
  void evaluate_spill(std::size_t wanted);
  bool leave(std::size_t wanted);
  bool cheaper(const Estimate& leave) const;
  void run_fallbacks();
  bool try_fallback(std::size_t step);
  bool below_floor(std::uint32_t pool) const;
  std::uint8_t fallback_number(std::size_t step) const;
  void describe_change(Precision to);
  void end(FallbackAction action, Duration max_wait);
  /// Places the job in this pool, or returns why not.
  std::optional<Reason> evaluate_pool(std::uint32_t pool, const Guard& guard);
  void count_excluded();
  void note_watts();
  std::optional<Primary> best_possible() const;
  bool passes_guard(const Guard& guard, std::size_t row) const;
  void place(std::size_t row);
  void add_others(const MultiHostGang& spread, Allocation& place) const;

  PlacementQuery& query_;
  Estimator& estimator_;
  RandomStream& random_;
  DecisionScratch& scratch_;
  PlacementResult& result_;
  Decision& decision_;
  bool recorded_;
  std::optional<Primary> primary_;
  std::optional<Reason> passing_;  // first pool's transient reason
  std::optional<int> floor_tier_;  // while a sticky fallback holds
  bool leaving_ = false;           // leaving must pay: the preferred pool has or will have capacity
  bool asked_ = false;
  bool possible_ = false;
  // Candidates by own reason over all pools: in accepted precisions, and in those that fallbacks
  // declare.
  std::array<std::array<std::uint32_t, 32>, 2> excluded_{};
};

}  // namespace drover::router
