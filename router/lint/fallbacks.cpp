// Fallbacks that lead back, lead nowhere or never apply, and guards and changes without effect.
#include <algorithm>
#include <array>

#include "fleet/base/search.h"
#include "router/lint/lint.h"
#include "router/lint/outcomes.h"

namespace drover::router {
namespace {

using toml_file::Table;

/// One fallback with its table.
struct At {
  const Rule& rule;
  std::size_t rule_index;
  std::size_t step;
  Table table;
  const Fallback& fallback() const { return rule.fallbacks[step]; }
  bool goes() const { return fallback().action == FallbackAction::go; }
};

/// Whether `fallback.on` contains all reasons of `other`.
bool catches(const Fallback& fallback, const Fallback& other) {
  if (fallback.on.empty()) return true;
  return !other.on.empty() && std::ranges::all_of(other.on, [&](Reason reason) {
    return contains(fallback.on, reason);
  });
}

void lint_target(Lint& lint, At& at) {
  if (!at.goes()) {
    for (const std::string_view key : {"guard", "change"}) {
      if (at.table.has(key)) lint.error(at.table, key, "has no effect without `to`");
    }
    if (at.table.has("max_wait_s") && at.fallback().action == FallbackAction::queue &&
        at.fallback().max_wait <= Duration{0}) {
      lint.warn(at.table, "max_wait_s", "0 means no limit, as without the key");
    }
    return;
  }
  const std::string& to = at.fallback().to;
  if (lint.policy().find_pool(to) == nullptr) {
    lint.wrong_name(at.table, "to", "{}", lint.policy().no_such_pool(to));
  }
  // The same pool in another precision is a different target.
  if (contains(at.rule.pools, to) && !at.fallback().change_precision) {
    lint.error(at.table, "to", "pool \"{}\" is one of the rule's own pools", to);
  }
}

/// Whether the later guard rejects everything that the earlier one rejects.
bool as_strict(const Guard& later, const Guard& earlier) {
  for (const auto limit :
       {&Guard::finish_ratio_max, &Guard::extra_cost_max, &Guard::extra_energy_max}) {
    const auto& wide = earlier.*limit;
    const auto& narrow = later.*limit;
    if (wide && (!narrow || *narrow > *wide)) return false;
  }
  return true;
}

/// Unreachable after a fallback that ends the evaluation, or after one with the same target.
void lint_reached(Lint& lint, At& at) {
  std::vector<Reason> ended;
  std::size_t last = 0;
  for (std::size_t before = 0; before < at.step; ++before) {
    const Fallback& earlier = at.rule.fallbacks[before];
    const bool same_place = at.goes() && earlier.action == FallbackAction::go &&
                            earlier.to == at.fallback().to &&
                            earlier.change_precision == at.fallback().change_precision;
    if (same_place && catches(earlier, at.fallback()) &&
        as_strict(at.fallback().guard, earlier.guard)) {
      return lint.error(at.table, "to",
                        "has no effect: fallback {} of the rule has already tried the "
                        "same pool for the same reasons",
                        before + 1);
    }
    if (earlier.action == FallbackAction::go) continue;
    if (earlier.on.empty()) {
      return lint.error(at.table, "on",
                        "never reached: fallback {} of the rule catches every reason", before + 1);
    }
    ended.insert(ended.end(), earlier.on.begin(), earlier.on.end());
    last = before + 1;
  }
  for (const Reason reason : at.fallback().on) {
    if (!contains(ended, reason)) return;
  }
  if (at.fallback().on.empty()) return;
  lint.error(at.table, "on", "never reached: the fallbacks up to {} cover each of its reasons",
             last);
}

struct Never {
  Reason reason;
  std::string_view why;
};
constexpr std::array<Never, 6> nevers = {{
    {Reason::topology, "it applies only to gangs, and to requests with clients and rtt_ms"},
    {Reason::tenancy, "no tenant of [limits] has borrow = false"},
    {Reason::context, "it applies only to requests"},
    {Reason::policy, "it applies only to jobs that no rule matches"},
    {Reason::queue_slo, "it applies only to requests of a rule with slo.ttft_ms"},
    {Reason::budget, "[limits] has no budget_usd_per_h, and no pool of the rule a max_share"},
}};

void lint_reasons(Lint& lint, At& at) {
  if (lint.are_pools_unread(at.rule) || lint.is_unread("class") || lint.is_unread("limits")) return;
  const auto cases = rule_cases(at.rule, at.rule_index);
  for (const Reason reason : at.fallback().on) {
    if (std::ranges::any_of(cases, [&](const PolicyCase& each) {
          return can_occur(lint.policy(), each, reason);
        })) {
      continue;
    }
    const Never* never = find_by(nevers, &Never::reason, reason);
    lint.warn(at.table, "on", "{} cannot occur here: {}", to_text(reason),
              never == nullptr ? "it is a reason why jobs end, never why a pool rejects them"
                               : never->why);
  }
}

/// The pool's capability excludes all jobs of the rule.
void lint_use(Lint& lint, At& at) {
  const Pool* pool = lint.policy().find_pool(at.fallback().to);
  if (!at.goes() || pool == nullptr) return;
  if (lint.are_pools_unread(at.rule) || lint.is_unread("class")) return;
  const auto& change = at.fallback().change_precision;
  const auto precisions = change ? std::vector<Precision>{*change} : at.rule.precisions;
  const auto cases = rule_cases(at.rule, at.rule_index);
  if (const auto reason = surely_excluded(lint.policy(), cases, *pool, precisions)) {
    lint.error(at.table, "to", "has no effect: pool \"{}\" accepts no job of the rule{} ({})",
               pool->name, change ? fmt::format(" as {}", to_text(*change)) : "", to_text(*reason));
  }
  if (change && contains(at.rule.precisions, *change)) {
    lint.warn(at.table, "change", "has no effect: the rule already accepts {}", to_text(*change));
  }
}

/// Highest and lowest price; nothing: the devices' own prices count, or energy does.
std::optional<std::pair<double, double>> price_span(const Pool& pool) {
  const Prices& prices = pool.prices;
  if (!prices.given() || prices.years > 0) return std::nullopt;
  std::optional<std::pair<double, double>> span;
  for (const auto& price :
       {prices.on_demand_usd_per_h, prices.reserved_usd_per_h, prices.spot_usd_per_h}) {
    if (!price) continue;
    if (!span) span = {*price, *price};
    span = {std::min(span->first, *price), std::max(span->second, *price)};
  }
  return span;
}

/// "extra_cost <= 0%" although each device of the pool costs more than each of the rule's pools.
void lint_guard(Lint& lint, At& at) {
  const Pool* pool = lint.policy().find_pool(at.fallback().to);
  auto guard = at.table.table("guard");
  if (lint.are_pools_unread(at.rule)) return;
  if (!at.goes() || !guard || pool == nullptr || at.fallback().guard.extra_cost_max != 0) return;
  const auto target = price_span(*pool);
  double primary_max = 0;
  for (const std::string& name : at.rule.pools) {
    const Pool* primary = lint.policy().find_pool(name);
    const auto span = primary == nullptr ? std::nullopt : price_span(*primary);
    if (!span) return;
    primary_max = std::max(primary_max, span->second);
  }
  if (!target || target->first <= primary_max) return;
  lint.warn(*guard, "extra_cost",
            "rarely passes: pool \"{}\" costs at least {} $/h, the rule's own "
            "pools at most {}",
            pool->name, target->first, primary_max);
}

void lint_failback(Lint& lint, At& at) {
  auto failback = at.table.table("failback");
  if (!failback) return;
  const std::vector<Reason>& on = at.fallback().on;
  if (!on.empty() && std::ranges::all_of(on, is_permanent)) {
    lint.warn(*failback, "after_s",
              "never used: every reason in `on` is permanent and applies to a single job only");
  }
  const std::string& floor = at.fallback().failback.floor;
  if (floor.empty()) return;
  const Pool* lowest = lint.policy().find_pool(floor);
  if (lowest == nullptr) {
    return lint.wrong_name(*failback, "floor", "{}", lint.policy().no_such_pool(floor));
  }
  const Pool* pool = lint.policy().find_pool(at.fallback().to);
  if (lint.are_pools_unread(at.rule) || lint.is_unread("pool." + floor)) return;
  if (!at.goes() || pool == nullptr || pool->tier <= lowest->tier) return;
  lint.warn(*failback, "floor",
            "pool \"{}\" (tier {}) is below the floor \"{}\" (tier {}): after the "
            "first job placed there, jobs wait",
            pool->name, pool->tier, floor, lowest->tier);
}

}  // namespace

void lint_fallbacks(Lint& lint, Table file) {
  const std::vector<Rule>& rules = lint.policy().rules;
  const std::vector<Table> tables = file.tables("rule");
  for (std::size_t index = 0; index < tables.size(); ++index) {
    Table table = tables[index];
    const std::vector<Table> fallbacks = table.tables("fallback");
    for (std::size_t step = 0; step < fallbacks.size(); ++step) {
      At at{rules[index], index, step, fallbacks[step]};
      lint_target(lint, at);
      lint_reached(lint, at);
      lint_reasons(lint, at);
      lint_use(lint, at);
      lint_guard(lint, at);
      lint_failback(lint, at);
    }
  }
}

}  // namespace drover::router
