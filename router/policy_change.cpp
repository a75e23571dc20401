// Another policy while the router runs: sent by a client, or its file read anew by the shell.
//
// It is parsed before anything else; with an error the old one stays in force. Its text is in the
// ledger before it counts, and counts again after a restart. The change falls between two
// decisions: what runs goes on, what waits is asked again, caps that people have set stay.
#include <algorithm>
#include <utility>
#include <vector>

#include "fleet/base/text.h"
#include "router/actions/action_words.h"
#include "router/policy/policy_findings.h"
#include "router/policy/policy_text.h"
#include "router/state.h"

namespace drover::router {
namespace {

constexpr std::size_t place_max = 200;

PolicyReply origin_of(const Policy& policy, std::string place, Instant since, std::string by) {
  PolicyReply origin;
  origin.name = policy.name;
  origin.place = std::move(place);
  origin.version = static_cast<std::uint64_t>(policy.version);
  origin.hash = policy_hash(policy.text);
  origin.since = since;
  origin.by = std::move(by);
  origin.text = policy.text;
  return origin;
}

std::string words_of(const PolicyReply& origin) {
  return fmt::format("{} version {}, hash {}", origin.name, origin.version, origin.hash);
}

}  // namespace

void Core::act(Instant now, Caller caller, const ApplyPolicy& asked) {
  conclude(now, caller, "apply policy", asked.place, change_policy(now, asked, who(caller)));
}

void Core::reload(Instant now, const ApplyPolicy& asked, const std::string& by) {
  ActionReply reply = change_policy(now, asked, by);
  put_on_record(now, {by, "apply policy", asked.place, reply.applied,
                      reply.applied ? reply.summary : reply.problem});
}

ActionReply Core::change_policy(Instant now, const ApplyPolicy& asked, const std::string& by) {
  ActionReply reply;
  const std::string place = excerpt(asked.place, place_max);
  auto fresh = parse_policy(asked.text, place);
  if (!fresh) {
    reply.problem = fresh.error().message;
    const std::vector<Finding> found = findings(asked.text, place);
    const auto errors = static_cast<std::uint64_t>(
        std::count_if(found.begin(), found.end(), [](const Finding& each) { return each.error; }));
    if (errors > 1) {
      reply.problem += fmt::format("; {}, which drover policy check names",
                                   counted(errors - 1, "more error", "more errors"));
    }
    return reply;
  }
  PolicyReply origin = origin_of(*fresh, place, now, by);
  reply.targets = {words_of(origin)};
  if (asked.text == policy.text) {
    reply.applied = true;
    reply.targets.front() += ": it was in force already";
    reply.summary = reply.targets.front();
    return reply;
  }
  if (auto status = check_succession(policy, *fresh, place); !status) {
    reply.targets.clear();
    reply.problem = status.error().message;
    return reply;
  }
  reply.applied = true;
  reply.summary = fmt::format(
      "{} is in force: {}, what runs goes on", reply.targets.front(),
      queue.size() == 0
          ? "nothing waits"
          : counted(queue.size(), "job that waits is", "jobs that wait are") + " looked at again");
  mail.write(ledger::policy(now, origin));
  adopt(now, at_speed(std::move(*fresh), settings.speed), std::move(origin));
  return reply;
}

void Core::adopt(Instant now, Policy fresh, PolicyReply origin) {
  accounting.settle_cost(now);
  policy = std::move(fresh);
  policy_origin = std::move(origin);
  caps.set_own(policy.limits);
  assign_pools(policy, roster);
  settle_policy(now);
  accounting.set_cost_rate(roster, policy);
  change_limits();
  settle_drains(now);
  // Where hosts and replicas belong may have changed.
  for (HostIndex host = 0; host < roster.hosts().size(); ++host) publish_host(now, host);
  for (const ReplicaEntry& entry : roster.replicas()) {
    if (entry.replica.state == ReplicaState::gone) continue;
    publish_replica(now, entry.replica, entry.group);
  }
}

void Core::settle_policy(Instant now) {
  tenants.set(policy.limits.tenants);
  routes.clear();
  alerts.set_rules(policy.alerts);
  rule_watch.set_rules(policy.alerts);
  policy.slow_start.window_s *= settings.speed;
  ejections.set_rules(in_fleet_time(policy.eject, settings.speed));
  for (HostIndex host = 0; host < roster.hosts().size(); ++host) enrol_places(now, host);
  for (ReplicaIndex replica = 0; replica < roster.replicas().size(); ++replica) {
    if (roster.replicas()[replica].replica.state != ReplicaState::gone) enrol_place(now, replica);
  }
  // Jobs that wait may belong to other classes now.
  for (const auto& [number, record] : jobs.open()) {
    if (record->queue_class == nullptr) continue;
    queue.erase(*record);
    note_class(*record);
    queue.push(*record);
  }
}

void Core::begin_policy() { policy_origin = origin_of(policy, settings.policy_place, begun, ""); }

Status Core::adopt_applied(const PolicyReply& applied) {
  auto again = parse_policy(applied.text, applied.place);
  if (!again) {
    if (settings.policy_place.empty()) {
      return error("the policy that {} applied reads no more: {}; name one with --policy",
                   applied.by, again.error().message);
    }
    event(begun, Severity::warning, "policy",
          fmt::format("the policy that {} applied reads no more: {}", applied.by,
                      again.error().message));
    return {};
  }
  const bool newer_named = !settings.policy_place.empty() && policy.version > again->version;
  if (newer_named) return {};
  adopt(begun, at_speed(std::move(*again), settings.speed), applied);
  return {};
}

void Core::answer(Instant now, Caller caller, const PolicyRequest&) {
  mail.send(now, caller.peer, policy_origin);
}

}  // namespace drover::router
