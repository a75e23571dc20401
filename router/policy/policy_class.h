// Classes of work: what operators call one kind of use, with the number that decides over it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/job.h"
#include "fleet/summary.h"
#include "router/policy/policy_rule.h"

namespace drover::router {

/// So much of a class has this size.
struct Mix {
  std::uint32_t input_tokens = 0;
  std::uint32_t output_tokens = 0;
  std::uint32_t batch = 0;
  double share = 1;
};

/// A job belongs to the class that it names, else to the first whose `when` holds. What it does not
/// say itself, its class says for it.
struct WorkClass {
  std::string name;
  When when;
  std::string stage;
  std::string framework;
  std::map<std::string, std::string> versions;
  std::string data_set;
  double concurrency = 1;  // jobs at once, as expected: share the warm-up of a replica
  std::vector<Mix> mix;    // sizes, for lint
  ClassMetric metric = ClassMetric::none;
  double target = 0;  // in the metric's unit; 0: none
};

}  // namespace drover::router
