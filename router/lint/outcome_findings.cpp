// Outcomes by class, reason and pool: jobs that no rule matches, that nothing can ever run, and
// reasons without an outcome.
#include <algorithm>
#include <map>
#include <optional>

#include "fleet/base/text.h"
#include "router/lint/lint.h"
#include "router/lint/outcomes.h"

namespace drover::router {
namespace {

using toml_file::Table;

/// A described class is meant to run. Other jobs may not exist.
void lint_unmatched(Lint& lint, Table& file) {
  const Policy& policy = lint.policy();
  const bool waits = policy.default_action == FallbackAction::queue;
  const char* what = !waits                          ? "default_action rejects them"
                     : policy.impossible_after_s > 0 ? "they wait, then fail"
                                                     : "they wait forever";
  auto classes = file.table("class");
  for (const UnmatchedJobs& each : unmatched_jobs(policy)) {
    const std::string words = described(policy, each);
    if (each.work_class == nullptr || !classes) {
      lint.warn(file, "rule", "no rule matches {}: {}", words, what);
      continue;
    }
    const std::string text = fmt::format("no rule matches its jobs ({}): {}", words, what);
    if (each.whole_class && waits) {
      lint.error(*classes, each.work_class->name, "{}", text);
    } else {
      lint.warn(*classes, each.work_class->name, "{}", text);
    }
  }
}

/// Jobs that no pool on their path ever runs.
struct Impossible {
  std::string why;    // "v5e: precision, l4: context"
  bool waits = true;  // with any preferred pool: pools without devices are skipped
};

/// Nothing: one of the rule's pools may run the job, or one named by a fallback for its reason.
std::optional<Impossible> impossible(const Policy& policy, const PolicyCase& each) {
  Impossible found;
  const Rule& rule = policy.rules[each.rule];
  std::vector<Reason> reasons;
  for (const std::string& name : rule.pools) {
    const Pool* pool = policy.find_pool(name);
    const auto why =
        pool == nullptr ? std::nullopt : surely_excluded(policy, each, *pool, rule.precisions);
    if (!why) return std::nullopt;
    add_part(found.why, ", ", fmt::format("{}: {}", name, to_text(*why)));
    reasons.push_back(*why);
  }
  for (const Reason reason : reasons) {
    const PolicyOutcome outcome = outcome_for(policy, each, reason);
    const bool led =
        std::ranges::any_of(outcome.next, [](const NextPool& next) { return !next.excluded; });
    if (led) return std::nullopt;
    found.waits &= outcome.action == FallbackAction::queue;
  }
  return found.why.empty() ? std::nullopt : std::optional(found);
}

/// A job's own framework and versions override those of its class: if these alone exclude it,
/// another job of the class may run, and nothing is certain.
void lint_impossible(Lint& lint, const Table& table, const PolicyCase& each) {
  const auto found = impossible(lint.policy(), each);
  if (!found) return;
  PolicyCase unspoken = each;
  unspoken.work_class = nullptr;
  const std::string text = fmt::format("nothing can run {} ({})", each.name, found->why);
  if (!impossible(lint.policy(), unspoken)) {
    lint.warn(table, "name", "{} but jobs that name another framework or version", text);
  } else if (found->waits) {
    lint.error(table, "name", "{}: it would wait forever", text);
  } else {
    lint.warn(table, "name", "{}", text);
  }
}

/// Whether a fallback runs jobs of the rule there in another precision.
bool takes_degraded(const Policy& policy, const Pool& pool, const std::vector<PolicyCase>& cases) {
  const std::vector<Fallback>& fallbacks = policy.rules[cases.front().rule].fallbacks;
  return std::ranges::any_of(fallbacks, [&](const Fallback& fallback) {
    if (fallback.to != pool.name || !fallback.change_precision) return false;
    return std::ranges::any_of(cases, [&](const PolicyCase& each) {
      return !surely_excluded(policy, each, pool, {*fallback.change_precision});
    });
  });
}

/// A pool of the list that runs no job of the rule, although others do.
void lint_idle_pools(Lint& lint, const Table& table, std::size_t index) {
  const Policy& policy = lint.policy();
  const Rule& rule = policy.rules[index];
  const auto cases = rule_cases(rule, index);
  for (const std::string& name : rule.pools) {
    const Pool* pool = policy.find_pool(name);
    if (pool == nullptr || rule.pools.size() < 2) continue;
    const auto why = surely_excluded(policy, cases, *pool, rule.precisions);
    if (!why || takes_degraded(policy, *pool, cases)) continue;
    lint.warn(table, "pools", "pool \"{}\" accepts no job of the rule ({})", name, to_text(*why));
  }
}

/// Reasons without an outcome, grouped by the default outcome; cases with the same ones are
/// merged.
void lint_unhandled(Lint& lint, const Table& table, const std::vector<const PolicyCase*>& cases) {
  const Policy& policy = lint.policy();
  std::map<std::string, std::vector<std::string>> by_words;
  std::vector<std::string> order;
  for (const PolicyCase* each : cases) {
    std::map<std::string, std::vector<std::string>> by_ending;
    for (int number = 0; number < reason_count; ++number) {
      const auto reason = static_cast<Reason>(number);
      if (!can_occur(policy, *each, reason)) continue;
      const PolicyOutcome outcome = outcome_for(policy, *each, reason);
      if (!outcome.is_unhandled()) continue;
      by_ending[ending_text(policy, outcome, reason)].emplace_back(to_text(reason));
    }
    for (const auto& [ending, reasons] : by_ending) {
      const std::string words =
          fmt::format("for {}: by default_action it {}", joined(reasons, ", "), ending);
      if (by_words.count(words) == 0) order.push_back(words);
      by_words[words].push_back(each->name);
    }
  }
  for (const std::string& words : order) {
    lint.warn(table, "name", "no fallback covers {} {}", joined(by_words[words], ", "), words);
  }
}

}  // namespace

void lint_outcomes(Lint& lint, Table file) {
  // Outcomes depend on these as well.
  if (lint.is_unread("class") || lint.is_unread("policy") || lint.is_unread("limits")) return;
  if (!lint.is_unread("rule")) lint_unmatched(lint, file);
  const auto cases = policy_cases(lint.policy());
  const std::vector<Table> tables = file.tables("rule");
  auto each = cases.begin();  // in the order of the rules
  for (std::size_t index = 0; index < tables.size(); ++index) {
    std::vector<const PolicyCase*> of_rule;
    for (; each != cases.end() && each->rule == index; ++each) {
      of_rule.push_back(&*each);
    }
    if (lint.is_rule_unread(index) || lint.are_pools_unread(lint.policy().rules[index])) continue;
    for (const PolicyCase* one : of_rule) lint_impossible(lint, tables[index], *one);
    lint_idle_pools(lint, tables[index], index);
    lint_unhandled(lint, tables[index], of_rule);
  }
}

}  // namespace drover::router
