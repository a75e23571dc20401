// The walk through a rule: pools, filters, scorers, pick, fallbacks.
#include "router/decide.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "fleet/text.h"
#include "router/criteria.h"
#include "router/decide_candidates.h"
#include "router/decide_record.h"

namespace drover::router {
namespace {

bool holds(const When& when, const Job& job, const devices::ModelSpec& model) {
  const Workload& work = job.work;
  if (!when.kinds.empty() &&
      std::find(when.kinds.begin(), when.kinds.end(), work.kind) == when.kinds.end()) {
    return false;
  }
  const auto fits = [](std::string_view text, const std::string& glob) {
    return glob == "*" || matches_glob(text, glob);
  };
  return when.input_tokens.holds(work.input_tokens) &&
         when.output_tokens.holds(work.output_tokens) && when.batch.holds(work.batch) &&
         when.gang.holds(work.devices) && when.priority.holds(job.priority) &&
         (fits(model.id, when.model) || fits(model.family, when.model)) &&
         fits(job.tenant, when.tenant);
}

const Rule* find_rule(const Policy& policy, const Job& job, const devices::ModelSpec& model) {
  for (const Rule& rule : policy.rules) {
    if (holds(rule.when, job, model)) return &rule;
  }
  return nullptr;
}

/// What job and rule both accept, in the job's order.
void accept_precisions(Question& question, const std::vector<Precision>& of_rule) {
  const std::vector<Precision>& of_job = question.ask.job->work.precisions;
  question.precisions = of_job.empty() ? of_rule : of_job;
  if (!of_job.empty() && !of_rule.empty()) {
    std::erase_if(question.precisions, [&](Precision precision) {
      return std::find(of_rule.begin(), of_rule.end(), precision) == of_rule.end();
    });
  }
  question.none_accepted = question.precisions.empty() && !(of_job.empty() && of_rule.empty());
}

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
  Walk(Question& question, Estimator& estimator, Dice& dice, Verdict& verdict)
      : question_(question),
        estimator_(estimator),
        dice_(dice),
        scratch_(estimator.scratch()),
        verdict_(verdict),
        decision_(verdict.decision) {}

  void run() {
    const Rule& rule = question_.rule;
    accept_precisions(question_, rule.precisions);
    bool wanted = true;
    for (const std::string& name : rule.pools) {
      const auto pool = question_.policy.pool_index(name);
      if (!pool || !question_.roster.pool_has_groups(*pool)) continue;
      if (std::exchange(wanted, false)) decision_.wanted_pool = name;
      const auto reason = look(*pool, Guard{});
      if (!reason) return;
      if (!decision_.fallback_reason) {
        decision_.fallback_reason = reason;
        primary_ = best_possible();
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
  void run_fallbacks() {
    const Rule& rule = question_.rule;
    const Reason reason = *decision_.fallback_reason;
    std::vector<const Fallback*> tried;
    for (std::size_t step = 0; step < rule.fallbacks.size(); ++step) {
      const Fallback& fallback = rule.fallbacks[step];
      const auto& on = fallback.on;
      if (!on.empty() && std::find(on.begin(), on.end(), reason) == on.end()) continue;
      if (fallback.action != FallbackAction::go) {
        decision_.fallback_step = static_cast<std::uint8_t>(std::min<std::size_t>(step + 1, 255));
        asked_ = !on.empty();
        return end(fallback.action, fallback.max_wait);
      }
      const bool again = std::any_of(tried.begin(), tried.end(), [&](const Fallback* other) {
        return other->to == fallback.to && other->change_precision == fallback.change_precision;
      });
      const auto pool = question_.policy.pool_index(fallback.to);
      if (again || !pool || !question_.roster.pool_has_groups(*pool)) continue;
      tried.push_back(&fallback);
      accept_precisions(question_, fallback.change_precision
                                       ? std::vector<Precision>{*fallback.change_precision}
                                       : rule.precisions);
      if (look(*pool, fallback.guard)) continue;
      decision_.fallback_step = static_cast<std::uint8_t>(std::min<std::size_t>(step + 1, 255));
      if (fallback.change_precision) describe_change(*fallback.change_precision);
      return;
    }
    end(question_.policy.default_action, Duration{0});
  }

  void describe_change(Precision to) {
    accept_precisions(question_, question_.rule.precisions);
    const Precision from =
        question_.precisions.empty() ? Precision::bf16 : question_.precisions.front();
    if (from != to) decision_.change = fmt::format("{} -> {}", to_text(from), to_text(to));
  }

  void end(FallbackAction action, Duration max_wait) {
    decision_.action = action == FallbackAction::queue ? Action::queue : Action::reject;
    verdict_.max_wait = action == FallbackAction::queue ? max_wait : Duration{0};
  }

  /// Places the job in this pool, or answers why not.
  std::optional<Reason> look(std::uint32_t pool, const Guard& guard) {
    ask_pool(question_, pool);
    scratch_.rows.clear();
    const bool draw = question_.rule.pick == Pick::p2c && question_.purpose == Purpose::request;
    if (draw) gather_drawn(question_, estimator_, scratch_, dice_);
    if (scratch_.rows.empty()) gather(question_, estimator_, scratch_);
    decision_.considered += static_cast<std::uint32_t>(scratch_.rows.size());
    scratch_.feasible.clear();
    for (std::uint32_t row = 0; row < scratch_.rows.size(); ++row) {
      if (scratch_.rows[row].failed == 0) scratch_.feasible.push_back(row);
    }
    const bool all_pass = scratch_.feasible.size() == scratch_.rows.size();
    const Reason reason = all_pass && !scratch_.rows.empty()
                              ? Reason::capacity
                              : record_rejections(question_, scratch_, decision_);
    if (scratch_.feasible.empty()) {
      count_excluded();
      return reason;
    }
    possible_ = true;
    apply_scorers(question_, scratch_);
    const std::size_t chosen = pick();
    const Standing& row = scratch_.rows[scratch_.feasible[chosen]];
    if (!guard_passes(guard, primary_, estimate_of(row))) return Reason::policy;
    record_top(question_, scratch_, chosen, decision_);
    place(row);
    return std::nullopt;
  }

  /// What is excluded by what it is, not by the state that it is in.
  void count_excluded() {
    const std::uint32_t by_kind = kind_filters();
    for (const Standing& row : scratch_.rows) {
      const std::uint32_t own = row.failed & by_kind;
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
    for (const Standing& row : scratch_.rows) {
      if ((row.failed & permanent) != 0) continue;
      if (!best || row.finish_s < best->finish_s) best = estimate_of(row);
    }
    return best;
  }

  std::size_t pick() {
    const std::vector<double>& scores = scratch_.scores;
    if (question_.rule.pick == Pick::weighted) return pick_weighted();
    if (question_.rule.pick == Pick::p2c && scores.size() > 2) {
      const std::size_t first = dice_.below(scores.size());
      std::size_t second = dice_.below(scores.size() - 1);
      if (second >= first) ++second;
      if (scores[first] == scores[second]) return dice_.below(2) == 0 ? first : second;
      return scores[first] > scores[second] ? first : second;
    }
    std::size_t best = 0;
    std::uint64_t equals = 1;
    for (std::size_t index = 1; index < scores.size(); ++index) {
      if (scores[index] > scores[best]) {
        best = index;
        equals = 1;
      } else if (scores[index] == scores[best] && dice_.below(++equals) == 0) {
        best = index;
      }
    }
    return best;
  }

  std::size_t pick_weighted() {
    double sum = 0;
    for (const double score : scratch_.scores) sum += score;
    double left = dice_.uniform() * sum;
    for (std::size_t index = 0; index + 1 < scratch_.scores.size(); ++index) {
      left -= scratch_.scores[index];
      if (left < 0) return index;
    }
    return scratch_.scores.size() - 1;
  }

  void place(const Standing& row) {
    const PlaceKind& kind = scratch_.kinds[row.kind];
    Place place;
    place.host = row.host;
    place.group = row.group;
    place.precision = kind.precision.value_or(Precision::bf16);
    place.run_s = question_.purpose == Purpose::replica ? row.warmup_s : row.run_s;
    place.wait_s = question_.purpose == Purpose::request ? row.start_s : 0;
    place.first_token_s = question_.purpose == Purpose::request ? row.first_token_s : 0;
    place.ratio = row.ratio;
    if (row.replica != nowhere) {
      place.replica = row.replica;
    } else {
      place.devices = free_devices(question_.roster, row.group, kind.devices);
      place.watts_each = row.power_w / kind.devices;
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
  std::optional<Estimate> primary_;
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
constexpr std::array<Wish, 2> wishes = {{
    {&Question::avoid, {Reason::cooldown, Reason::cooldown}, ""},
    {&Question::slo, {Reason::queue_slo, Reason::deadline}, "slo -> best effort"},
}};

/// Not where a request runs now, and not where a new replica could be loaded for it.
std::optional<Reason> impossible_anywhere(Question question, const Walk& walked,
                                          Estimator& estimator, Dice& dice) {
  const auto reason = walked.impossible();
  if (!reason || question.purpose != Purpose::request) return reason;
  question.purpose = Purpose::replica;
  Verdict elsewhere;
  Walk loading(question, estimator, dice, elsewhere);
  loading.run();
  return loading.impossible() ? reason : std::nullopt;
}

bool longer_than_context(const Question& question) {
  const std::uint32_t limit = question.ask.model->context_max;
  return question.purpose == Purpose::request && limit > 0 && question.need_tokens > limit;
}

Verdict walk(Question question, Estimator& estimator, const Verdict& start, Dice& dice) {
  Verdict first = start;
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
    Walk(question, estimator, dice, verdict).run();
    if (!verdict.place) continue;
    verdict.decision.fallback_reason = *reason;
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
  const Rule* rule = find_rule(policy, *ask.job, *ask.model);
  if (rule == nullptr) {
    verdict.decision.fallback_reason = Reason::policy;
    if (policy.default_action != FallbackAction::queue) verdict.decision.action = Action::reject;
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
  Question question{
      .roster = roster,
      .policy = policy,
      .rule = *rule,
      .ask = ask,
      .now = now,
      .purpose = purpose,
      .waited_s = std::max(0.0, to_seconds(now - ask.submitted)),
      .need_tokens = std::uint64_t{ask.job->work.input_tokens} + ask.job->work.output_tokens,
      .avoid = true,
      .slo = true,
      .precisions = {},
      .none_accepted = false,
      .pool = nullptr,
      .pool_number = 0,
      .site_power_w = 0,
      .pool_power_w = 0,
      .pool_cap_w = 0,
      .pool_jobs = 0};
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
