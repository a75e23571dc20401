// The table of outcomes: by rule and case, what happens for each reason.
#include <algorithm>

#include "router/lint/outcomes.h"

namespace drover::router {
namespace {

std::string after(const Policy& policy, const PolicyOutcome& outcome, Reason reason) {
  std::string text;
  for (const NextPool& next : outcome.next) {
    if (next.excluded) continue;
    text += (text.empty() ? "" : ", ") + next.pool;
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
    text += (text.empty() ? "" : ", ") + name;
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
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const auto& group) { return group.first == what; });
    if (same == groups.end()) {
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
