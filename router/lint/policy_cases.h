// The kinds of jobs that a policy tells apart, one by one: what lint and the table of outcomes walk
// through.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "router/lint/job_set.h"
#include "router/policy/policy.h"

namespace drover::router {

/// Jobs of one class (or none), one kind and one rule; of one size where the class's mix says so.
struct PolicyCase {
  std::string name;  // "class chat", "training"
  WorkKind kind = WorkKind::serve;
  JobSet jobs;                            // all that may be in it
  const WorkClass* work_class = nullptr;  // of the policy; null: none
  std::size_t rule = 0;                   // index in the policy
};

/// In the order of the rules; in each first the classes, then the jobs of no class. A case is here
/// when a job was found that goes this way; jobs of a class whose `when` says nothing name it.
std::vector<PolicyCase> policy_cases(const Policy& policy);

/// Every job for which the rule's `when` holds, kind by kind, of whatever class.
std::vector<PolicyCase> rule_cases(const Rule& rule, std::size_t index);

/// Jobs that no rule is for. Each was tried: `find_rule` answers none.
struct Unruled {
  const WorkClass* work_class = nullptr;  // null: jobs of no class
  JobSet jobs;                            // one part of them, of one kind
  bool whole_class = false;               // surely none of the class's jobs has a rule
};
std::vector<Unruled> unruled_jobs(const Policy& policy);
/// "inference, prompt_tokens from 8193, models that no rule names"
std::string described(const Policy& policy, const Unruled& jobs);

/// The jobs that are in the class without naming it; nothing: only those that name it.
std::optional<JobSet> jobs_of_class(const WorkClass& work_class);

std::string_view kind_word(WorkKind kind);  // "inference", as policies say it

}  // namespace drover::router
