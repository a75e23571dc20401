#include "router/policy_control.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fleet/base/text.h"
#include "router/ledger/ledger.h"
#include "router/lint/policy_file.h"
#include "router/policy/policy.h"

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

PolicyControl::PolicyControl(const PolicyControlDependencies& uses, std::string place,
                             Instant start)
    : PolicyControlDependencies(uses),
      place_(std::move(place)),
      origin_(origin_of(policy, place_, start, "")) {
  rebuild_policy_state(start);
}

void PolicyControl::handle(Instant now, const Caller& caller, const ApplyPolicy& asked) {
  publisher.reply_to_action(now, caller, "apply policy", asked.place,
                            change_policy(now, asked, client_name(caller)));
}

void PolicyControl::reload(Instant now, const ApplyPolicy& asked, const std::string& by) {
  ActionReply reply = change_policy(now, asked, by);
  publisher.record_audit(now, {by, "apply policy", asked.place, reply.applied,
                               reply.applied ? reply.summary : reply.problem});
}

ActionReply PolicyControl::change_policy(Instant now, const ApplyPolicy& asked,
                                         const std::string& by) {
  ActionReply reply;
  const std::string place = excerpt(asked.place, place_max);
  auto fresh = parse_policy(asked.text, place);
  if (!fresh) {
    reply.problem = fresh.error().message;
    const std::vector<Finding> found = findings(asked.text, place);
    const auto errors = static_cast<std::uint64_t>(
        std::ranges::count_if(found, [](const Finding& each) { return each.error; }));
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

void PolicyControl::activate_policy(Instant now, Policy fresh, PolicyReply origin) {
  accounting.accrue_cost(now);
  policy = std::move(fresh);
  origin_ = std::move(origin);
  assign_pools(policy, fleet_state);
  rebuild_policy_state(now);
  accounting.set_cost_rate(fleet_state, policy);
  power.renew_limits();
  availability.reapply_drains(now);
  // The pools of hosts and replicas may have changed.
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host)
    publisher.publish_host(now, host);
  for (const ReplicaEntry& entry : fleet_state.replicas()) {
    if (entry.replica.state == ReplicaState::gone) continue;
    publisher.publish_replica(now, entry.replica, entry.group);
  }
}

void PolicyControl::rebuild_policy_state(Instant now) {
  tenants.set(policy.limits.tenants);
  failbacks.clear();
  alerts.set_rules(policy.alerts);
  policy.slow_start.window_s *= settings.speed;
  outliers.renew(now, in_fleet_time(policy.eject, settings.speed));
  waiting.renew_classes();
}

Status PolicyControl::restore(Instant now, const PolicyReply& applied) {
  auto again = parse_policy(applied.text, applied.place);
  if (!again) {
    if (place_.empty()) {
      return error("the policy that {} applied cannot be read: {}; name one with --policy",
                   applied.by, again.error().message);
    }
    publisher.event(now, Severity::warning, "policy",
                    "the policy that {} applied cannot be read: {}", applied.by,
                    again.error().message);
    return {};
  }
  const bool newer_named = !place_.empty() && policy.version > again->version;
  if (newer_named) return {};
  activate_policy(now, at_speed(std::move(*again), settings.speed), applied);
  return {};
}

PolicyChanged PolicyControl::policy_changed() const {
  PolicyChanged shown;
  shown.name = policy.name;
  shown.version = static_cast<std::uint64_t>(policy.version);
  shown.hash = origin_.hash;
  shown.site_power_cap_w = policy.limits.site_power_cap_w;
  shown.stale_after_s = policy.stale_after_s;
  for (const Pool& pool : policy.pools) {
    shown.pools.push_back(
        {pool.name, policy.limits.pool_cap_w(pool.name),
         usd_per_h(pool.prices, PurchaseOption::unspecified, nullptr).value_or(0)});
  }
  for (const AlertRule& rule : policy.alerts) {
    if (rule.enabled) shown.alert_rules.push_back(rule.published);
  }
  return shown;
}

}  // namespace drover::router
