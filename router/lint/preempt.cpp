// [[rule]] preempt: which running work may be preempted for the rule's jobs, and what is wrong
// with it.
#include <algorithm>

#include "fleet/base/text.h"
#include "router/lint/job_set.h"
#include "router/lint/lint.h"
#include "router/policy/read.h"

namespace drover::router {
namespace {

using toml_file::Table;

constexpr double priority_min = -128;
constexpr double priority_max = 127;
constexpr double grace_max_s = 24 * 3600;

bool holds_trainings(const WorkClass& each) {
  const auto& kinds = each.when.kinds;
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), WorkKind::train) != kinds.end();
}

}  // namespace

Preempt read_preempt(Table table) {
  Preempt preempt;
  for (const std::string& word : table.texts("may")) {
    const auto kind = parse_kind_word(word);
    if (!kind) {
      preempt.classes.push_back(word);
    } else if (*kind == WorkKind::train) {
      preempt.trainings = true;
    } else {
      table.add_problem("may", fmt::format("found \"{}\": only training can be preempted, expected "
                                           "training or names of classes",
                                           printable(word)));
    }
  }
  if (!preempt.trainings && preempt.classes.empty()) {
    table.add_problem("may", "found nothing, expected training or names of classes");
  }
  const std::string mode = table.text("mode", "requeue");
  if (mode != "requeue") {
    table.add_problem("mode", fmt::format("found \"{}\", expected requeue", printable(mode)));
  }
  if (table.has("grace_s")) {
    preempt.grace = from_seconds(table.number_in("grace_s", 0, grace_max_s));
  }
  return preempt;
}

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
    if (!holds_trainings(*work_class)) {
      lint.warn(
          *keys, "may",
          fmt::format("class \"{}\" holds no training: only training can be preempted", name));
    }
    lowest = std::min(lowest, std::max(priority_min, work_class->when.priority.low));
  }
  const auto& kinds = rule.when.kinds;
  if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), WorkKind::train) == kinds.end()) {
    lint.warn(table, "preempt", "only training preempts others, and the rule matches no training");
  } else if (std::min(priority_max, rule.when.priority.high) <= lowest) {
    lint.warn(*keys, "may",
              "has no effect: nothing in it has a lower priority than the rule's jobs");
  }
}

}  // namespace drover::router
