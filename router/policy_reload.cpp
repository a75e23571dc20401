// A policy change at run time: sent by a client, or reread from its file by the shell.
//
// It is parsed first; with an error the old policy stays in force. Its text is written to the
// ledger before it applies, and applies again after a restart. The change falls between two
// decisions: running work continues, waiting jobs are decided again, caps set by operators stay.
#include <algorithm>
#include <utility>
#include <vector>

#include "fleet/base/text.h"
#include "router/actions/reply_text.h"
#include "router/lint/policy_file.h"
#include "router/policy/policy.h"
#include "router/router_core.h"

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

std::string policy_text(const PolicyReply& origin) {
  return fmt::format("{} version {}, hash {}", origin.name, origin.version, origin.hash);
}

}  // namespace

void RouterCore::handle(Instant now, Caller caller, const ApplyPolicy& asked) {
  publisher.reply_to_action(now, caller, "apply policy", asked.place,
                            change_policy(now, asked, client_name(caller)));
}

void RouterCore::reload(Instant now, const ApplyPolicy& asked, const std::string& by) {
  ActionReply reply = change_policy(now, asked, by);
  publisher.record_audit(now, {by, "apply policy", asked.place, reply.applied,
                               reply.applied ? reply.summary : reply.problem});
}

ActionReply RouterCore::change_policy(Instant now, const ApplyPolicy& asked,
                                      const std::string& by) {
  ActionReply reply;
  const std::string place = excerpt(asked.place, place_max);
  auto fresh = parse_policy(asked.text, place);
  if (!fresh) {
    reply.problem = fresh.error().message;
    const std::vector<Finding> found = findings(asked.text, place);
    const auto errors = static_cast<std::uint64_t>(
        std::count_if(found.begin(), found.end(), [](const Finding& each) { return each.error; }));
    if (errors > 1) {
      reply.problem += fmt::format("; {}, which drover policy check lists",
                                   counted(errors - 1, "more error", "more errors"));
    }
    return reply;
  }
  PolicyReply origin = origin_of(*fresh, place, now, by);
  reply.targets = {policy_text(origin)};
  if (asked.text == policy.text) {
    reply.applied = true;
    reply.targets.front() += ": it was already in force";
    reply.summary = reply.targets.front();
    return reply;
  }
  if (auto status = check_version_increase(policy, *fresh, place); !status) {
    reply.targets.clear();
    reply.problem = status.error().message;
    return reply;
  }
  reply.applied = true;
  reply.summary = fmt::format(
      "{} is in force: {}, running work continues", reply.targets.front(),
      queue.size() == 0
          ? "nothing waits"
          : counted(queue.size(), "waiting job is", "waiting jobs are") + " decided again");
  outbox.write(ledger::audit(now, origin));
  activate_policy(now, at_speed(std::move(*fresh), settings.speed), std::move(origin));
  return reply;
}

void RouterCore::activate_policy(Instant now, Policy fresh, PolicyReply origin) {
  accounting.accrue_cost(now);
  policy = std::move(fresh);
  policy_origin = std::move(origin);
  caps.set_own(policy.limits);
  assign_pools(policy, fleet_state);
  rebuild_policy_state(now);
  accounting.set_cost_rate(fleet_state, policy);
  change_limits();
  reapply_drains(now);
  // The pools of hosts and replicas may have changed.
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host)
    publisher.publish_host(now, host);
  for (const ReplicaEntry& entry : fleet_state.replicas()) {
    if (entry.replica.state == ReplicaState::gone) continue;
    publisher.publish_replica(now, entry.replica, entry.group);
  }
}

void RouterCore::rebuild_policy_state(Instant now) {
  tenants.set(policy.limits.tenants);
  failbacks.clear();
  alerts.set_rules(policy.alerts);
  alert_rule_evaluator.set_rules(policy.alerts);
  policy.slow_start.window_s *= settings.speed;
  outlier_detector.set_rules(in_fleet_time(policy.eject, settings.speed));
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) add_outlier_places(now, host);
  for (ReplicaIndex replica = 0; replica < fleet_state.replicas().size(); ++replica) {
    if (fleet_state.replicas()[replica].replica.state != ReplicaState::gone)
      add_outlier_place(now, replica);
  }
  // Waiting jobs may belong to other classes now.
  for (const auto& [number, record] : jobs.open()) {
    if (record->queue_class == nullptr) continue;
    queue.erase(*record);
    set_job_class(*record);
    queue.push(*record);
  }
}

void RouterCore::begin_policy() {
  policy_origin = origin_of(policy, settings.policy_place, begun, "");
}

Status RouterCore::restore_policy(const PolicyReply& applied) {
  auto again = parse_policy(applied.text, applied.place);
  if (!again) {
    if (settings.policy_place.empty()) {
      return error("the policy that {} applied cannot be read: {}; name one with --policy",
                   applied.by, again.error().message);
    }
    publisher.event(begun, Severity::warning, "policy",
                    fmt::format("the policy that {} applied cannot be read: {}", applied.by,
                                again.error().message));
    return {};
  }
  const bool newer_named = !settings.policy_place.empty() && policy.version > again->version;
  if (newer_named) return {};
  activate_policy(begun, at_speed(std::move(*again), settings.speed), applied);
  return {};
}

void RouterCore::handle(Instant now, Caller caller, const PolicyRequest&) {
  outbox.send(now, caller.peer, policy_origin);
}

}  // namespace drover::router
