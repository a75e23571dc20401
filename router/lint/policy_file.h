// A policy from its text: read, and checked.
//
// All problems of a policy file: errors, for which `parse_policy` refuses it, and warnings about
// what it accepts although it is hardly intended.
//
// An error is certain: the line has no effect, or it makes jobs wait for something that cannot
// happen. Sets of jobs are compared by arithmetic (router/lint/job_set.h), not by samples; if the
// comparison is undecided, there is no finding. A warning about jobs names a case that was tried.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"
#include "router/policy/policy.h"

namespace drover::router {

struct Finding {
  bool error = false;
  std::string place;  // the file alone if no line is known
  std::string text;   // "rule[1].fallback[2].on: never reached: .."
  bool operator==(const Finding&) const = default;
};

struct PolicyReading {
  Policy policy;  // complete when no finding is an error
  Status read;    // the first error in reading order; ok: every key is well formed
  std::vector<Finding> findings;
};
/// `known`: devices to compare pools with; null: none.
PolicyReading read_policy(std::string_view toml, std::string place,
                          const devices::Catalogue* known);

/// In the file's order. For text that is not TOML, only the first error. For a table with a key
/// that could not be read, and for what depends on it, only wrong names are reported.
std::vector<Finding> findings(std::string_view toml, std::string place);

/// Merges warnings with the same text into one at the first location, which names the other lines.
std::vector<Finding> grouped(const std::vector<Finding>& findings);

/// The error names file, line and key. Rejects unknown keys, pools that do not exist, reasons and
/// scorers that do not exist (with the nearest), weights that are all zero, rules after a rule
/// that always matches, and fallbacks that name the rule's own pools.
Result<Policy> parse_policy(std::string_view toml, std::string place);

std::string_view builtin_policy_text();
const Policy& builtin_policy();

}  // namespace drover::router
