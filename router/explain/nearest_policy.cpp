// Changes of the policy: caps, budgets, shares, and how late or far away work may be.
#include <algorithm>
#include <map>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/decision/criteria.h"
#include "router/explain/nearest_changes.h"

namespace drover::router {
namespace {

/// Watts are told with three digits.
double watts_rounded_up(double watts) {
  double step = 1;
  while (watts >= step * 1000) step *= 10;
  return rounded_up(watts, step);
}

/// What the racks that the place stands in lack at most.
double rack_lacks_w(const Missed& missed) {
  const Question& question = missed.question;
  const Roster& roster = question.roster;
  const Standings& rows = missed.rows;
  std::map<std::string, double> added_w;
  const Spread* spread = rows.spread_of(missed.row);
  const auto rack_of = [&](GroupIndex group) {
    return roster.hosts()[roster.groups()[group].host].hello.rack;
  };
  if (spread == nullptr) {
    added_w[rack_of(rows.group[missed.row])] = rows.power_w[missed.row];
  } else {
    const double each_w = rows.power_w[missed.row] / rows.devices[missed.row];
    for (const Spread::Part& part : spread->parts)
      added_w[rack_of(part.group)] += each_w * part.devices;
  }
  double lacks_w = 0;
  for (const auto& [rack, watts] : added_w) {
    const auto drawn = question.rack_power_w.find(rack);
    if (rack.empty() || drawn == question.rack_power_w.end()) continue;
    lacks_w = std::max(lacks_w, drawn->second + watts - question.policy.limits.rack_power_w);
  }
  return lacks_w;
}

double added_w(const Missed& missed) {
  const ReplicaIndex replica = missed.rows.replica[missed.row];
  const double power_w = missed.rows.power_w[missed.row];
  if (replica == nowhere) return power_w;
  const ReplicaFacts& facts = missed.question.roster.replicas()[replica].facts;
  const ServingPower power{power_w / facts.batch_share, missed.rows.prompt_w[missed.row]};
  return std::max(power_w, missed.question.roster.added_w(replica, power));
}

}  // namespace

Found allow_later_token(const Missed& missed) {
  const Rule& rule = missed.question.rule;
  const double over_s = missed.rows.first_token_s[missed.row] - rule.slo_ttft_s;
  const double more_s = duration_rounded_up(over_s);
  return change_of(more_s, "+" + duration_text(more_s) + " until the first token",
                   [more_s, name = rule.name](Trial& trial) {
                     if (Rule* found = trial.rule(name)) found->slo_ttft_s += more_s;
                   });
}

Found allow_transfer(const Missed& missed) {
  const Rule& rule = missed.question.rule;
  const double over_s = missed.rows.transfer_s[missed.row] - to_seconds(rule.data_within);
  if (missed.rows.reachable[missed.row] == 0 || rule.data_within <= Duration{0}) {
    return std::nullopt;
  }
  const double more_s = duration_rounded_up(over_s);
  return change_of(more_s, "+" + duration_text(more_s) + " of require.data_within",
                   [more_s, name = rule.name](Trial& trial) {
                     Rule* found = trial.rule(name);
                     if (found != nullptr) found->data_within += from_seconds(more_s);
                   });
}

Found raise_power(const Missed& missed) {
  const Question& question = missed.question;
  const Limits& limits = question.policy.limits;
  const double more_w = added_w(missed);
  double site_w = 0;
  if (limits.site_power_cap_w > 0) {
    site_w = std::max(0.0, question.site_power_w + more_w - limits.site_power_cap_w);
  }
  double pool_w = 0;
  if (question.pool_cap_w > 0) {
    pool_w = std::max(0.0, question.pool_power_w + more_w - question.pool_cap_w);
  }
  const double cap_w = watts_rounded_up(std::max(site_w, pool_w));
  if (cap_w <= 0) {
    const double rack_w = watts_rounded_up(rack_lacks_w(missed));
    if (rack_w <= 0) return std::nullopt;
    return change_of(rack_w, "+" + watts_text(rack_w) + " of power for its rack",
                     [rack_w](Trial& trial) { trial.policy.limits.rack_power_w += rack_w; });
  }
  std::string place = site_w > 0 ? " for the site" : "";
  if (pool_w > 0) place += (place.empty() ? " for pool " : " and for pool ") + question.pool->name;
  return change_of(cap_w, "+" + watts_text(cap_w) + " of power" + place,
                   [cap_w, site_w, pool_w, pool = question.pool->name](Trial& trial) {
                     Limits& raised = trial.policy.limits;
                     if (site_w > 0) raised.site_power_cap_w += cap_w;
                     if (pool_w > 0) raised.pool_power_cap_w[pool] += cap_w;
                   });
}

Found raise_budget(const Missed& missed) {
  const Question& question = missed.question;
  if (share_used_up(question)) {
    const double wanted = (question.pool_jobs + 1) / (question.ask.running_jobs + 1);
    const double share = std::min(1.0, rounded_up(wanted, 0.01));
    return change_of(share - question.pool->max_share,
                     fmt::format("max_share = {:.2f} of pool {}", share, question.pool->name),
                     [share, pool = question.pool_number](Trial& trial) {
                       trial.policy.pools[pool].max_share = share;
                     });
  }
  const double over = question.ask.spend_usd_per_h + missed.rows.usd_per_h[missed.row] -
                      question.policy.limits.budget_usd_per_h;
  const double more = rounded_up(over, 0.01);
  return change_of(more, fmt::format("+{}/h of budget", dollars_text(more)),
                   [more](Trial& trial) { trial.policy.limits.budget_usd_per_h += more; });
}

Found raise_share(const Missed& missed) {
  const Ask& ask = missed.question.ask;
  const bool group = missed.rows.replica[missed.row] == nowhere;
  const double devices = ask.tenant_devices + (group ? missed.rows.devices[missed.row] : 0);
  const double more = rounded_up(devices - ask.tenant_devices_max, 1);
  if (more <= 0) return std::nullopt;
  return change_of(more,
                   fmt::format("a share of {} more for tenant {}",
                               counted(static_cast<std::uint64_t>(more), "device"),
                               ask.job->tenant.empty() ? "\"\"" : ask.job->tenant),
                   [more](Trial& trial) { trial.ask.tenant_devices_max += more; });
}

}  // namespace drover::router
