// Everything that is wrong or doubtful in a policy file, for people: what `parse_policy` refuses
// (errors), and what it accepts although it is hardly meant so (warnings).
//
// An error is certain: such a line does nothing, or leaves jobs waiting for what cannot happen.
// Sets of jobs are compared by arithmetic (job_set.h), not by samples; where that cannot tell,
// nothing is said. Warnings about jobs name a case that was tried.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "router/policy/policy.h"

namespace drover::router {

struct Finding {
  bool error = false;
  std::string place;  // "policy.toml:12"; the file alone where no line is known
  std::string text;   // "rule[1].fallback[2].on: never reached: .."
  bool operator==(const Finding&) const = default;
};

/// In the file's order. Of a text that is no TOML only the first problem is known. Of a table
/// with a key that could not be read, and of what depends on it, nothing else is found but wrong
/// names.
std::vector<Finding> findings(std::string_view toml, std::string place);

/// The same for people: warnings of one wording are one, where the first of them stands, and name
/// the lines of the others.
std::vector<Finding> grouped(const std::vector<Finding>& findings);

}  // namespace drover::router
