#include "commands/query/explanations.h"

#include <utility>

#include "commands/query/reports.h"
#include "commands/query/table_output.h"
#include "commands/shell/json_null.h"

namespace drover::commands {
namespace {

Json to_json(const Estimate& estimate) {
  return Json::object()
      .set("start_s", when(estimate.wait_known, estimate.start_s))
      .set("finish_s", when(estimate.wait_known, estimate.finish_s))
      .set("energy_j", estimate.energy_j)
      .set("cost_usd", estimate.cost_usd);
}

Json to_json(const Candidate& candidate) {
  Json parts = Json::array();
  for (const ScorePart& part : candidate.parts) {
    parts.add(Json::object()
                  .set("scorer", part.scorer)
                  .set("value", part.value)
                  .set("weight", part.weight));
  }
  return Json::object()
      .set("target", candidate.target)
      .set("pool", text_or_null(candidate.pool))
      .set("score", candidate.score)
      .set("parts", std::move(parts))
      .set("estimate", to_json(candidate.estimate))
      .set("price", text_or_null(candidate.price));
}

Json to_json(const CandidateStatus& standing) {
  Json reasons = Json::array();
  for (const Reason reason : standing.reasons) reasons.add(Json(to_text(reason)));
  return Json::object()
      .set("target", standing.target)
      .set("pool", text_or_null(standing.pool))
      .set("device", standing.device_class)
      .set("score", standing.score ? Json(*standing.score) : Json())
      .set("reasons", std::move(reasons));
}

Json to_json(const NearestFit& fit) {
  return Json::object()
      .set("reason", to_text(fit.reason))
      .set("target", text_or_null(fit.target))
      .set("pool", text_or_null(fit.pool))
      .set("amount", when(fit.amount > 0, fit.amount))
      .set("change", fit.change);
}

}  // namespace

Json to_json(const Decision& decision) {
  Json top = Json::array();
  for (const Candidate& candidate : decision.top) top.add(to_json(candidate));
  Json rejections = Json::array();
  for (const Rejection& rejection : decision.rejections) {
    rejections.add(Json::object()
                       .set("pool", text_or_null(rejection.pool))
                       .set("device", rejection.device_class)
                       .set("reason", to_text(rejection.reason))
                       .set("count", rejection.count));
  }
  return Json::object()
      .set("number", when(decision.number > 0, decision.number))
      .set("time", to_iso8601(decision.at))
      .set("job", when(!decision.job.empty(), to_text(decision.job)))
      .set("attempt", decision.attempt)
      .set("kind", to_text(decision.kind))
      .set("model", decision.model)
      .set("action", to_text(decision.action))
      .set("rule", text_or_null(decision.rule))
      .set("preferred_pool", text_or_null(decision.preferred_pool))
      .set("pool", text_or_null(decision.pool))
      .set("target", text_or_null(decision.target))
      .set("fallback_reason",
           decision.fallback_reason ? Json(to_text(*decision.fallback_reason)) : Json())
      .set("fallback_step", static_cast<int>(decision.fallback_step))
      .set("change", text_or_null(decision.change))
      .set("work_class", text_or_null(decision.work_class))
      .set("policy_version", decision.policy_version)
      .set("primary", decision.primary ? to_json(*decision.primary) : Json())
      .set("top", std::move(top))
      .set("rejections", std::move(rejections))
      .set("considered", decision.considered)
      .set("fleet_version", decision.fleet_version)
      .set("empty_pools", Json::array_of(decision.empty_pools));
}

Json to_json(const std::vector<CandidateStatus>& candidates) {
  Json all = Json::array();
  for (const CandidateStatus& standing : candidates) all.add(to_json(standing));
  return all;
}

Json to_json(const WhyReply& reply, Instant now) {
  Json decisions = Json::array();
  for (const Decision& decision : reply.decisions) decisions.add(to_json(decision));
  Json nearest = Json::array();
  for (const NearestFit& fit : reply.nearest) nearest.add(to_json(fit));
  return Json::object()
      .set("job", reply.job ? to_json(*reply.job, now) : Json())
      .set("decisions", std::move(decisions))
      .set("candidates", to_json(reply.candidates))
      .set("candidates_of_decision",
           when(reply.candidates_of_decision > 0, reply.candidates_of_decision))
      .set("nearest_fits", std::move(nearest));
}

std::string explain(const JobChanged& job) { return indented_text(job_lines(job)); }

std::string explain(const Decision& decision) { return indented_text(decision_lines(decision)); }

std::string explain(const WhyReply& reply, const CandidatesByDecision& candidates) {
  return indented_text(why_tree(reply, candidates));
}

std::string explain(const WhyReply& reply) { return explain(reply, candidates_of(reply)); }

}  // namespace drover::commands
