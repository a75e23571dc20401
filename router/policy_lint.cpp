// What a policy must not hold although each key is well formed: names of pools that do not exist,
// rules that no job reaches, fallbacks that lead back or never fire.
#include <algorithm>

#include "fleet/text.h"
#include "router/policy_read.h"

namespace drover::router {
namespace {

using toml_file::Table;

std::vector<std::string> pool_names(const Policy& policy) {
  std::vector<std::string> names;
  for (const Pool& pool : policy.pools) names.push_back(pool.name);
  return names;
}

bool same(const Range& a, const Range& b) { return a.low == b.low && a.high == b.high; }

bool always_holds(const When& when) {
  const When any;
  return when.kinds.empty() && when.model == "*" && when.tenant == "*" && when.stage == "*" &&
         when.classes.empty() && same(when.input_tokens, any.input_tokens) &&
         same(when.output_tokens, any.output_tokens) && same(when.batch, any.batch) &&
         same(when.gang, any.gang) && same(when.priority, any.priority);
}

bool has_guard(const Guard& guard) {
  return guard.finish_ratio_max || guard.extra_cost_max || guard.extra_energy_max;
}

/// The pools of a rule exist and stand once.
void lint_pools(Table table, const Policy& policy, const Rule& rule) {
  for (auto name = rule.pools.begin(); name != rule.pools.end(); ++name) {
    if (policy.find_pool(*name) == nullptr) {
      table.complain("pools", fmt::format("no such pool \"{}\"{}", printable(*name),
                                          suggestion(*name, pool_names(policy))));
    }
    if (std::find(rule.pools.begin(), name, *name) != name) {
      table.complain("pools", fmt::format("pool \"{}\" stands twice", printable(*name)));
    }
  }
}

void lint_fallback(Table table, const Policy& policy, const Rule& rule, std::size_t step) {
  const Fallback& fallback = rule.fallbacks[step];
  if (fallback.action == FallbackAction::go) {
    if (policy.find_pool(fallback.to) == nullptr) {
      table.complain("to", fmt::format("no such pool \"{}\"{}", printable(fallback.to),
                                       suggestion(fallback.to, pool_names(policy))));
    }
    const bool own =
        std::find(rule.pools.begin(), rule.pools.end(), fallback.to) != rule.pools.end();
    // The same pool in another precision is another place.
    if (own && !fallback.change_precision) {
      table.complain("to", fmt::format("pool \"{}\" is one of the rule's own pools", fallback.to));
    }
  }
  for (std::size_t before = 0; before < step; ++before) {
    const Fallback& earlier = rule.fallbacks[before];
    if (earlier.on.empty() && earlier.action != FallbackAction::go && !has_guard(earlier.guard)) {
      table.complain(
          "on",
          fmt::format("never reached: fallback {} of the rule catches every reason", before + 1));
    }
  }
}

}  // namespace

void lint_rules(Table file, const Policy& policy) {
  const std::vector<Table> tables = file.tables("rule");
  std::optional<std::string> catch_all;
  std::vector<std::string> names;
  for (std::size_t index = 0; index < tables.size() && index < policy.rules.size(); ++index) {
    Table table = tables[index];
    const Rule& rule = policy.rules[index];
    if (catch_all) {
      table.complain("name",
                     fmt::format("rule \"{}\" is never reached: rule \"{}\" before it always "
                                 "holds",
                                 rule.name, *catch_all));
    }
    if (std::find(names.begin(), names.end(), rule.name) != names.end()) {
      table.complain("name", fmt::format("rule \"{}\" stands twice", rule.name));
    }
    names.push_back(rule.name);
    if (always_holds(rule.when)) catch_all = rule.name;
    lint_pools(table, policy, rule);
    const std::vector<Table> fallbacks = table.tables("fallback");
    for (std::size_t step = 0; step < fallbacks.size(); ++step) {
      lint_fallback(fallbacks[step], policy, rule, step);
    }
  }
}

}  // namespace drover::router
