// The walk through a rule: pools, filters, scorers, pick, fallbacks.
#include "router/decide.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "fleet/text.h"
#include "router/criteria.h"
#include "router/decide_candidates.h"
#include "router/decide_pick.h"
#include "router/decide_record.h"
#include "router/work_class.h"

namespace drover::router {
namespace {

bool guard_passes(const Guard& guard, const std::optional<Estimate>& primary,
                  const Estimate& found) {
  if (!primary) return true;
  const auto within = [](const std::optional<double>& factor, double value, double base) {
    return !factor || value <= *factor * base;
  };
  const auto more = [](const std::optional<double>& extra) {
    return extra ? std::optional<double>(1 + *extra) : std::nullopt;
  };
  return within(guard.finish_ratio_max, found.finish_s, primary->finish_s) &&
         within(more(guard.extra_cost_max), found.cost_usd, primary->cost_usd) &&
         within(more(guard.extra_energy_max), found.energy_j, primary->energy_j);
}

/// One walk through the rule. Walks differ in the wishes that they hold against candidates.
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

  void run() {
    const Rule& rule = question_.rule;
    accept_precisions(question_, rule.precisions);
    bool wanted = true;
    for (std::size_t step = 0; step < rule.pools.size(); ++step) {
      const auto pool = question_.policy.pool_index(rule.pools[step]);
      if (!pool || !question_.roster.pool_has_groups(*pool)) continue;
      const bool first = std::exchange(wanted, false);
      if (first) decision_.wanted_pool = rule.pools[step];
      const auto reason = look(*pool, Guard{});
      if (!reason) {
        if (!first) decision_.fallback_step = step_number(step);
        return;
      }
      if (!decision_.fallback_reason) {
        decision_.fallback_reason = reason;
        primary_ = decision_.primary = best_possible();
      }
    }
    if (!decision_.fallback_reason) {
      decision_.fallback_reason = rule.pools.empty() ? Reason::policy : Reason::capacity;
    }
    run_fallbacks();
  }

  /// The job waits, and no fallback of the policy said that it shall for this reason.
  bool waits_unasked() const { return decision_.action == Action::queue && !asked_; }

  /// When every candidate of every pool is excluded for good: the reason that most of them have.
  std::optional<Reason> impossible() const {
    const auto most = std::max_element(excluded_.begin(), excluded_.end());
    if (possible_ || *most == 0) return std::nullopt;
    return filters()[static_cast<std::size_t>(most - excluded_.begin())].reason;
  }

 private:
  static std::uint8_t step_number(std::size_t step) {
    return static_cast<std::uint8_t>(std::min<std::size_t>(step, 255));
  }

  void run_fallbacks() {
    const Rule& rule = question_.rule;
    const Reason reason = *decision_.fallback_reason;
    const std::size_t before = std::max<std::size_t>(1, rule.pools.size());
    std::vector<const Fallback*> tried;
    for (std::size_t step = 0; step < rule.fallbacks.size(); ++step) {
      const Fallback& fallback = rule.fallbacks[step];
      const auto& on = fallback.on;
      if (!on.empty() && std::find(on.begin(), on.end(), reason) == on.end()) continue;
      if (fallback.action != FallbackAction::go) {
        decision_.fallback_step = step_number(before + step);
        asked_ = !on.empty();
        return end(fallback.action, fallback.max_wait);
      }
      const bool again = std::any_of(tried.begin(), tried.end(), [&](const Fallback* other) {
        return other->to == fallback.to && other->change_precision == fallback.change_precision;
      });
      const auto pool = question_.policy.pool_index(fallback.to);
      if (again || !pool || !question_.roster.pool_has_groups(*pool)) continue;
      tried.push_back(&fallback);
      if (fallback.change_precision) {
        // Declared: it holds whatever the job was verified in.
        question_.precisions = {*fallback.change_precision};
        question_.none_accepted = false;
      } else {
        accept_precisions(question_, rule.precisions);
      }
      if (look(*pool, fallback.guard)) continue;
      decision_.fallback_step = step_number(before + step);
      if (fallback.change_precision) describe_change(*fallback.change_precision);
      return;
    }
    end(question_.policy.default_action, Duration{0});
  }

  void describe_change(Precision to) {
    accept_precisions(question_, question_.rule.precisions);
    const Precision from =
        question_.precisions.empty() ? Precision::bf16 : question_.precisions.front();
    if (from != to) decision_.change = fmt::format("degraded {} -> {}", to_text(from), to_text(to));
  }

  void end(FallbackAction action, Duration max_wait) {
    decision_.action = action == FallbackAction::queue ? Action::queue : Action::reject;
    verdict_.max_wait = action == FallbackAction::queue ? max_wait : Duration{0};
    // What never changes is nothing to wait for, where another pool may have room in time.
    const bool waits = action == FallbackAction::queue && passing_;
    if (waits && is_permanent(*decision_.fallback_reason)) decision_.fallback_reason = passing_;
  }

  /// Places the job in this pool, or answers why not.
  std::optional<Reason> look(std::uint32_t pool, const Guard& guard) {
    ask_pool(question_, pool);
    scratch_.rows.size = 0;
    const bool draw = question_.rule.pick == Pick::p2c && question_.purpose == Purpose::request &&
                      question_.healthy;  // panic is a matter of the whole pool
    if (draw) gather_drawn(question_, estimator_, scratch_, dice_);
    if (scratch_.rows.size == 0) gather(question_, estimator_, scratch_);
    const Standings& rows = scratch_.rows;
    decision_.considered += static_cast<std::uint32_t>(rows.size);
    find_feasible(scratch_);
    const bool all_pass = scratch_.feasible.size() == rows.size;
    const Reason reason = all_pass && rows.size > 0
                              ? Reason::capacity
                              : record_rejections(question_, scratch_, decision_);
    if (scratch_.feasible.empty()) {
      if (recorded_) record_rows(question_, scratch_);
      count_excluded();
      if (!passing_ && rows.size > 0 && !is_permanent(reason)) passing_ = reason;
      return reason;
    }
    possible_ = true;
    apply_scorers(question_, scratch_);
    if (recorded_) record_rows(question_, scratch_);
    const std::size_t chosen = pick(question_.rule.pick, scratch_.scores, dice_);
    const std::size_t row = scratch_.feasible[chosen];
    if (!guard_passes(guard, primary_, estimate_of(rows, row))) return Reason::policy;
    record_top(question_, scratch_, chosen, decision_);
    place(row);
    return std::nullopt;
  }

  /// What is excluded by what it is, not by the state that it is in.
  void count_excluded() {
    const std::uint32_t by_kind = kind_filters();
    for (std::size_t row = 0; row < scratch_.rows.size; ++row) {
      const std::uint32_t own = scratch_.rows.failed[row] & by_kind;
      if (own == 0) {
        possible_ = true;
        return;
      }
      ++excluded_[static_cast<std::size_t>(std::countr_zero(own))];
    }
  }

  /// The best that the pool just looked at could have done, had it nothing against the job but what
  /// passes by itself.
  std::optional<Estimate> best_possible() const {
    std::uint32_t permanent = 0;
    const auto table = filters();
    for (std::size_t index = 0; index < table.size(); ++index) {
      if (is_permanent(table[index].reason)) permanent |= 1U << index;
    }
    std::optional<Estimate> best;
    const Standings& rows = scratch_.rows;
    for (std::size_t row = 0; row < rows.size; ++row) {
      if ((rows.failed[row] & permanent) != 0) continue;
      if (!best || rows.finish_s[row] < best->finish_s) best = estimate_of(rows, row);
    }
    return best;
  }

  void place(std::size_t row) {
    const Standings& rows = scratch_.rows;
    const PlaceKind& kind = scratch_.kinds[rows.kind[row]];
    Place place;
    place.group = rows.group[row];
    place.host = question_.roster.groups()[place.group].host;
    place.precision = kind.precision.value_or(Precision::bf16);
    place.run_s = question_.purpose == Purpose::replica ? rows.warmup_s[row] : rows.run_s[row];
    place.wait_s = question_.purpose == Purpose::request ? rows.start_s[row] : 0;
    place.first_token_s = question_.purpose == Purpose::request ? rows.first_token_s[row] : 0;
    place.ratio = rows.ratio[row];
    place.expected = {kind.devices * rows.run_s[row], rows.energy_j[row], rows.cost_usd[row]};
    if (rows.replica[row] != nowhere) {
      place.replica = rows.replica[row];
      // A batch shares the devices, as energy and cost have it already.
      const ReplicaFacts& facts = question_.roster.replicas()[*place.replica].facts;
      place.serving = {rows.power_w[row] / facts.batch_share, rows.prompt_w[row]};
      const double batch_max = question_.roster.replicas()[*place.replica].replica.batch_max;
      place.expected.device_s /= std::clamp(rows.load[row] + 1, 1.0, std::max(1.0, batch_max));
    } else {
      place.devices = free_devices(question_.roster, place.group, kind.devices);
      place.watts_each = rows.power_w[row] / kind.devices;
    }
    decision_.action =
        question_.purpose == Purpose::replica ? Action::start_replica : Action::assign;
    decision_.pool = question_.pool->name;
    decision_.target = decision_.top.front().target;
    verdict_.place = std::move(place);
  }

  Question& question_;
  Estimator& estimator_;
  Dice& dice_;
  DecisionScratch& scratch_;
  Verdict& verdict_;
  Decision& decision_;
  bool recorded_;
  std::optional<Estimate> primary_;
  std::optional<Reason> passing_;  // the first pool's that need not stay so
  bool asked_ = false;
  bool possible_ = false;
  std::array<std::uint32_t, 32> excluded_{};  // candidates by their own reason, over all pools
};

Verdict blank(const Roster& roster, const Ask& ask, Instant now, Purpose purpose) {
  Verdict verdict;
  Decision& decision = verdict.decision;
  decision.at = now;
  if (purpose != Purpose::replica) {
    decision.job = ask.job->id;
    decision.attempt = ask.attempt;
  }
  decision.kind = ask.job->work.kind;
  decision.model = ask.job->work.model;
  decision.action = Action::queue;
  decision.roster_version = roster.version();
  return verdict;
}

bool rejected_for(const Decision& decision, Reason reason) {
  return std::any_of(decision.rejections.begin(), decision.rejections.end(),
                     [&](const Rejection& rejection) { return rejection.reason == reason; });
}

/// A wish, the reasons that it rejects for, and what to say when it was given up.
struct Wish {
  bool Question::*held;
  std::array<Reason, 2> reasons;
  std::string_view change;
};
constexpr std::array<Wish, 3> wishes = {{
    {&Question::avoid, {Reason::cooldown, Reason::cooldown}, ""},
    {&Question::slo, {Reason::queue_slo, Reason::deadline}, "slo -> best effort"},
    {&Question::healthy, {Reason::unhealthy, Reason::cooldown}, "panic: unhealthy places used"},
}};

/// Not where a request runs now, and not where a new replica could be loaded for it.
std::optional<Reason> impossible_anywhere(Question question, const Walk& walked,
                                          Estimator& estimator, Dice& dice) {
  const auto reason = walked.impossible();
  if (!reason || question.purpose != Purpose::request) return reason;
  question.purpose = Purpose::replica;
  Verdict elsewhere;
  Walk loading(question, estimator, dice, elsewhere, false);
  loading.run();
  return loading.impossible() ? reason : std::nullopt;
}

bool longer_than_context(const Question& question) {
  const std::uint32_t limit = question.ask.model->context_max;
  return question.purpose == Purpose::request && limit > 0 && question.need_tokens > limit;
}

Verdict walk(Question question, Estimator& estimator, const Verdict& start, Dice& dice) {
  Verdict first = start;
  std::vector<RecordRow>& record = estimator.scratch().record;
  record.clear();
  Walk strict(question, estimator, dice, first);
  strict.run();
  if (!strict.waits_unasked()) return first;
  if (longer_than_context(question)) {
    first.decision.action = Action::reject;
    first.decision.fallback_reason = Reason::context;
    return first;
  }
  first.impossible = impossible_anywhere(question, strict, estimator, dice);
  if (first.impossible) return first;
  for (const Wish& wish : wishes) {
    if (wish.held == &Question::avoid && question.ask.avoid_binds) continue;
    const auto* reason = std::find_if(wish.reasons.begin(), wish.reasons.end(), [&](Reason each) {
      return rejected_for(first.decision, each);
    });
    if (reason == wish.reasons.end()) continue;
    question.*wish.held = false;
    Verdict verdict = start;
    const auto before = static_cast<std::ptrdiff_t>(record.size());
    Walk(question, estimator, dice, verdict).run();
    if (!verdict.place) {
      record.erase(record.begin() + before, record.end());
      continue;
    }
    record.erase(record.begin(), record.begin() + before);
    if (!question.healthy && question.policy.panic.action == PanicAction::fail) {
      first.decision.action = Action::reject;
      first.decision.fallback_reason = *reason;
      first.decision.change = "panic: fails at once";
      return first;
    }
    // Tried again where it failed before, and wanted: nothing fell back.
    const bool wanted = verdict.decision.pool == verdict.decision.wanted_pool;
    if (!wanted || !wish.change.empty()) verdict.decision.fallback_reason = *reason;
    if (!wish.change.empty()) {
      verdict.decision.change += verdict.decision.change.empty() ? "" : "; ";
      verdict.decision.change += wish.change;
    }
    return verdict;
  }
  return first;
}

Verdict decide_for(Purpose purpose, const Roster& roster, const Policy& policy,
                   Estimator& estimator, const Ask& ask, Instant now, Dice& dice) {
  DROVER_REQUIRE(ask.job != nullptr && ask.model != nullptr);
  Verdict verdict = blank(roster, ask, now, purpose);
  const WorkClass* work_class = class_of(policy, *ask.job, *ask.model);
  if (work_class != nullptr) verdict.decision.work_class = work_class->name;
  verdict.decision.policy_version = static_cast<std::uint64_t>(policy.version);
  const Rule* rule = find_rule(policy, *ask.job, *ask.model, work_class);
  if (rule == nullptr) {
    verdict.decision.fallback_reason = Reason::policy;
    if (policy.default_action != FallbackAction::queue) verdict.decision.action = Action::reject;
    verdict.impossible = Reason::policy;
    return verdict;
  }
  verdict.decision.rule = rule->name;
  if (!rule->pools.empty()) verdict.decision.wanted_pool = rule->pools.front();
  const Duration deadline = ask.job->deadline;
  if (purpose != Purpose::replica && deadline > Duration{0} && now >= ask.submitted + deadline) {
    verdict.decision.action = Action::reject;
    verdict.decision.fallback_reason = Reason::deadline;
    return verdict;
  }
  Question question = make_question(roster, policy, *rule, ask, work_class, now, purpose);
  return walk(std::move(question), estimator, verdict, dice);
}

}  // namespace

Verdict decide(const Roster& roster, const Policy& policy, Estimator& estimator, const Ask& ask,
               Instant now, Dice& dice) {
  const bool gang = ask.job != nullptr && ask.job->work.kind == WorkKind::train;
  return decide_for(gang ? Purpose::gang : Purpose::request, roster, policy, estimator, ask, now,
                    dice);
}

Verdict decide_replica(const Roster& roster, const Policy& policy, Estimator& estimator,
                       const Ask& ask, Instant now, Dice& dice) {
  Verdict verdict = decide_for(Purpose::replica, roster, policy, estimator, ask, now, dice);
  // Nowhere now may be somewhere later: a replica decision never rejects.
  if (verdict.decision.action == Action::reject) verdict.decision.action = Action::queue;
  return verdict;
}

}  // namespace drover::router
