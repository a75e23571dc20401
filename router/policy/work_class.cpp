#include "router/policy/work_class.h"

#include <algorithm>

#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::router {
namespace {

bool fits(std::string_view text, const std::string& glob) {
  return glob == "*" || matches_glob(text, glob);
}

void add_versions(Needs& needs, const std::map<std::string, std::string>& versions) {
  for (const auto& [name, text] : versions) {
    const auto same = [&, key = name](const auto& known) { return known.first == key; };
    if (std::ranges::any_of(needs.versions, same)) continue;
    auto version = parse_version(text);
    if (version) needs.versions.emplace_back(name, std::move(*version));
  }
}

}  // namespace

bool holds(const When& when, const Job& job, const devices::ModelSpec& model,
           const WorkClass* work_class) {
  const Workload& work = job.work;
  if (!when.kinds.empty() && !contains(when.kinds, work.kind)) return false;
  if (!when.classes.empty()) {
    const std::string& name = work_class != nullptr ? work_class->name : job.work_class;
    if (!contains(when.classes, name)) return false;
  }
  const std::string& stage =
      job.stage.empty() && work_class != nullptr ? work_class->stage : job.stage;
  return when.input_tokens.holds(work.input_tokens) &&
         when.output_tokens.holds(work.output_tokens) && when.batch.holds(work.batch) &&
         when.gang.holds(work.devices) && when.priority.holds(job.priority) &&
         (fits(model.id, when.model) || fits(model.family, when.model)) &&
         fits(job.tenant, when.tenant) && fits(stage, when.stage);
}

const WorkClass* class_of(const Policy& policy, const Job& job, const devices::ModelSpec& model) {
  if (!job.work_class.empty()) return policy.find_class(job.work_class);
  for (const WorkClass& each : policy.classes) {
    if (holds(each.when, job, model, nullptr)) return &each;
  }
  return nullptr;
}

const Rule* find_rule(const Policy& policy, const Job& job, const devices::ModelSpec& model,
                      const WorkClass* work_class) {
  for (const Rule& rule : policy.rules) {
    if (holds(rule.when, job, model, work_class)) return &rule;
  }
  return nullptr;
}

Needs needs_of(const Policy& policy, const Job& job, const WorkClass* work_class) {
  Needs needs;
  needs.framework = job.work.framework;
  needs.data_set = job.data_set;
  add_versions(needs, job.work.versions);
  if (work_class != nullptr) {
    if (needs.framework.empty()) needs.framework = work_class->framework;
    if (needs.data_set.empty()) needs.data_set = work_class->data_set;
    add_versions(needs, work_class->versions);
  }
  const auto found = policy.network.data_sets.find(needs.data_set);
  if (found != policy.network.data_sets.end()) needs.located = &found->second;
  return needs;
}

std::optional<double> metric_of(ClassMetric metric, const Job& job, const Usage& usage,
                                const Outcome& outcome, double latency_s) {
  const bool trains = job.work.kind == WorkKind::train;
  const double tokens = static_cast<double>(outcome.input_tokens + outcome.output_tokens);
  const double units = trains ? outcome.steps : tokens;
  const double more_tokens = static_cast<double>(outcome.output_tokens) - 1;
  const double before_s = std::max(0.0, latency_s - outcome.run_s);
  switch (metric) {
    case ClassMetric::none:
      return std::nullopt;
    case ClassMetric::training_time:
      return trains ? std::optional(latency_s) : std::nullopt;
    case ClassMetric::first_token:
      // The agent measures from arrival at the agent; the metric counts from submission.
      if (outcome.first_token_s <= 0) return std::nullopt;
      return before_s + outcome.first_token_s;
    case ClassMetric::per_token:
      if (outcome.first_token_s <= 0 || more_tokens < 1) return std::nullopt;
      return (outcome.run_s - outcome.first_token_s) / more_tokens;
    case ClassMetric::cost_per_unit:
      if (units <= 0) return std::nullopt;
      return usage.cost_usd / units * (trains ? 1e3 : 1e6);
    case ClassMetric::energy_per_unit:
      if (units <= 0) return std::nullopt;
      return usage.energy_j / units;
  }
  return std::nullopt;
}

}  // namespace drover::router
