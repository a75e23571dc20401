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

namespace drover::router {

struct Finding {
  bool error = false;
  std::string place;  // the file alone if no line is known
  std::string text;   // "rule[1].fallback[2].on: never reached: .."
  bool operator==(const Finding&) const = default;
};

/// In the file's order. For text that is not TOML, only the first error. For a table with a key
/// that could not be read, and for what depends on it, only wrong names are reported.
std::vector<Finding> findings(std::string_view toml, std::string place);

/// Merges warnings with the same text into one at the first location, which names the other lines.
std::vector<Finding> grouped(const std::vector<Finding>& findings);

}  // namespace drover::router
