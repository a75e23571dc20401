// A decision: the rule, the walk through it, and the wishes that are given up when it leads
// nowhere.
#include "router/decision/decide.h"

#include <algorithm>
#include <utility>

#include "router/decision/criteria.h"
#include "router/decision/decide_candidates.h"
#include "router/decision/decide_walk.h"
#include "router/policy/work_class.h"

namespace drover::router {
namespace {

/// What is known before any place is looked at. `rule`, `work_class`: null: none.
Verdict blank(const Roster& roster, const Policy& policy, const Rule* rule,
              const WorkClass* work_class, const Ask& ask, Instant now, Purpose purpose) {
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
  decision.policy_version = static_cast<std::uint64_t>(policy.version);
  if (work_class != nullptr) decision.work_class = work_class->name;
  if (rule == nullptr) return verdict;
  decision.rule = rule->name;
  if (!rule->pools.empty()) decision.wanted_pool = rule->pools.front();
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

/// The pools and fallbacks of the rule, then again without each wish, into `verdict`.
/// `begin()` answers what every walk of this decision begins with, as `verdict` is.
template <typename Begin>
void walk(Question question, Estimator& estimator, Dice& dice, const Begin& begin,
          Verdict& verdict) {
  std::vector<RecordRow>& record = estimator.scratch().record;
  record.clear();
  Walk strict(question, estimator, dice, verdict);
  strict.run();
  if (!strict.waits_unasked()) return;
  if (longer_than_context(question)) {
    verdict.decision.action = Action::reject;
    verdict.decision.fallback_reason = Reason::context;
    return;
  }
  verdict.impossible = impossible_anywhere(question, strict, estimator, dice);
  if (verdict.impossible) return;
  for (const Wish& wish : wishes) {
    if (wish.held == &Question::avoid && question.ask.avoid_binds) continue;
    const auto* reason = std::find_if(wish.reasons.begin(), wish.reasons.end(), [&](Reason each) {
      return rejected_for(verdict.decision, each);
    });
    if (reason == wish.reasons.end()) continue;
    question.*wish.held = false;
    Verdict without = begin();
    const auto before = static_cast<std::ptrdiff_t>(record.size());
    Walk(question, estimator, dice, without).run();
    if (!without.place) {
      if (!verdict.wants_w) verdict.wants_w = without.wants_w;
      record.erase(record.begin() + before, record.end());
      continue;
    }
    record.erase(record.begin(), record.begin() + before);
    if (!question.healthy && question.policy.panic.action == PanicAction::fail) {
      verdict.decision.action = Action::reject;
      verdict.decision.fallback_reason = *reason;
      verdict.decision.change = "panic: fails at once";
      return;
    }
    // Tried again where it failed before, and wanted: nothing fell back.
    const bool wanted = without.decision.pool == without.decision.wanted_pool;
    if (!wanted || !wish.change.empty()) without.decision.fallback_reason = *reason;
    if (!wish.change.empty()) {
      without.decision.change += without.decision.change.empty() ? "" : "; ";
      without.decision.change += wish.change;
    }
    verdict = std::move(without);
    return;
  }
}

Verdict decide_for(Purpose purpose, const Roster& roster, const Policy& policy,
                   Estimator& estimator, const Ask& ask, Instant now, Dice& dice) {
  DROVER_REQUIRE(ask.job != nullptr && ask.model != nullptr);
  const WorkClass* work_class = class_of(policy, *ask.job, *ask.model);
  const Rule* rule = find_rule(policy, *ask.job, *ask.model, work_class);
  const auto begin = [&] { return blank(roster, policy, rule, work_class, ask, now, purpose); };
  Verdict verdict = begin();
  if (rule == nullptr) {
    verdict.decision.fallback_reason = Reason::policy;
    if (policy.default_action != FallbackAction::queue) verdict.decision.action = Action::reject;
    verdict.impossible = Reason::policy;
    return verdict;
  }
  const Duration deadline = ask.job->deadline;
  if (purpose != Purpose::replica && deadline > Duration{0} && now >= ask.submitted + deadline) {
    verdict.decision.action = Action::reject;
    verdict.decision.fallback_reason = Reason::deadline;
    return verdict;
  }
  walk(make_question(roster, policy, *rule, ask, work_class, now, purpose), estimator, dice, begin,
       verdict);
  return verdict;
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
