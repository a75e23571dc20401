// Explanations of decisions.
#include <utility>

#include "fleet/base/units.h"
#include "router/queries.h"

namespace drover::router {
namespace {

// About 100 bytes each: far below the limit of a message.
constexpr std::size_t candidates_in_reply_max = 4096;

NearestFit budget_fit(Instant now, Instant allowed_at) {
  NearestFit fit;
  fit.reason = Reason::budget;
  fit.amount = allowed_at == never ? 0 : to_seconds(allowed_at - now);
  fit.change = allowed_at == never ? "a retry budget ([retry] budget) that allows retries"
                                   : fmt::format("{}, or a larger retry budget ([retry] budget)",
                                                 duration_text(fit.amount));
  return fit;
}

/// Until then no change helps on its own.
void add_budget(std::vector<NearestFit>& fits, Instant now, Instant allowed_at) {
  for (NearestFit& fit : fits) {
    const double wait_s = allowed_at == never ? 0 : to_seconds(allowed_at - now);
    if (fit.reason == Reason::capacity && fit.amount >= wait_s && allowed_at != never) continue;
    fit.change += allowed_at == never
                      ? ", and a retry budget ([retry] budget) that allows retries"
                      : fmt::format(", and {} for the retry budget", duration_text(wait_s));
  }
}

}  // namespace

void Queries::handle(Instant now, const Caller& caller, const WhyRequest& request) {
  outbox.send(now, caller.peer, why(now, request.job_prefix));
}

WhyReply Queries::why(Instant now, const std::string& job_prefix) {
  WhyReply reply;
  const JobRecord* record = nullptr;
  if (job_prefix.empty()) {
    record = jobs.find(decisions.last_fallback());
    if (record == nullptr) reply.problem = "no job has fallen back since this router started";
  } else {
    const auto found = jobs.find_by_prefix(job_prefix);
    if (found) record = *found;
    if (!found) reply.problem = found.error().message;
  }
  if (record != nullptr) {
    reply.job = publisher.job_changed(*record);
    for (const std::uint64_t number : record->decisions) {
      if (const Decision* decision = decisions.find(number)) reply.decisions.push_back(*decision);
    }
    explain(now, *record, reply);
    if (reply.decisions.empty()) reply.problem = "its decisions are no longer kept";
  }
  return reply;
}

WaitState Queries::wait_of(const JobRecord& record, const PlacementResult& result) const {
  WaitState wait;
  if (result.max_wait > Duration{0}) {
    wait.fails_at = saturating_add(record.wait_began(), result.max_wait);
  }
  for (const auto& [job, preemption] : preemptions.all()) wait.kept.push_back(preemption);
  return wait;
}

void Queries::explain_wait(Instant now, const JobRecord& record, WhyReply& reply) {
  const auto model = catalogue.model(record.job.work.model);
  if (!model) return;
  const Instant allowed_at = waiting.retry_would_be_allowed_at(now, record);
  const bool held = allowed_at > now;
  std::string held_text = held ? retry_wait_text(allowed_at) : "";
  PlacementRequest request = dispatcher.ask_for(record, (*model)->spec);
  request.avoid_binds = now < record.retry_at;
  RandomStream drawn = random;  // a copy: later decisions draw as without this query
  PlacementResult result = reserved.decide(now, record, request, drawn);
  reply.candidates = candidate_statuses(fleet_state, policy, estimator.scratch().record);
  reply.candidates_of_decision = 0;
  if (!result.place) {
    reply.nearest =
        nearest_fits(fleet_state, policy, estimator, request, now, wait_of(record, result));
    if (held) add_budget(reply.nearest, now, allowed_at);
  } else if (held) {
    reply.nearest.push_back(budget_fit(now, allowed_at));
  }
  Decision decision = held ? dispatcher.held_decision(now, record, std::move(held_text))
                           : std::move(result.decision);
  if (decision.action == Action::queue && reply.job->reason != decision.fallback_reason) {
    reply.job->reason = decision.fallback_reason;
    if (record.cancelled.empty()) reply.job->detail.clear();
  }
  // Its reason may have changed since its decision, and only some jobs of its class are decided.
  const bool same = !reply.decisions.empty() &&
                    reply.decisions.back().fallback_reason == decision.fallback_reason &&
                    reply.decisions.back().action == decision.action;
  if (!same) reply.decisions.push_back(std::move(decision));
}

void Queries::explain(Instant now, const JobRecord& record, WhyReply& reply) {
  if (!reply.decisions.empty()) {
    const std::uint64_t number = reply.decisions.back().number;
    const bool same_policy =
        reply.decisions.back().policy_version == static_cast<std::uint64_t>(policy.version);
    if (same_policy) {
      reply.candidates = candidate_statuses(fleet_state, policy, decisions.record_of(number));
    }
    if (!reply.candidates.empty()) reply.candidates_of_decision = number;
  }
  if (record.state == JobState::queued) explain_wait(now, record, reply);
  if (reply.candidates.size() > candidates_in_reply_max)
    reply.candidates.resize(candidates_in_reply_max);
}

}  // namespace drover::router
