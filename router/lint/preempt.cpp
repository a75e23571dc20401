// What is wrong with `preempt` of a rule.
#include <algorithm>

#include "fleet/base/text.h"
#include "router/lint/job_set.h"
#include "router/lint/lint.h"

namespace drover::router {
namespace {

using toml_file::Table;

constexpr double priority_min = -128;
constexpr double priority_max = 127;

bool holds_trainings(const WorkClass& each) {
  const auto& kinds = each.when.kinds;
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), WorkKind::train) != kinds.end();
}

}  // namespace

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
