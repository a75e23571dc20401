#include "router/dispatch/dispatcher.h"

#include <algorithm>
#include <utility>

#include "router/actions/reply_text.h"
#include "router/jobs/attempt_reservation.h"
#include "router/jobs/checkpoints.h"
#include "router/jobs/pool_reports.h"
#include "router/ledger/ledger.h"
#include "router/policy/work_class.h"

namespace drover::router {
namespace {

/// Decisions per tick; the rest follows in the next, so that messages are read in between.
constexpr int decisions_per_tick = 2'000;
/// Decisions kept per job, for `why`.
constexpr std::size_t decisions_per_job = 64;

/// Extra cost over the preferred pool's best candidate; empty if that had none.
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

/// The reason may pass, but the policy does not let the job wait.
std::string rejection_text(const Decision& decision, Reason reason) {
  if (decision.rule.empty()) return "no rule of the policy matches it";
  if (!decision.change.empty()) return decision.change;  // a panic that fails at once
  if (is_permanent(reason)) return "no device of the fleet can run it";
  return fmt::format("no capacity now, and the policy rejects jobs that would wait: {}",
                     facts(reason).meaning);
}

}  // namespace

void Dispatcher::dispatch(Instant now) {
  has_more_ = false;
  // A lease would wait for the disk, and hold devices meanwhile.
  if (outbox.rejects_writes()) return;
  queue.apply_wakes();
  estimator.forget_excess();
  for (int decision = 0; decision < decisions_per_tick; ++decision) {
    JobRecord* record = queue.next(tenants);
    if (record == nullptr) return;
    decide_one(now, *record);
  }
  has_more_ = !queue.idle();
}

std::string retry_wait_text(Instant until) {
  // A time, not a duration: the text stays true without updates.
  return until == never ? "retry budget used up: the policy allows no retries"
                        : fmt::format("retry budget used up: the next retry may start at {}",
                                      fleet_time_text(until));
}

void Dispatcher::wait_for_retry_budget(Instant now, JobRecord& record, Instant until) {
  queue.hold(record, Reason::budget);
  if (until != never) waiting.wake_at(until, record.job.work.model);
  const std::string before = std::exchange(record.detail, retry_wait_text(until));
  if (record.reason == Reason::budget) {
    // Other retries have started meanwhile.
    if (record.detail != before) publisher.publish_job(now, record);
    return;
  }
  record.reason = Reason::budget;
  estimator.scratch().record.clear();
  record_decision(now, &record, held_decision(now, record, record.detail));
  publisher.publish_job(now, record);
}

PlacementRequest Dispatcher::ask_for(const JobRecord& record,
                                     const devices::ModelSpec& model) const {
  PlacementRequest request;
  request.job = &record.job;
  request.model = &model;
  request.attempt = record.attempt + 1;
  request.submitted = record.submitted;
  request.from_step = record.steps_saved;
  request.avoid = record.avoid;
  request.running_jobs = static_cast<double>(jobs.active_attempts());
  if (policy.limits.budget_usd_per_h > 0) {
    request.spend_usd_per_h = spend_usd_per_h(fleet_state, policy);
  }
  const WorkClass* work_class = class_of(policy, record.job, model);
  if (const Rule* rule = find_rule(policy, record.job, model, work_class)) {
    request.failback = failbacks.find(rule->name);
  }
  if (tenants.counts()) {
    const std::string& tenant = record.job.tenant;
    request.tenant_devices = tenants.held(tenant);
    request.tenant_devices_max =
        tenants.held_max(tenant, static_cast<double>(fleet_state.emulated_device_count()));
  }
  return request;
}

void Dispatcher::decide_one(Instant now, JobRecord& record) {
  const Instant allowed_at = waiting.retry_allowed_at(now, record);
  if (allowed_at > now) return wait_for_retry_budget(now, record, allowed_at);
  const auto model = catalogue.model(record.job.work.model);
  if (!model) {
    // Accepted before a restart, with a larger catalogue.
    ends.fail(now, record, Reason::invalid, model.error().message);
    return;
  }
  PlacementRequest request = ask_for(record, (*model)->spec);
  request.avoid_binds = now < record.retry_at;
  PlacementResult result = reserved.decide(now, record, request, random);
  accounting.decided();
  const std::optional<Reason> reason = result.decision.fallback_reason;
  if (result.decision.action == Action::assign) {
    DROVER_REQUIRE(result.place.has_value());
    return lease(now, record, result);
  }
  if (result.decision.action == Action::reject) {
    const Reason last =
        record.last_reason && record.attempt > 0 ? *record.last_reason : Reason::policy;
    const Reason why = reason.value_or(last);
    const std::string words = rejection_text(result.decision, why);
    record_decision(now, &record, std::move(result.decision));
    ends.fail(now, record, why, words);
    return;
  }
  if (fail_impossible(now, record, result)) return;
  const bool preempts = preempt_for(now, record, result);
  queue.block(record, {reason, result.max_wait, result.decision.preferred_pool,
                       demands_behind(result.decision.rejections, result.guard_rejected)});
  record.required_power_w = result.required_power_w;
  const bool known = record.reason == reason && record.detail.empty() && !record.decisions.empty();
  if (!preempts && known) return;
  record.reason = reason;
  record.detail.clear();  // the last attempt's end; it now waits for another reason
  record_decision(now, &record, std::move(result.decision));
  publisher.publish_job(now, record);
}

bool Dispatcher::fail_impossible(Instant now, JobRecord& record, PlacementResult& result) {
  if (!result.impossible || policy.impossible_after_s <= 0) return false;
  const Duration grace = from_seconds(policy.impossible_after_s * settings.speed);
  if (now < saturating_add(std::max(record.submitted, begun_), grace)) return false;
  const Reason reason = *result.impossible;
  result.decision.action = Action::reject;
  result.decision.fallback_reason = reason;
  const bool unmatched = result.decision.rule.empty();
  record_decision(now, &record, std::move(result.decision));
  ends.fail(now, record, reason,
            unmatched
                ? "no rule of the policy matches it"
                : fmt::format("no device of the fleet can ever run it: {}", facts(reason).meaning));
  return true;
}

void Dispatcher::lease(Instant now, JobRecord& record, PlacementResult& result) {
  const Allocation& place = *result.place;
  waiting.remove(record);
  if (record.failed_last) waiting.retry_began(now);
  record.waited += now - record.since;
  ++record.attempt;
  if (record.attempt > 1) accounting.retried();
  Lease& lease = record.lease;
  lease = {};
  const auto add_member = [&](HostIndex host, const std::vector<std::uint16_t>& devices) {
    const Register& registration = fleet_state.hosts()[host].registration;
    Member& member = lease.members.emplace_back(registration.host);
    member.incarnation = registration.incarnation;
    if (!place.replica) member.devices = devices;
  };
  add_member(place.host, place.devices);
  for (const AllocationPart& part : place.others) add_member(part.host, part.devices);
  if (place.replica) lease.replica = fleet_state.replicas()[*place.replica].replica.id.number;
  lease.begun = now;
  lease.target = result.decision.target;
  lease.pool = result.decision.pool;
  if (fell_back(result.decision)) lease.fallback = result.decision.fallback_reason;
  lease.predicted_s = place.wait_s + place.run_s;
  lease.ratio = place.ratio;
  lease.expected = place.expected;
  lease.more = cost_of_fallback(result.decision);
  lease.from_step = record.steps_saved;
  update_failback(now, record, result);
  if (lease.fallback) accounting.fell_back(*lease.fallback, lease.more);
  record.change = result.decision.change;
  record.work_class = result.decision.work_class;
  record.policy_version = result.decision.policy_version;
  record.state = JobState::leased;
  record.since = now;
  record.reason = lease.fallback;
  record.detail.clear();
  record.progress = saved_share(record);
  record.remaining_s = lease.predicted_s;
  reserved.end(now, record.job.id, "");
  jobs.bind(record);
  make_reservation(now, record, place, fleet_state, tenants);

  const std::uint64_t write = outbox.write(ledger::leased(now, record));
  for (const Member& member : lease.members) this->assign(now, record, member, place, write);
  result.decision.attempt = record.attempt;
  record_decision(now, &record, std::move(result.decision));
  publisher.publish_job(now, record);
}

void Dispatcher::assign(Instant now, const JobRecord& record, const Member& member,
                        const Allocation& place, std::uint64_t write) {
  const Lease& lease = record.lease;
  const auto speaker = connections.peer_of(member.host);
  DROVER_REQUIRE(speaker.has_value());  // a host without a connection is lost, and never chosen
  Assign assign;
  assign.job = record.job;
  assign.attempt = record.attempt;
  assign.replica = lease.replica;
  assign.devices = member.devices;
  assign.precision = place.precision;
  assign.from_step = lease.from_step;
  assign.model_spec = spec_text_for(*speaker, record.job.work.model);
  if (lease.over_hosts()) {
    GangLayout& gang = assign.gang.emplace();
    gang.devices = static_cast<std::uint16_t>(lease.devices());
    for (const Member& each : lease.members) {
      const auto part = static_cast<std::uint16_t>(each.devices.size());
      gang.per_host = std::max(gang.per_host, part);
    }
    gang.reservation_timeout = settings.lost_after;
  }
  outbox.send_in_order(now, {Channel::control, *speaker}, std::move(assign), write);
}

void Dispatcher::update_failback(Instant now, JobRecord& record, const PlacementResult& result) {
  const Decision& decision = result.decision;
  if (result.leaving) failbacks.set_leaving(decision.rule, *result.leaving);
  record.lease.rule = decision.rule;
  record.lease.probe = result.probe;
  if (result.probe) failbacks.probe_began(decision.rule);
  const Rule* rule = policy.rule_named(decision.rule);
  if (result.held || rule == nullptr || !decision.fallback_reason) return;
  const std::size_t before = std::max<std::size_t>(1, rule->pools.size());
  if (decision.fallback_step < before) return;
  const std::size_t fallback = decision.fallback_step - before;
  const bool sticky =
      fallback < rule->fallbacks.size() && rule->fallbacks[fallback].failback.after > Duration{0};
  if (sticky) failbacks.fell_back(now, rule->name, fallback, *decision.fallback_reason);
}

void Dispatcher::record_decision(Instant now, JobRecord* record, Decision decision) {
  const Decision& kept = decisions.add(std::move(decision), estimator.scratch().record);
  if (record != nullptr) {
    if (record->decisions.size() >= decisions_per_job) {
      record->decisions.erase(record->decisions.begin());
    }
    record->decisions.push_back(kept.number);
  }
  if (!outbox.has_subscribers()) return outbox.skip_publish();
  outbox.publish(now, kept);
}

std::string Dispatcher::spec_text_for(std::uint64_t peer, const std::string& model) {
  ConnectionEntry* entry = connections.find(peer);
  if (entry == nullptr || !entry->model_specs_sent.insert(model).second) return "";
  const auto found = catalogue.model(model);
  return found ? (*found)->text : "";
}

Decision Dispatcher::held_decision(Instant now, const JobRecord& record, std::string words) const {
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
  decision.fleet_version = fleet_state.version();
  decision.policy_version = static_cast<std::uint64_t>(policy.version);
  return decision;
}

}  // namespace drover::router
