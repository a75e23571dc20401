// One walk through a rule: its pools in order, in each the filters, the scorers and the pick, then
// its fallbacks. Walks differ in the wishes that they hold against candidates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "router/decision/decide_candidates.h"
#include "router/decision/routes.h"

namespace drover::router {

class Walk {
 public:
  /// `recorded`: all candidates are written down in scratch.record.
  Walk(Question& question, Estimator& estimator, Dice& dice, Verdict& verdict, bool recorded = true)
      : question_(question),
        estimator_(estimator),
        dice_(dice),
        scratch_(estimator.scratch()),
        verdict_(verdict),
        decision_(verdict.decision),
        recorded_(recorded) {}

  void run();

  /// The job waits, and no fallback of the policy said that it shall for this reason.
  bool waits_unasked() const { return decision_.action == Action::queue && !asked_; }

  /// When every candidate of every pool is excluded for good: the reason that most of them have, in
  /// precisions that are accepted where any was asked so.
  std::optional<Reason> impossible() const;

 private:
  /// What other places are compared with, and how full it is.
  struct Primary {
    Estimate estimate;
    Fill fill;
  };

  void ask_pools();
  bool follow_route();
  void measure_wanted();
  /// Nothing for a pool that no device of the fleet is in: it is passed over, and the decision says
  /// so.
  std::optional<std::uint32_t> present(const std::string& name);
  void consider_leaving(std::size_t wanted);
  bool leave(std::size_t wanted);
  bool cheaper(const Estimate& leave) const;
  void run_fallbacks();
  bool try_fallback(std::size_t step);
  bool below_floor(std::uint32_t pool) const;
  std::uint8_t fallback_number(std::size_t step) const;
  void describe_change(Precision to);
  void end(FallbackAction action, Duration max_wait);
  /// Places the job in this pool, or answers why not.
  std::optional<Reason> look(std::uint32_t pool, const Guard& guard);
  void count_excluded();
  void note_watts();
  std::optional<Primary> best_possible() const;
  bool fair(const Guard& guard, std::size_t row) const;
  void place(std::size_t row);
  void add_others(const Spread& spread, Place& place) const;

  Question& question_;
  Estimator& estimator_;
  Dice& dice_;
  DecisionScratch& scratch_;
  Verdict& verdict_;
  Decision& decision_;
  bool recorded_;
  std::optional<Primary> primary_;
  std::optional<Reason> passing_;  // the first pool's that need not stay so
  std::optional<int> floor_tier_;  // while a sticky fallback holds
  bool leaving_ = false;           // a place must pay, as the wanted pool has or will have one
  bool asked_ = false;
  bool possible_ = false;
  // Candidates by their own reason, over all pools: in precisions that are accepted, and in those
  // that fallbacks declare.
  std::array<std::array<std::uint32_t, 32>, 2> excluded_{};
};

}  // namespace drover::router
