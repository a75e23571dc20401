#include "router/lint/outcomes.h"

#include <algorithm>

#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/base/version.h"

namespace drover::router {
namespace {

bool lacks_precision(const Pool& pool, const std::vector<Precision>& precisions) {
  if (precisions.empty() || pool.precisions.empty()) return false;
  return std::ranges::none_of(
      precisions, [&](Precision precision) { return contains(pool.precisions, precision); });
}

bool lacks_framework(const Pool& pool, const WorkClass& work_class) {
  for (const auto& [name, text] : work_class.versions) {
    const auto range = pool.versions.find(name);
    const auto version = parse_version(text);
    if (range != pool.versions.end() && version && !range->second.holds(*version)) return true;
  }
  return !work_class.framework.empty() && !pool.frameworks.empty() &&
         !contains(pool.frameworks, work_class.framework);
}

bool lacks_context(const Pool& pool, const PolicyCase& jobs) {
  const std::int64_t least = jobs.jobs[Size::input_tokens].low + jobs.jobs[Size::output_tokens].low;
  return jobs.kind != WorkKind::train && pool.context_max > 0 &&
         static_cast<std::uint64_t>(least) > pool.context_max;
}

/// Gangs: no slice of any requested size, or not the links that the rule requires.
bool lacks_topology(const Rule& rule, const Pool& pool, const PolicyCase& jobs) {
  if (jobs.kind != WorkKind::train) return false;
  const IntegerRange gang = jobs.jobs[Size::gang];
  const auto asked = [&](int size) { return size >= gang.low && size <= gang.high; };
  if (!pool.slices.empty() && std::ranges::none_of(pool.slices, asked)) {
    return true;
  }
  if (gang.low < 2 || rule.interconnects.empty() || !pool.match.device_class) return false;
  const bool tpu = *pool.match.device_class == DeviceClass::tpu;
  return !contains(rule.interconnects, std::string(tpu ? "ici" : "nvlink"));
}

/// Whether filters on kinds decide this reason: if it rejects all candidates, waiting is useless.
bool judges_kinds(Reason reason) {
  return is_permanent(reason) && reason != Reason::policy && reason != Reason::data;
}

}  // namespace

bool can_occur(const Policy& policy, const PolicyCase& jobs, Reason reason) {
  const Rule& rule = policy.rules[jobs.rule];
  const bool trains = jobs.kind == WorkKind::train;
  const auto& tenants = policy.limits.tenants;
  switch (reason) {
    case Reason::topology:
      return trains || (rule.rtt_max_s > 0 && !policy.network.clients.empty());
    case Reason::tenancy:
      return std::ranges::any_of(tenants, [](const auto& tenant) { return !tenant.second.borrow; });
    case Reason::context:
      return !trains;
    case Reason::queue_slo:
      return !trains && rule.slo_ttft_s > 0;
    case Reason::budget:
      return policy.limits.budget_usd_per_h > 0 ||
             std::ranges::any_of(rule.pools, [&](const std::string& name) {
               const Pool* pool = policy.find_pool(name);
               return pool != nullptr && pool->max_share < 1;
             });
    case Reason::policy:
    case Reason::preempted:
    case Reason::invalid:
    case Reason::ended:
    case Reason::cancelled:
    case Reason::retries:
      return false;  // ends of attempts and jobs; no filter gives it
    default:
      return true;
  }
}

std::optional<Reason> surely_excluded(const Policy& policy, const PolicyCase& jobs,
                                      const Pool& pool, const std::vector<Precision>& precisions) {
  if (lacks_precision(pool, precisions)) return Reason::precision;
  if (jobs.work_class != nullptr && lacks_framework(pool, *jobs.work_class)) {
    return Reason::framework;
  }
  if (lacks_context(pool, jobs)) return Reason::context;
  if (lacks_topology(policy.rules[jobs.rule], pool, jobs)) return Reason::topology;
  return std::nullopt;
}

std::optional<Reason> surely_excluded(const Policy& policy, const std::vector<PolicyCase>& cases,
                                      const Pool& pool, const std::vector<Precision>& precisions) {
  std::optional<Reason> reason;
  for (const PolicyCase& each : cases) {
    reason = surely_excluded(policy, each, pool, precisions);
    if (!reason) return std::nullopt;
  }
  return reason;
}

bool PolicyOutcome::is_unhandled() const {
  return fallback == nullptr &&
         std::ranges::all_of(next, [](const NextPool& pool) { return pool.excluded.has_value(); });
}

PolicyOutcome outcome_for(const Policy& policy, const PolicyCase& jobs, Reason reason) {
  const Rule& rule = policy.rules[jobs.rule];
  PolicyOutcome outcome;
  outcome.action = policy.default_action;
  const auto ask = [&](const std::string& name, const Fallback* fallback) {
    const Pool* pool = policy.find_pool(name);
    if (pool == nullptr) return;
    const bool changed = fallback != nullptr && fallback->change_precision;
    const auto precisions =
        changed ? std::vector<Precision>{*fallback->change_precision} : rule.precisions;
    outcome.next.push_back({name, fallback, surely_excluded(policy, jobs, *pool, precisions)});
  };
  for (std::size_t step = 1; step < rule.pools.size(); ++step) ask(rule.pools[step], nullptr);
  for (const Fallback& fallback : rule.fallbacks) {
    if (!fallback.on.empty() && !contains(fallback.on, reason)) continue;
    if (fallback.action != FallbackAction::go) {
      outcome.action = fallback.action;
      outcome.fallback = &fallback;
      break;
    }
    ask(fallback.to, &fallback);
  }
  return outcome;
}

std::string ending_text(const Policy& policy, const PolicyOutcome& outcome, Reason reason) {
  if (outcome.action == FallbackAction::reject) return "is rejected";
  if (outcome.action == FallbackAction::shed) return "is shed";
  const Fallback* fallback = outcome.fallback;
  const bool asked = fallback != nullptr && !fallback->on.empty();
  // Unless the policy requests it, no job waits for a soft constraint or for a model to grow.
  if (!asked && reason == Reason::queue_slo) return "is placed, ignoring the slo";
  if (fallback != nullptr && fallback->max_wait > Duration{0}) {
    return fmt::format("waits {}, then fails", duration_text(to_seconds(fallback->max_wait)));
  }
  if (asked || !judges_kinds(reason)) return "waits";
  if (policy.impossible_after_s <= 0) return "waits; forever if no device can run it";
  return fmt::format("waits, and fails after {} when no device can run it",
                     duration_text(policy.impossible_after_s));
}

// The table of outcomes.

namespace {

std::string after(const Policy& policy, const PolicyOutcome& outcome, Reason reason) {
  std::string text;
  for (const NextPool& next : outcome.next) {
    if (next.excluded) continue;
    add_part(text, ", ", next.pool);
    if (next.fallback == nullptr) continue;
    const Guard& guard = next.fallback->guard;
    if (next.fallback->change_precision) {
      text += fmt::format(" as {}", to_text(*next.fallback->change_precision));
    }
    if (guard.finish_ratio_max || guard.extra_cost_max || guard.extra_energy_max) {
      text += " if the guard passes";
    }
  }
  if (!text.empty()) text += "; else it ";
  text += ending_text(policy, outcome, reason);
  return outcome.fallback == nullptr ? text + " (default_action)" : text;
}

std::string pools_of(const Policy& policy, const PolicyCase& each) {
  const Rule& rule = policy.rules[each.rule];
  std::string text;
  for (const std::string& name : rule.pools) {
    add_part(text, ", ", name);
    const Pool* pool = policy.find_pool(name);
    if (pool == nullptr) continue;
    const auto excluded = surely_excluded(policy, each, *pool, rule.precisions);
    if (excluded) text += fmt::format(" (never: {})", to_text(*excluded));
  }
  return text;
}

/// One line for all reasons with the same outcome.
std::string lines_of(const Policy& policy, const PolicyCase& each) {
  std::vector<std::pair<std::string, std::string>> groups;  // outcome, reasons
  for (int number = 0; number < reason_count; ++number) {
    const auto reason = static_cast<Reason>(number);
    if (!can_occur(policy, each, reason)) continue;
    const std::string what = after(policy, outcome_for(policy, each, reason), reason);
    using Group = std::pair<std::string, std::string>;
    Group* same = find_by(groups, &Group::first, what);
    if (same == nullptr) {
      groups.emplace_back(what, to_text(reason));
    } else {
      same->second += fmt::format(", {}", to_text(reason));
    }
  }
  std::string text = fmt::format("  {}: {}\n", each.name, pools_of(policy, each));
  for (const auto& [what, reasons] : groups) text += fmt::format("    {}: {}\n", reasons, what);
  return text;
}

}  // namespace

std::string outcome_table(const Policy& policy) {
  std::string text;
  const auto cases = policy_cases(policy);
  auto next = cases.begin();  // in the order of the rules
  for (std::size_t rule = 0; rule < policy.rules.size(); ++rule) {
    const std::string when = described(job_set(policy.rules[rule].when));
    text += fmt::format("rule {}{}\n", policy.rules[rule].name,
                        when.empty() ? "" : fmt::format(" ({})", when));
    for (; next != cases.end() && next->rule == rule; ++next) text += lines_of(policy, *next);
  }
  const auto unmatched = unmatched_jobs(policy);
  if (!unmatched.empty()) text += "no rule\n";
  for (const UnmatchedJobs& each : unmatched) {
    const std::string name =
        each.work_class == nullptr ? "" : fmt::format("class {}: ", each.work_class->name);
    text += fmt::format("  {}{}\n", name, described(policy, each));
  }
  return text;
}

}  // namespace drover::router
