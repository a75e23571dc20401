// Why a job went where it went, and why one waits: what was decided, what would be decided now, and
// what would place it. Asking changes nothing: a journal that is replayed, with `why` asked of it
// or not, says the same.
#include <algorithm>
#include <utility>

#include "fleet/base/units.h"
#include "router/state.h"

namespace drover::router {
namespace {

// Some 100 bytes each: far below what a message may hold.
constexpr std::size_t standings_told_max = 4096;

NearestFit budget_fit(Instant now, Instant room) {
  NearestFit fit;
  fit.reason = Reason::budget;
  fit.amount = room == never ? 0 : to_seconds(room - now);
  fit.change = room == never ? "a retry budget ([retry] budget) that allows retries"
                             : fmt::format("{}, or a larger retry budget ([retry] budget)",
                                           duration_text(fit.amount));
  return fit;
}

/// Until then no change helps by itself.
void add_budget(std::vector<NearestFit>& fits, Instant now, Instant room) {
  for (NearestFit& fit : fits) {
    const double wait_s = room == never ? 0 : to_seconds(room - now);
    if (fit.reason == Reason::capacity && fit.amount >= wait_s && room != never) continue;
    fit.change += room == never
                      ? ", and a retry budget ([retry] budget) that allows retries"
                      : fmt::format(", and {} for the retry budget", duration_text(wait_s));
  }
}

}  // namespace

void Core::answer(Instant now, Caller caller, const WhyRequest& request) {
  mail.send(now, caller.peer, why(now, request.job_prefix));
}

WhyReply Core::why(Instant now, const std::string& job_prefix) {
  WhyReply reply;
  const JobRecord* record = nullptr;
  if (job_prefix.empty()) {
    record = jobs.find(decisions.last_fallback());
    if (record == nullptr) reply.problem = "no job has fallen back since this router started";
  } else {
    const auto found = named(job_prefix);
    if (found) record = *found;
    if (!found) reply.problem = found.error().message;
  }
  if (record != nullptr) {
    reply.job = told(*record);
    for (const std::uint64_t number : record->decisions) {
      if (const Decision* decision = decisions.find(number)) reply.decisions.push_back(*decision);
    }
    explain(now, *record, reply);
    if (reply.decisions.empty()) reply.problem = "its decisions are no longer kept";
  }
  return reply;
}

Decision Core::held_decision(Instant now, const JobRecord& record, std::string words) const {
  Decision decision;
  decision.at = now;
  decision.job = record.job.id;
  decision.attempt = record.attempt + 1;
  decision.kind = record.job.work.kind;
  decision.model = record.job.work.model;
  decision.work_class = record.work_class;
  decision.rule = record.rule;
  decision.action = Action::queue;
  decision.fallback_reason = Reason::budget;
  decision.change = std::move(words);
  decision.roster_version = roster.version();
  decision.policy_version = policy_number();
  return decision;
}

Wait Core::wait_of(const JobRecord& record, const Verdict& verdict) const {
  Wait wait;
  if (verdict.max_wait > Duration{0}) {
    wait.fails_at = saturating_add(record.wait_began(), verdict.max_wait);
  }
  for (const auto& [job, preemption] : preemptions.all()) {
    KeptDevices& kept = wait.kept.emplace_back();
    kept.job = job;
    kept.devices = preemption.devices;
    for (const auto& [leaving, mark] : preemption.leaving) kept.leaving.push_back(leaving);
    kept.grace_until = preemption.grace_until;
  }
  return wait;
}

void Core::explain_wait(Instant now, const JobRecord& record, WhyReply& reply) {
  const auto model = catalogue.model(record.job.work.model);
  if (!model) return;
  const RetryLog begun_retries = retries;  // looking at it lets go what is over
  const Instant room = retry_room(now, record);
  const bool held = room > now;
  std::string held_words = held ? retry_words(room) : "";
  retries = begun_retries;
  Ask ask = ask_for(record, (*model)->spec);
  ask.avoid_binds = now < record.retry_at;
  Dice drawn = dice;  // nothing is decided: later decisions draw as if this had not been asked
  Verdict verdict = decide_reserved(now, record, ask, drawn);
  reply.standings = standings_of(roster, policy, estimator.scratch().record);
  reply.standings_of = 0;
  if (!verdict.place) {
    reply.nearest = nearest_fits(roster, policy, estimator, ask, now, wait_of(record, verdict));
    if (held) add_budget(reply.nearest, now, room);
  } else if (held) {
    reply.nearest.push_back(budget_fit(now, room));
  }
  Decision decision =
      held ? held_decision(now, record, std::move(held_words)) : std::move(verdict.decision);
  if (decision.action == Action::queue && reply.job->reason != decision.fallback_reason) {
    reply.job->reason = decision.fallback_reason;
    if (record.cancelled.empty()) reply.job->detail.clear();
  }
  // What it waits for may have changed since it was decided, and of its class only some are.
  const bool same = !reply.decisions.empty() &&
                    reply.decisions.back().fallback_reason == decision.fallback_reason &&
                    reply.decisions.back().action == decision.action;
  if (!same) reply.decisions.push_back(std::move(decision));
}

void Core::explain(Instant now, const JobRecord& record, WhyReply& reply) {
  if (!reply.decisions.empty()) {
    const std::uint64_t number = reply.decisions.back().number;
    const bool same_policy = reply.decisions.back().policy_version == policy_number();
    if (same_policy) {
      reply.standings = standings_of(roster, policy, decisions.record_of(number));
    }
    if (!reply.standings.empty()) reply.standings_of = number;
  }
  if (record.state == JobState::queued) explain_wait(now, record, reply);
  if (reply.standings.size() > standings_told_max) reply.standings.resize(standings_told_max);
}

}  // namespace drover::router
