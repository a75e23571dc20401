// Changes of the job itself (another precision, fewer tokens, another size, other software) and of
// the policy (caps, budgets, shares, and how late or far away work may run).
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fleet/base/contains.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/decision/criteria.h"
#include "router/explain/nearest_change.h"

namespace drover::router {
namespace {

bool fails_kind(const RejectedCandidate& rejected, Reason reason) {
  return (rejected.kind.failed & filters_of(reason)) != 0;
}

/// The gang size nearest to the requested one that the candidate accepts.
int nearest_size(const RejectedCandidate& rejected) {
  const int wanted = rejected.query.request.job->work.devices;
  const std::vector<int>& sizes = rejected.query.slices_of(*rejected.kind.spec);
  int nearest = std::min(wanted, rejected.kind.group_devices);
  for (const int size : sizes) {
    if (size > rejected.kind.group_devices) continue;
    const bool first = !contains(sizes, nearest);
    if (first || std::abs(size - wanted) < std::abs(nearest - wanted)) nearest = size;
  }
  return nearest;
}

std::optional<Change> allow_distance(const RejectedCandidate& rejected) {
  const double over_s = rejected.rows.rtt_s[rejected.row] - rejected.query.rule.rtt_max_s;
  const double more_ms = rounded_up(over_s * 1e3, 1);
  return change_of_rule(rejected, more_ms,
                        fmt::format("require.rtt_ms raised by {:.0f} ms", more_ms),
                        [more_ms](Rule& rule) { rule.rtt_max_s += more_ms / 1e3; });
}

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

std::optional<Change> allow_precision(const RejectedCandidate& rejected) {
  if (!rejected.kind.precision) return std::nullopt;
  const Precision precision = *rejected.kind.precision;
  return change_of(0, fmt::format("{} allowed", to_text(precision)),
                   [precision, rule = rejected.query.rule.name](WhatIf& what_if) {
                     const auto allow = [&](std::vector<Precision>& list) {
                       if (!list.empty() && !contains(list, precision)) list.push_back(precision);
                     };
                     allow(what_if.job.work.precisions);
                     if (Rule* found = what_if.rule(rule)) allow(found->precisions);
                   });
}

std::optional<Change> take_fewer_tokens(const RejectedCandidate& rejected) {
  const PlacementQuery& query = rejected.query;
  std::uint64_t limit = query.request.model->context_max;
  const std::uint64_t of_pool = query.pool->context_max;
  if (of_pool > 0) limit = limit > 0 ? std::min(limit, of_pool) : of_pool;
  const std::uint64_t over = query.need_tokens - std::min(limit, query.need_tokens);
  if (over > query.request.job->work.input_tokens) return std::nullopt;
  return change_of(static_cast<double>(over), counted(over, "fewer token"),
                   [over](WhatIf& what_if) {
                     what_if.job.work.input_tokens -= static_cast<std::uint32_t>(over);
                   });
}

std::optional<Change> take_other_topology(const RejectedCandidate& rejected) {
  if (!fails_kind(rejected, Reason::topology)) return allow_distance(rejected);
  const int wanted = rejected.query.request.job->work.devices;
  const int nearest = nearest_size(rejected);
  if (nearest == wanted) {
    return change_of_rule(rejected, 0, "any interconnect (require.interconnect)",
                          [](Rule& rule) { rule.interconnects.clear(); });
  }
  const auto count = static_cast<std::uint64_t>(nearest);
  return change_of(std::abs(static_cast<double>(nearest - wanted)),
                   fmt::format("{} instead of {}", counted(count, "device"), wanted),
                   [nearest](WhatIf& what_if) {
                     what_if.job.work.devices = static_cast<std::uint16_t>(nearest);
                   });
}

std::optional<Change> take_other_framework(const RejectedCandidate& rejected) {
  const Pool& pool = *rejected.query.pool;
  const Needs& needs = rejected.query.needs;
  const auto& able = pool.frameworks.empty() ? rejected.kind.spec->frameworks : pool.frameworks;
  const bool runs = needs.framework.empty() || able.empty() || contains(able, needs.framework);
  std::vector<std::string> others;  // software whose version does not run there
  std::string names;
  for (const auto& [name, version] : needs.versions) {
    const auto range = pool.versions.find(name);
    if (range == pool.versions.end() || range->second.holds(version)) continue;
    others.push_back(name);
    names += (names.empty() ? "another version of " : " and ") + name;
  }
  if (runs == others.empty()) return std::nullopt;  // nothing, or two changes
  if (!runs) {
    return change_of(0, fmt::format("framework {} instead of {}", able.front(), needs.framework),
                     [to = able.front()](WhatIf& what_if) { what_if.job.work.framework = to; });
  }
  return change_of(0, names, [others](WhatIf& what_if) {
    for (const std::string& name : others) what_if.job.work.versions.erase(name);
  });
}

std::optional<Change> without_operations(const RejectedCandidate& rejected) {
  const auto& pool = *rejected.query.pool;
  const auto lacks = [&](const std::string& op) {
    const bool dynamic = pool.dynamic_shapes == false && op == "dynamic_shape";
    return dynamic || contains(rejected.kind.spec->missing_ops, op) ||
           contains(pool.missing_ops, op);
  };
  std::vector<std::string> missing;
  std::string names;
  for (const std::string& op : rejected.query.request.job->work.ops) {
    if (!lacks(op)) continue;
    missing.push_back(op);
    names += (names.empty() ? "without operation " : ", ") + op;
  }
  return change_of(0, names, [missing](WhatIf& what_if) {
    std::erase_if(what_if.job.work.ops,
                  [&](const std::string& op) { return contains(missing, op); });
  });
}

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
