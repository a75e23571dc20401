// The kinds of jobs that a policy distinguishes, one by one: the input of lint and of the outcome
// table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "router/lint/job_set.h"
#include "router/policy/policy.h"

namespace drover::router {

/// Jobs of one class (or none), one kind and one rule; of one size if the class's mix gives one.
struct PolicyCase {
  std::string name;  // "class chat", "training"
  WorkKind kind = WorkKind::serve;
  JobSet jobs;                            // all jobs that may be in it
  const WorkClass* work_class = nullptr;  // of the policy; null: none
  std::size_t rule = 0;                   // index in the policy
};

/// In the order of the rules; for each, first the classes, then jobs of no class. A case is
/// included when an example job takes this path; jobs of a class with an empty `when` name the
/// class.
std::vector<PolicyCase> policy_cases(const Policy& policy);

/// All jobs that the rule's `when` matches, kind by kind, of any class.
std::vector<PolicyCase> rule_cases(const Rule& rule, std::size_t index);

/// Jobs that no rule matches, verified with `find_rule`.
struct UnmatchedJobs {
  const WorkClass* work_class = nullptr;  // null: jobs of no class
  JobSet jobs;                            // some of them, all of one kind
  bool whole_class = false;               // certainly no job of the class has a rule
};
std::vector<UnmatchedJobs> unmatched_jobs(const Policy& policy);
/// "inference, prompt_tokens from 8193, models that no rule names"
std::string described(const Policy& policy, const UnmatchedJobs& jobs);

/// The jobs in the class that do not name it; nothing: a job must name it.
std::optional<JobSet> jobs_of_class(const WorkClass& work_class);

std::string_view kind_word(WorkKind kind);  // "inference", as in policies

}  // namespace drover::router
