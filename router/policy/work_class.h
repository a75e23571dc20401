// Which class of work a job belongs to, and what it needs once its class has had its say.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/catalogue/model.h"
#include "fleet/base/version.h"
#include "fleet/job.h"
#include "router/policy/policy.h"

namespace drover::router {

/// The class that the job names, else the first of the policy whose `when` holds; null: none.
const WorkClass* class_of(const Policy& policy, const Job& job, const devices::ModelSpec& model);

/// Whether a rule that asks for `when` is for this job. `work_class` may be null.
bool holds(const When& when, const Job& job, const devices::ModelSpec& model,
           const WorkClass* work_class);

/// The first rule that holds; null: none.
const Rule* find_rule(const Policy& policy, const Job& job, const devices::ModelSpec& model,
                      const WorkClass* work_class);

/// What places are asked for, whoever of job and class says it.
struct Needs {
  std::string_view framework;        // empty: any
  std::string_view data_set;         // its name; empty: none
  const DataSet* located = nullptr;  // where the policy says that it lies; null: it does not
  std::vector<std::pair<std::string, Version>> versions;
};
Needs needs_of(const Policy& policy, const Job& job, const WorkClass* work_class);

/// The finished attempt in the metric's unit; nothing where it has no such number.
std::optional<double> metric_of(ClassMetric metric, const Job& job, const Usage& usage,
                                const Outcome& outcome, double latency_s);

}  // namespace drover::router
