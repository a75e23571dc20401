// Rules that no job reaches, classes without jobs, unknown names, and metrics that jobs do not
// have.
#include <algorithm>

#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "router/lint/cases.h"
#include "router/lint/job_set.h"
#include "router/lint/lint.h"

namespace drover::router {
namespace {

using toml_file::Table;

bool always_holds(const When& when) { return without(JobSet{}, {job_set(when)}).empty(); }

/// Sizes in `when` that no job can have; `table` holds `when`.
void lint_empty_ranges(Lint& lint, Table table, const When& when) {
  auto keys = table.table("when");
  if (!keys) return;
  const JobSet set = job_set(when);
  for (int index = 0; index < size_count; ++index) {
    const auto size = static_cast<Size>(index);
    if (!set[size].empty()) continue;
    const std::string_view key =
        size == Size::input_tokens && keys->has("input_tokens") ? "input_tokens" : to_text(size);
    lint.error(*keys, key, "never matches: found \"{}\", which no job has",
               printable(keys->text(key)));
  }
}

/// The pools of a rule must exist and be listed once.
void lint_pools_of(Lint& lint, const Table& table, const Rule& rule) {
  for (auto name = rule.pools.begin(); name != rule.pools.end(); ++name) {
    if (lint.policy().find_pool(*name) == nullptr) {
      lint.wrong_name(table, "pools", "{}", lint.policy().no_such_pool(*name));
    }
    if (std::find(rule.pools.begin(), name, *name) != name) {
      lint.wrong_name(table, "pools", "pool \"{}\" is given twice", printable(*name));
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
  const std::vector<std::string> known = names_of(policy.classes, &WorkClass::name);
  for (const std::string& name : rule.when.classes) {
    if (policy.find_class(name) != nullptr) continue;
    lint.warn(*when, "class", "there is no [class.{}]: only jobs that name it are in it{}",
              printable(name), known.empty() ? "" : suggestion(name, known));
  }
}

void lint_spill(Lint& lint, Table table, const Rule& rule) {
  auto spill = table.table("spill");
  if (!rule.spill || !spill) return;
  if (rule.spill->margin <= 0 && rule.spill->back <= 0) {
    lint.warn(*spill, "margin",
              "without margin and back, jobs oscillate between pools of the same cost");
  }
  const bool leads_on = std::ranges::any_of(rule.fallbacks, [](const Fallback& fallback) {
    return fallback.action == FallbackAction::go;
  });
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
  const std::vector<std::string> known = names_of(policy.classes, &WorkClass::name);
  double lowest = rule.preempt->trainings ? priority_min : priority_max;
  for (const std::string& name : rule.preempt->classes) {
    const WorkClass* work_class = policy.find_class(name);
    if (work_class == nullptr) {
      lint.wrong_name(
          *keys, "may", "no [class.{}]{}", printable(name),
          known.empty() ? ", and no kind of work has that name" : suggestion(name, known));
      return;
    }
    if (lint.is_unread("class." + name)) return;
    if (!holds_trainings(work_class->when)) {
      lint.warn(*keys, "may", "class \"{}\" holds no training: only training can be preempted",
                name);
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

void lint_class_reached(Lint& lint, const Table& table, std::size_t index) {
  const std::vector<WorkClass>& classes = lint.policy().classes;
  const auto jobs = jobs_of_class(classes[index]);
  if (!jobs || jobs->empty()) return;
  std::vector<JobSet> earlier;
  for (std::size_t before = 0; before < index; ++before) {
    if (lint.is_unread("class." + classes[before].name)) continue;
    if (const auto other = jobs_of_class(classes[before])) earlier.push_back(*other);
  }
  if (!without(*jobs, earlier).empty()) return;
  lint.warn(table, "when",
            "only jobs that name this class belong to it: earlier classes match all other jobs");
}

/// Metrics that the jobs of a class do not have.
void lint_metric(Lint& lint, Table table, const WorkClass& work_class) {
  const auto& kinds = work_class.when.kinds;
  if (kinds.empty() || !table.has("metric")) return;
  const bool trains = job_set(work_class.when).kinds == bit(WorkKind::train);
  const bool never_trains = (job_set(work_class.when).kinds & bit(WorkKind::train)) == 0;
  const std::string metric = table.text("metric");
  if (trains && (metric == "ttft" || metric == "tpot")) {
    lint.error(table, "metric", "training has no {}: it generates no tokens", metric);
  } else if (trains && (metric == "usd_per_mtoken" || metric == "j_per_token")) {
    lint.error(table, "metric", "training is counted in steps, expected {}",
               metric == "j_per_token" ? "j_per_step" : "usd_per_kstep");
  } else if (never_trains && metric == "training_time") {
    lint.error(table, "metric", "only training has a training_time");
  } else if (never_trains && (metric == "usd_per_kstep" || metric == "j_per_step")) {
    lint.error(table, "metric", "only training is counted in steps, expected {}",
               metric == "j_per_step" ? "j_per_token" : "usd_per_mtoken");
  }
}

/// Sizes in the class's mix that its `when` does not match.
void lint_mix(Lint& lint, Table table, const WorkClass& work_class) {
  const auto jobs = jobs_of_class(work_class);
  if (!jobs) return;
  std::vector<Table> mixes = table.tables("mix");
  for (std::size_t index = 0; index < mixes.size(); ++index) {
    struct Row {
      std::string_view key;
      Size size;
      std::uint32_t value;
    };
    const Mix& mix = work_class.mix[index];
    for (const Row& row : {Row{"input", Size::input_tokens, mix.input_tokens},
                           Row{"output", Size::output_tokens, mix.output_tokens},
                           Row{"batch", Size::batch, mix.batch}}) {
      const IntegerRange span = (*jobs)[row.size];
      if (row.value >= span.low && row.value <= span.high) continue;
      lint.warn(mixes[index], row.key,
                "the `when` of the class holds for {} from {} to {}, not for {}", to_text(row.size),
                span.low, span.high, row.value);
    }
  }
}

}  // namespace

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
      lint.error(table, "name", "rule \"{}\" is never reached: {}", rule.name, why);
    }
    const bool named = !rule.name.empty();
    if (named && contains(names, rule.name)) {
      lint.wrong_name(table, "name", "rule \"{}\" is given twice", rule.name);
    }
    names.push_back(rule.name);
    lint_pools_of(lint, table, rule);
    lint_when(lint, table, rule);
    lint_spill(lint, table, rule);
    lint_preempt(lint, table, rule);
  }
}

void lint_classes(Lint& lint, Table file) {
  auto tables = file.table("class");
  const std::vector<WorkClass>& classes = lint.policy().classes;
  for (std::size_t index = 0; tables && index < classes.size(); ++index) {
    auto table = tables->table(classes[index].name);
    if (!table) continue;
    lint_empty_ranges(lint, *table, classes[index].when);
    auto when = table->table("when");
    const std::vector<std::string> itself = {classes[index].name};
    if (when && when->has("class") && classes[index].when.classes != itself) {
      lint.error(*when, "class",
                 "never matches: `class` is not known yet while the class is being determined");
    }
    lint_class_reached(lint, *table, index);
    lint_metric(lint, *table, classes[index]);
    lint_mix(lint, *table, classes[index]);
  }
}

}  // namespace drover::router
