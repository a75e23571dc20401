// Changes of the policy: caps, budgets, shares, and how late or far away work may run.
#include <algorithm>
#include <cmath>
#include <string>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/decision/criteria.h"
#include "router/explain/nearest_change.h"

namespace drover::router {
namespace {

/// Rounds up to three digits, as watts are displayed.
double watts_rounded_up(double watts) {
  double step = 1;
  while (watts >= step * 1000) step *= 10;
  return rounded_up(watts, step);
}

double added_w(const RejectedCandidate& rejected) {
  const ReplicaIndex replica = rejected.rows.replica[rejected.row];
  const double power_w = rejected.rows.power_w[rejected.row];
  if (replica == no_index) return power_w;
  const ReplicaFacts& facts = rejected.query.fleet_state.replicas()[replica].facts;
  const ServingPower power{power_w / facts.batch_share, rejected.rows.prompt_w[rejected.row]};
  return std::max(power_w, rejected.query.fleet_state.added_w(replica, power));
}

}  // namespace

std::optional<Change> wait_longer(const RejectedCandidate& rejected) {
  const PlacementQuery& query = rejected.query;
  const double own_s = to_seconds(query.request.job->deadline);
  const double finish_s = rejected.rows.finish_s[rejected.row];
  double over_s = own_s > 0 ? query.waited_s + finish_s - own_s : 0;
  const double rule_s = query.rule.slo_deadline_s;
  if (rule_s > 0) over_s = std::max(over_s, finish_s - rule_s);
  if (!std::isfinite(over_s)) return std::nullopt;
  const double more_s = duration_rounded_up(over_s);
  return change_of(more_s, "+" + duration_text(more_s) + " of deadline",
                   [more_s, rule = query.rule.name](WhatIf& what_if) {
                     if (what_if.job.deadline > Duration{0}) {
                       what_if.job.deadline += from_seconds(more_s);
                     }
                     Rule* found = what_if.rule(rule);
                     if (found != nullptr && found->slo_deadline_s > 0) {
                       found->slo_deadline_s += more_s;
                     }
                   });
}

std::optional<Change> allow_later_token(const RejectedCandidate& rejected) {
  const Rule& rule = rejected.query.rule;
  const double over_s = rejected.rows.first_token_s[rejected.row] - rule.slo_ttft_s;
  const double more_s = duration_rounded_up(over_s);
  return change_of_rule(rejected, more_s, "+" + duration_text(more_s) + " until the first token",
                        [more_s](Rule& changed) { changed.slo_ttft_s += more_s; });
}

std::optional<Change> allow_transfer(const RejectedCandidate& rejected) {
  const Rule& rule = rejected.query.rule;
  const double over_s = rejected.rows.transfer_s[rejected.row] - to_seconds(rule.data_within);
  if (rejected.rows.reachable[rejected.row] == 0 || rule.data_within <= Duration{0}) {
    return std::nullopt;
  }
  const double more_s = duration_rounded_up(over_s);
  return change_of_rule(rejected, more_s, "+" + duration_text(more_s) + " of require.data_within",
                        [more_s](Rule& changed) { changed.data_within += from_seconds(more_s); });
}

std::optional<Change> raise_power(const RejectedCandidate& rejected) {
  const PlacementQuery& query = rejected.query;
  const Limits& limits = query.policy.limits;
  const double more_w = added_w(rejected);
  double site_w = 0;
  if (limits.site_power_cap_w > 0) {
    site_w = std::max(0.0, query.site_power_w + more_w - limits.site_power_cap_w);
  }
  double pool_w = 0;
  if (query.pool_cap_w > 0) {
    pool_w = std::max(0.0, query.pool_power_w + more_w - query.pool_cap_w);
  }
  const double cap_w = watts_rounded_up(std::max(site_w, pool_w));
  if (cap_w <= 0) {
    const double rack_w = watts_rounded_up(rack_lacks_w(query, rejected.rows, rejected.row));
    if (rack_w <= 0) return std::nullopt;
    return change_of(rack_w, "+" + watts_text(rack_w) + " of power for its rack",
                     [rack_w](WhatIf& what_if) { what_if.policy.limits.rack_power_w += rack_w; });
  }
  std::string place = site_w > 0 ? " for the site" : "";
  if (pool_w > 0) place += (place.empty() ? " for pool " : " and for pool ") + query.pool->name;
  return change_of(cap_w, "+" + watts_text(cap_w) + " of power" + place,
                   [cap_w, site_w, pool_w, pool = query.pool->name](WhatIf& what_if) {
                     Limits& raised = what_if.policy.limits;
                     if (site_w > 0) raised.site_power_cap_w += cap_w;
                     if (pool_w > 0) raised.pool_power_cap_w[pool] += cap_w;
                   });
}

std::optional<Change> raise_budget(const RejectedCandidate& rejected) {
  const PlacementQuery& query = rejected.query;
  if (share_used_up(query)) {
    const double wanted = (query.pool_jobs + 1) / (query.request.running_jobs + 1);
    const double share = std::min(1.0, rounded_up(wanted, 0.01));
    return change_of(share - query.pool->max_share,
                     fmt::format("max_share = {:.2f} of pool {}", share, query.pool->name),
                     [share, pool = query.pool_number](WhatIf& what_if) {
                       what_if.policy.pools[pool].max_share = share;
                     });
  }
  const double over = query.request.spend_usd_per_h + rejected.rows.usd_per_h[rejected.row] -
                      query.policy.limits.budget_usd_per_h;
  const double more = rounded_up(over, 0.01);
  return change_of(more, fmt::format("+{}/h of budget", dollars_text(more)),
                   [more](WhatIf& what_if) { what_if.policy.limits.budget_usd_per_h += more; });
}

std::optional<Change> raise_share(const RejectedCandidate& rejected) {
  const PlacementRequest& request = rejected.query.request;
  const bool group = rejected.rows.replica[rejected.row] == no_index;
  const double devices = request.tenant_devices + (group ? rejected.rows.devices[rejected.row] : 0);
  const double more = rounded_up(devices - request.tenant_devices_max, 1);
  if (more <= 0) return std::nullopt;
  return change_of(more,
                   fmt::format("a share larger by {} for tenant {}",
                               counted(static_cast<std::uint64_t>(more), "device"),
                               request.job->tenant.empty() ? "\"\"" : request.job->tenant),
                   [more](WhatIf& what_if) { what_if.request.tenant_devices_max += more; });
}

}  // namespace drover::router
