// Rules that no job reaches, and unknown names.
#include <algorithm>

#include "fleet/base/contains.h"
#include "fleet/base/text.h"
#include "router/lint/job_set.h"
#include "router/lint/lint.h"

namespace drover::router {
namespace {

using toml_file::Table;

bool always_holds(const When& when) { return without(JobSet{}, {job_set(when)}).empty(); }

/// The pools of a rule must exist and be listed once.
void lint_pools_of(Lint& lint, const Table& table, const Rule& rule) {
  for (auto name = rule.pools.begin(); name != rule.pools.end(); ++name) {
    if (lint.policy().find_pool(*name) == nullptr) {
      lint.wrong_name(table, "pools",
                      fmt::format("no such pool \"{}\"{}", printable(*name),
                                  suggestion(*name, lint.policy().pool_names())));
    }
    if (std::find(rule.pools.begin(), name, *name) != name) {
      lint.wrong_name(table, "pools", fmt::format("pool \"{}\" is given twice", printable(*name)));
    }
  }
}

/// Why no job reaches this rule; empty: some may.
std::string shadow_of(const Lint& lint, std::size_t index) {
  const Policy& policy = lint.policy();
  const JobSet set = job_set(policy.rules[index].when);
  std::vector<JobSet> earlier;
  for (std::size_t before = 0; before < index; ++before) {
    if (lint.is_rule_unread(before)) continue;
    const Rule& rule = policy.rules[before];
    earlier.push_back(job_set(rule.when));
    if (always_holds(rule.when)) {
      return fmt::format("rule \"{}\" before it always matches", rule.name);
    }
    if (without(set, {earlier.back()}).empty()) {
      return fmt::format("rule \"{}\" before it matches all of its jobs", rule.name);
    }
  }
  if (!without(set, earlier).empty()) return "";
  return "the rules before it match all of its jobs";
}

void lint_when(Lint& lint, Table table, const Rule& rule) {
  const Policy& policy = lint.policy();
  auto when = table.table("when");
  if (!when) return;
  std::vector<std::string> known;
  for (const WorkClass& each : policy.classes) known.push_back(each.name);
  for (const std::string& name : rule.when.classes) {
    if (policy.find_class(name) != nullptr) continue;
    lint.warn(*when, "class",
              fmt::format("there is no [class.{}]: only jobs that name it are in it{}",
                          printable(name), known.empty() ? "" : suggestion(name, known)));
  }
}

void lint_spill(Lint& lint, Table table, const Rule& rule) {
  auto spill = table.table("spill");
  if (!rule.spill || !spill) return;
  if (rule.spill->margin <= 0 && rule.spill->back <= 0) {
    lint.warn(*spill, "margin",
              "without margin and back, jobs oscillate between pools of the same cost");
  }
  const bool leads_on =
      std::any_of(rule.fallbacks.begin(), rule.fallbacks.end(),
                  [](const Fallback& fallback) { return fallback.action == FallbackAction::go; });
  if (rule.pools.size() < 2 && !leads_on) {
    lint.warn(table, "spill", "has no effect: the rule has only one pool");
  }
}

constexpr double priority_min = -128;
constexpr double priority_max = 127;

bool holds_trainings(const When& when) {
  return when.kinds.empty() || contains(when.kinds, WorkKind::train);
}

/// Unknown classes in `preempt`, and work that is never preempted.
void lint_preempt(Lint& lint, Table table, const Rule& rule) {
  auto keys = table.table("preempt");
  if (!rule.preempt || !keys) return;
  const Policy& policy = lint.policy();
  std::vector<std::string> known;
  for (const WorkClass& each : policy.classes) known.push_back(each.name);
  double lowest = rule.preempt->trainings ? priority_min : priority_max;
  for (const std::string& name : rule.preempt->classes) {
    const WorkClass* work_class = policy.find_class(name);
    if (work_class == nullptr) {
      lint.wrong_name(*keys, "may",
                      fmt::format("no [class.{}]{}", printable(name),
                                  known.empty() ? ", and no kind of work has that name"
                                                : suggestion(name, known)));
      return;
    }
    if (lint.is_unread("class." + name)) return;
    if (!holds_trainings(work_class->when)) {
      lint.warn(
          *keys, "may",
          fmt::format("class \"{}\" holds no training: only training can be preempted", name));
    }
    lowest = std::min(lowest, std::max(priority_min, work_class->when.priority.low));
  }
  if (!holds_trainings(rule.when)) {
    lint.warn(table, "preempt", "only training preempts others, and the rule matches no training");
  } else if (std::min(priority_max, rule.when.priority.high) <= lowest) {
    lint.warn(*keys, "may",
              "has no effect: nothing in it has a lower priority than the rule's jobs");
  }
}

}  // namespace

void lint_empty_ranges(Lint& lint, Table table, const When& when) {
  auto keys = table.table("when");
  if (!keys) return;
  const JobSet set = job_set(when);
  for (int index = 0; index < size_count; ++index) {
    const auto size = static_cast<Size>(index);
    if (!set[size].empty()) continue;
    const std::string_view key =
        size == Size::input_tokens && keys->has("input_tokens") ? "input_tokens" : to_text(size);
    lint.error(
        *keys, key,
        fmt::format("never matches: found \"{}\", which no job has", printable(keys->text(key))));
  }
}

void lint_rules(Lint& lint, Table file) {
  const Policy& policy = lint.policy();
  const std::vector<Table> tables = file.tables("rule");
  std::vector<std::string> names;
  for (std::size_t index = 0; index < tables.size(); ++index) {
    const Rule& rule = policy.rules[index];
    const Table& table = tables[index];
    if (job_set(rule.when).empty()) {
      lint_empty_ranges(lint, table, rule.when);
    } else if (const std::string why = shadow_of(lint, index); !why.empty()) {
      lint.error(table, "name", fmt::format("rule \"{}\" is never reached: {}", rule.name, why));
    }
    const bool named = !rule.name.empty();
    if (named && contains(names, rule.name)) {
      lint.wrong_name(table, "name", fmt::format("rule \"{}\" is given twice", rule.name));
    }
    names.push_back(rule.name);
    lint_pools_of(lint, table, rule);
    lint_when(lint, table, rule);
    lint_spill(lint, table, rule);
    lint_preempt(lint, table, rule);
  }
}

}  // namespace drover::router
