// The class that a job belongs to, and what the job requires, including what its class adds.
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

/// The class that the job names, else the first whose `when` matches; null: none.
const WorkClass* class_of(const Policy& policy, const Job& job, const devices::ModelSpec& model);

/// Whether `when` matches the job. `work_class` may be null.
bool holds(const When& when, const Job& job, const devices::ModelSpec& model,
           const WorkClass* work_class);

/// The first rule that matches; null: none.
const Rule* find_rule(const Policy& policy, const Job& job, const devices::ModelSpec& model,
                      const WorkClass* work_class);

/// Requirements on a placement, from the job or its class.
struct Needs {
  std::string_view framework;        // empty: any
  std::string_view data_set;         // its name; empty: none
  const DataSet* located = nullptr;  // its location in the policy; null: not in the policy
  std::vector<std::pair<std::string, Version>> versions;
};
Needs needs_of(const Policy& policy, const Job& job, const WorkClass* work_class);

/// The class metric of the finished attempt; nothing: the attempt has no such value.
std::optional<double> metric_of(ClassMetric metric, const Job& job, const Usage& usage,
                                const Outcome& outcome, double latency_s);

}  // namespace drover::router
