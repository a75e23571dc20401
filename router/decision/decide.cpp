// A decision: the rule, its evaluation, and the soft constraints that are dropped when it fails.
#include "router/decision/decide.h"

#include <algorithm>
#include <utility>

#include "fleet/base/text.h"
#include "router/decision/candidates.h"
#include "router/decision/criteria.h"
#include "router/decision/rule_evaluation.h"
#include "router/policy/work_class.h"

namespace drover::router {
namespace {

/// The result before any candidate is evaluated. `rule`, `work_class`: null: none.
PlacementResult blank(const FleetState& fleet_state, const Policy& policy, const Rule* rule,
                      const WorkClass* work_class, const PlacementRequest& request, Instant now,
                      Purpose purpose) {
  PlacementResult result;
  Decision& decision = result.decision;
  decision.at = now;
  if (purpose != Purpose::replica) {
    decision.job = request.job->id;
    decision.attempt = request.attempt;
  }
  decision.kind = request.job->work.kind;
  decision.model = request.job->work.model;
  decision.action = Action::queue;
  decision.fleet_version = fleet_state.version();
  decision.policy_version = static_cast<std::uint64_t>(policy.version);
  if (work_class != nullptr) decision.work_class = work_class->name;
  if (rule == nullptr) return result;
  decision.rule = rule->name;
  if (!rule->pools.empty()) decision.preferred_pool = rule->pools.front();
  return result;
}

bool rejected_for(const Decision& decision, Reason reason) {
  return std::ranges::any_of(
      decision.rejections, [&](const Rejection& rejection) { return rejection.reason == reason; });
}

/// A soft constraint, the reasons for which it rejects, and the text when it was dropped.
struct SoftConstraint {
  bool PlacementQuery::*held;
  std::array<Reason, 2> reasons;
  std::string_view change;
};
constexpr std::array<SoftConstraint, 3> soft_constraints = {{
    {&PlacementQuery::avoid, {Reason::cooldown, Reason::cooldown}, ""},
    {&PlacementQuery::slo, {Reason::queue_slo, Reason::deadline}, "slo dropped: best effort"},
    {&PlacementQuery::healthy,
     {Reason::unhealthy, Reason::cooldown},
     "panic: unhealthy hosts used"},
}};

/// Whether neither an existing nor a new replica could ever run the request.
std::optional<Reason> impossible_anywhere(PlacementQuery query, const RuleEvaluation& evaluation,
                                          Estimator& estimator, RandomStream& random) {
  const auto reason = evaluation.impossible();
  if (!reason || query.purpose != Purpose::request) return reason;
  query.purpose = Purpose::replica;
  PlacementResult elsewhere;
  RuleEvaluation loading(query, estimator, random, elsewhere, false);
  loading.run();
  return loading.impossible() ? reason : std::nullopt;
}

bool longer_than_context(const PlacementQuery& query) {
  const std::uint32_t limit = query.request.model->context_max;
  return query.purpose == Purpose::request && limit > 0 && query.need_tokens > limit;
}

/// Evaluates the pools and fallbacks of the rule, then again without each soft constraint, into
/// `result`. `begin()` returns the initial state of each evaluation.
template <typename Begin>
void evaluate(PlacementQuery query, Estimator& estimator, RandomStream& random, const Begin& begin,
              PlacementResult& result) {
  std::vector<RecordRow>& record = estimator.scratch().record;
  record.clear();
  RuleEvaluation strict(query, estimator, random, result);
  strict.run();
  if (!strict.waits_by_default()) return;
  if (longer_than_context(query)) {
    result.decision.action = Action::reject;
    result.decision.fallback_reason = Reason::context;
    return;
  }
  result.impossible = impossible_anywhere(query, strict, estimator, random);
  if (result.impossible) return;
  for (const SoftConstraint& constraint : soft_constraints) {
    if (constraint.held == &PlacementQuery::avoid && query.request.avoid_binds) continue;
    const auto* reason = std::ranges::find_if(
        constraint.reasons, [&](Reason each) { return rejected_for(result.decision, each); });
    if (reason == constraint.reasons.end()) continue;
    query.*constraint.held = false;
    PlacementResult without = begin();
    const auto before = static_cast<std::ptrdiff_t>(record.size());
    RuleEvaluation(query, estimator, random, without).run();
    if (!without.place) {
      if (!result.required_power_w) result.required_power_w = without.required_power_w;
      record.erase(record.begin() + before, record.end());
      continue;
    }
    record.erase(record.begin(), record.begin() + before);
    if (!query.healthy && query.policy.panic.action == PanicAction::fail) {
      result.decision.action = Action::reject;
      result.decision.fallback_reason = *reason;
      result.decision.change = "panic: rejected";
      return;
    }
    // Tried again in the preferred pool, where it failed before: nothing fell back.
    const bool wanted = without.decision.pool == without.decision.preferred_pool;
    if (!wanted || !constraint.change.empty()) without.decision.fallback_reason = *reason;
    add_part(without.decision.change, "; ", constraint.change);
    result = std::move(without);
    return;
  }
}

PlacementResult decide_for(Purpose purpose, const FleetState& fleet_state, const Policy& policy,
                           Estimator& estimator, const PlacementRequest& request, Instant now,
                           RandomStream& random) {
  DROVER_REQUIRE(request.job != nullptr && request.model != nullptr);
  const WorkClass* work_class = class_of(policy, *request.job, *request.model);
  const Rule* rule = find_rule(policy, *request.job, *request.model, work_class);
  const auto begin = [&] {
    return blank(fleet_state, policy, rule, work_class, request, now, purpose);
  };
  PlacementResult result = begin();
  if (rule == nullptr) {
    result.decision.fallback_reason = Reason::policy;
    if (policy.default_action != FallbackAction::queue) result.decision.action = Action::reject;
    result.impossible = Reason::policy;
    return result;
  }
  const Duration deadline = request.job->deadline;
  if (purpose != Purpose::replica && deadline > Duration{0} &&
      now >= request.submitted + deadline) {
    result.decision.action = Action::reject;
    result.decision.fallback_reason = Reason::deadline;
    return result;
  }
  evaluate(make_query(fleet_state, policy, *rule, request, work_class, now, purpose), estimator,
           random, begin, result);
  return result;
}

}  // namespace

PlacementResult decide(const FleetState& fleet_state, const Policy& policy, Estimator& estimator,
                       const PlacementRequest& request, Instant now, RandomStream& random) {
  const bool gang = request.job != nullptr && request.job->work.kind == WorkKind::train;
  return decide_for(gang ? Purpose::gang : Purpose::request, fleet_state, policy, estimator,
                    request, now, random);
}

PlacementResult decide_replica(const FleetState& fleet_state, const Policy& policy,
                               Estimator& estimator, const PlacementRequest& request, Instant now,
                               RandomStream& random) {
  PlacementResult result =
      decide_for(Purpose::replica, fleet_state, policy, estimator, request, now, random);
  // No placement now may change later: a replica decision never rejects.
  if (result.decision.action == Action::reject) result.decision.action = Action::queue;
  return result;
}

}  // namespace drover::router
