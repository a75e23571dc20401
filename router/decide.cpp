// A decision: the rule, the walk through it, and the wishes that are given up when it leads
// nowhere.
#include "router/decide.h"

#include <algorithm>
#include <utility>

#include "router/criteria.h"
#include "router/decide_candidates.h"
#include "router/decide_walk.h"
#include "router/work_class.h"

namespace drover::router {
namespace {

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
