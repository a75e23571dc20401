// Job classes: one kind of use as operators name it, with its goal metric.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/job.h"
#include "fleet/summary.h"
#include "router/policy/rule.h"

namespace drover::router {

/// The share of a class's jobs that have this size.
struct Mix {
  std::uint32_t input_tokens = 0;
  std::uint32_t output_tokens = 0;
  std::uint32_t batch = 0;
  double share = 1;
};

/// A job belongs to the class that it names, else to the first whose `when` matches. The class
/// supplies what the job does not specify.
struct WorkClass {
  std::string name;
  When when;
  std::string stage;
  std::string framework;
  std::map<std::string, std::string> versions;
  std::string data_set;
  double concurrency = 1;  // expected concurrent jobs: they share a replica's warm-up
  std::vector<Mix> mix;    // sizes, for lint
  ClassMetric metric = ClassMetric::none;
  double target = 0;  // in the metric's unit; 0: none
};

}  // namespace drover::router
