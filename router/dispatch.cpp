// From the queue through a decision to a lease.
#include <algorithm>
#include <utility>

#include "fleet/base/units.h"
#include "router/actions/action_words.h"
#include "router/jobs/checkpoints.h"
#include "router/jobs/pool_reports.h"
#include "router/policy/work_class.h"
#include "router/state.h"

namespace drover::router {
namespace {

/// KV-cache tokens that a job takes at once: a batch job runs as many items beside each other as
/// the replica's batch holds.
std::uint64_t promised_tokens(const Job& job, const Replica& replica) {
  const std::uint64_t each = std::uint64_t{job.work.input_tokens} + job.work.output_tokens;
  if (job.work.kind != WorkKind::batch) return each;
  return each * std::min(job.work.items, std::max(replica.batch_max, 1U));
}

/// What the place costs more than the wanted pool's best would have; nothing where none could.
Estimate cost_of_fallback(const Decision& decision) {
  Estimate more;
  more.wait_known = decision.primary && decision.primary->wait_known;
  if (!decision.fallback_reason || !decision.primary || decision.top.empty()) return more;
  const Estimate& chosen = decision.top.front().estimate;
  const Estimate& primary = *decision.primary;
  more.energy_j = chosen.energy_j - primary.energy_j;
  more.cost_usd = chosen.cost_usd - primary.cost_usd;
  if (!more.wait_known) return more;
  more.start_s = chosen.start_s - primary.start_s;
  more.finish_s = chosen.finish_s - primary.finish_s;
  return more;
}

/// What passes may have a place for it later, but the policy does not let it wait.
std::string rejection_words(const Decision& decision, Reason reason) {
  if (decision.rule.empty()) return "no rule of the policy holds for it";
  if (!decision.change.empty()) return decision.change;  // a panic that fails at once
  if (is_permanent(reason)) return "no place of the fleet can run it";
  return fmt::format("no room now, and the policy rejects what would wait: {}",
                     facts(reason).meaning);
}

}  // namespace

void Core::dispatch(Instant now) {
  // A lease would wait for the disk, and hold devices meanwhile.
  if (takes_no_writes()) {
    more_to_decide = false;
    return;
  }
  queue.apply_wakes();
  estimator.forget_excess();
  for (int decision = 0; decision < decisions_per_tick; ++decision) {
    JobRecord* record = queue.next(tenants);
    if (record == nullptr) {
      more_to_decide = false;
      return;
    }
    decide_one(now, *record);
  }
  more_to_decide = !queue.idle();
}

void Core::enqueue(JobRecord& record) {
  queue.push(record);
  tenants.waits(record.job.tenant);
}

void Core::dequeue(JobRecord& record) {
  if (record.queue_class == nullptr) return;
  queue.erase(record);
  tenants.waits_no_more(record.job.tenant);
}

Instant Core::retry_room(Instant now, const JobRecord& record) {
  if (!record.would_retry()) return now;
  RetryBudget budget = policy.retry.budget;
  budget.window = from_seconds(to_seconds(budget.window) * settings.speed);
  return retries.next(now, budget, jobs.open().size());
}

std::string Core::retry_words(Instant until) const {
  // A moment and no span: what is said stays true while nobody says it again.
  return until == never
             ? "retry budget used up: the policy allows none"
             : fmt::format("retry budget used up: the next may begin at {}", clock_words(until));
}

void Core::hold_retry(Instant now, JobRecord& record, Instant until) {
  queue.hold(record, Reason::budget);
  if (until != never) back_offs.emplace(until, record.job.work.model);
  const std::string before = std::exchange(record.detail, retry_words(until));
  if (record.reason == Reason::budget) {
    // Others have begun meanwhile.
    if (record.detail != before) publish_job(now, record);
    return;
  }
  record.reason = Reason::budget;
  estimator.scratch().record.clear();
  note(now, &record, held_decision(now, record, record.detail));
  publish_job(now, record);
}

Ask Core::ask_for(const JobRecord& record, const devices::ModelSpec& model) const {
  Ask ask;
  ask.job = &record.job;
  ask.model = &model;
  ask.attempt = record.attempt + 1;
  ask.submitted = record.submitted;
  ask.from_step = record.steps_saved;
  ask.avoid = record.avoid;
  ask.running_jobs = static_cast<double>(jobs.attempts_out());
  if (policy.limits.budget_usd_per_h > 0) {
    ask.spend_usd_per_h = spend_usd_per_h(roster, policy);
  }
  const WorkClass* work_class = class_of(policy, record.job, model);
  if (const Rule* rule = find_rule(policy, record.job, model, work_class)) {
    ask.route = routes.find(rule->name);
  }
  if (tenants.counts()) {
    const std::string& tenant = record.job.tenant;
    ask.tenant_devices = tenants.held(tenant);
    ask.tenant_devices_max = tenants.held_max(tenant, static_cast<double>(roster.device_count()));
  }
  return ask;
}

void Core::decide_one(Instant now, JobRecord& record) {
  const Instant room = retry_room(now, record);
  if (room > now) return hold_retry(now, record, room);
  const auto model = catalogue.model(record.job.work.model);
  if (!model) {
    // Accepted in an earlier life with a larger catalogue.
    fail(now, record, Reason::invalid, model.error().message);
    return;
  }
  Ask ask = ask_for(record, (*model)->spec);
  ask.avoid_binds = now < record.retry_at;
  Verdict verdict = decide_reserved(now, record, ask, dice);
  accounting.decided();
  const std::optional<Reason> reason = verdict.decision.fallback_reason;
  if (verdict.decision.action == Action::assign) {
    DROVER_REQUIRE(verdict.place.has_value());
    return lease(now, record, verdict);
  }
  if (verdict.decision.action == Action::reject) {
    const Reason last =
        record.last_reason && record.attempt > 0 ? *record.last_reason : Reason::policy;
    const Reason why = reason.value_or(last);
    const std::string words = rejection_words(verdict.decision, why);
    note(now, &record, std::move(verdict.decision));
    fail(now, record, why, words);
    return;
  }
  if (give_up_impossible(now, record, verdict)) return;
  const bool preempts = preempt_for(now, record, verdict);
  queue.block(record, {reason, verdict.max_wait, verdict.decision.wanted_pool,
                       demands_behind(verdict.decision.rejections, verdict.unfair)});
  record.wants_w = verdict.wants_w;
  const bool known = record.reason == reason && record.detail.empty() && !record.decisions.empty();
  if (!preempts && known) return;
  record.reason = reason;
  record.detail.clear();  // of how the last attempt ended: it waits for something else now
  note(now, &record, std::move(verdict.decision));
  publish_job(now, record);
}

bool Core::give_up_impossible(Instant now, JobRecord& record, Verdict& verdict) {
  if (!verdict.impossible || policy.impossible_after_s <= 0) return false;
  const Duration grace = from_seconds(policy.impossible_after_s * settings.speed);
  if (now < saturating_add(std::max(record.submitted, begun), grace)) return false;
  const Reason reason = *verdict.impossible;
  verdict.decision.action = Action::reject;
  verdict.decision.fallback_reason = reason;
  const bool unruled = verdict.decision.rule.empty();
  note(now, &record, std::move(verdict.decision));
  fail(now, record, reason,
       unruled
           ? "no rule of the policy holds for it"
           : fmt::format("no device of the fleet could ever run it: {}", facts(reason).meaning));
  return true;
}

void Core::lease(Instant now, JobRecord& record, Verdict& verdict) {
  const Place& place = *verdict.place;
  dequeue(record);
  if (record.would_retry()) retries.began(now);
  record.waited += now - record.since;
  ++record.attempt;
  if (record.attempt > 1) accounting.retried();
  Lease& lease = record.lease;
  lease = {};
  const auto add_member = [&](HostIndex host, const std::vector<std::uint16_t>& devices) {
    const Hello& hello = roster.hosts()[host].hello;
    Member& member = lease.members.emplace_back(hello.host);
    member.incarnation = hello.incarnation;
    if (!place.replica) member.devices = devices;
  };
  add_member(place.host, place.devices);
  for (const PlacePart& part : place.others) add_member(part.host, part.devices);
  if (place.replica) lease.replica = roster.replicas()[*place.replica].replica.id.number;
  lease.begun = now;
  lease.target = verdict.decision.target;
  lease.pool = verdict.decision.pool;
  lease.fallback = verdict.decision.fallback_reason;
  lease.predicted_s = place.wait_s + place.run_s;
  lease.ratio = place.ratio;
  lease.expected = place.expected;
  lease.more = cost_of_fallback(verdict.decision);
  lease.from_step = record.steps_saved;
  note_route(now, record, verdict);
  if (lease.fallback) accounting.fell_back(*lease.fallback, lease.more);
  record.change = verdict.decision.change;
  record.work_class = verdict.decision.work_class;
  record.policy_version = verdict.decision.policy_version;
  record.state = JobState::leased;
  record.since = now;
  record.reason = lease.fallback;
  record.detail.clear();
  record.progress = saved_share(record);
  record.remaining_s = lease.predicted_s;
  end_preemption(now, record.job.id, "");
  jobs.bind(record);
  promise(now, record, place);

  const std::uint64_t write = mail.write(ledger::leased(now, record));
  for (const Member& member : lease.members) this->assign(now, record, member, place, write);
  verdict.decision.attempt = record.attempt;
  note(now, &record, std::move(verdict.decision));
  publish_job(now, record);
}

void Core::assign(Instant now, const JobRecord& record, const Member& member, const Place& place,
                  std::uint64_t write) {
  const Lease& lease = record.lease;
  const auto speaker = peers.peer_of(member.host);
  DROVER_REQUIRE(speaker.has_value());  // a host whose connection is gone is lost, and not chosen
  Assign assign;
  assign.job = record.job;
  assign.attempt = record.attempt;
  assign.replica = lease.replica;
  assign.devices = member.devices;
  assign.precision = place.precision;
  assign.from_step = lease.from_step;
  assign.model_spec = spec_text_for(*speaker, record.job.work.model);
  if (lease.over_hosts()) {
    GangPart& gang = assign.gang.emplace();
    gang.devices = static_cast<std::uint16_t>(lease.devices());
    for (const Member& each : lease.members) {
      const auto part = static_cast<std::uint16_t>(each.devices.size());
      gang.per_host = std::max(gang.per_host, part);
    }
    gang.reserved_for = settings.lost_after;
  }
  mail.send_in_order(now, {Channel::control, *speaker}, std::move(assign), write);
}

void Core::note_route(Instant now, JobRecord& record, const Verdict& verdict) {
  const Decision& decision = verdict.decision;
  if (verdict.leaving) routes.set_leaving(decision.rule, *verdict.leaving);
  record.lease.rule = decision.rule;
  record.lease.probe = verdict.probe;
  if (verdict.probe) routes.probe_began(decision.rule);
  const auto rule = std::find_if(policy.rules.begin(), policy.rules.end(),
                                 [&](const Rule& each) { return each.name == decision.rule; });
  if (verdict.held || rule == policy.rules.end() || !decision.fallback_reason) return;
  const std::size_t before = std::max<std::size_t>(1, rule->pools.size());
  if (decision.fallback_step < before) return;
  const std::size_t fallback = decision.fallback_step - before;
  const bool sticky =
      fallback < rule->fallbacks.size() && rule->fallbacks[fallback].failback.after > Duration{0};
  if (sticky) routes.fell_back(now, rule->name, fallback, *decision.fallback_reason);
}

void Core::promise(Instant now, JobRecord& record, const Place& place) {
  const auto host = roster.find_host(record.lease.members.front().host);
  const Instant busy_until = saturating_add(now, from_seconds(place.wait_s + place.run_s));
  Promise promised;
  if (host) promised.host = *host;
  if (record.lease.replica) {
    if (!host) return;
    const auto replica = roster.find_replica(*host, *record.lease.replica);
    if (!replica) return;
    promised.replica = *replica;
    promised.group = roster.replicas()[*replica].group;
    promised.tokens = promised_tokens(record.job, roster.replicas()[*replica].replica);
    roster.note_prefix(*replica, record.job.work.prefix);
    // Of the time to the first token what is not waiting is reading the prompt.
    promised.prompt =
        roster.promise_request(now, *replica, promised.tokens, busy_until,
                               from_seconds(place.first_token_s - place.wait_s), place.serving);
  } else {
    promised.group = promise_gang(now, record, busy_until, place.watts_each);
  }
  promised.made = true;
  promised.devices = place.run_s > 0 ? place.expected.device_s / place.run_s : 0;
  tenants.placed(record.job.tenant, promised.devices, place.expected.device_s);
  record.promise = promised;
}

GroupIndex Core::promise_gang(Instant now, const JobRecord& record, Instant busy_until,
                              double watts_each) {
  for (const Member& member : record.lease.members) {
    const auto host = roster.find_host(member.host);
    if (host && !member.used) {
      roster.promise_gang(now, record.job.id, *host, member.devices, busy_until, watts_each);
    }
  }
  const Member& first = record.lease.members.front();
  const auto host = roster.find_host(first.host);
  if (!host || first.devices.empty()) return nowhere;
  for (const GroupIndex group : roster.hosts()[*host].groups) {
    const Group& facts = roster.groups()[group].group;
    const std::uint16_t device = first.devices.front();
    if (device >= facts.first && device < facts.first + facts.count) return group;
  }
  return nowhere;
}

void Core::note(Instant now, JobRecord* record, Decision decision) {
  const Decision& kept = decisions.add(std::move(decision), estimator.scratch().record);
  if (record != nullptr) {
    if (record->decisions.size() >= decisions_per_job) {
      record->decisions.erase(record->decisions.begin());
    }
    record->decisions.push_back(kept.number);
  }
  if (!mail.watched()) return mail.publish_unheard();
  mail.publish(now, kept);
}

std::string Core::spec_text_for(std::uint64_t peer, const std::string& model) {
  PeerEntry* entry = peers.find(peer);
  if (entry == nullptr || !entry->models_carried.insert(model).second) return "";
  const auto found = catalogue.model(model);
  return found ? (*found)->text : "";
}

}  // namespace drover::router
