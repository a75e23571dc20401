// An operator's day as a table of Markdown: what is done, and what every surface then says. How
// its cells are written stands at the head of day.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "fleet/base/result.h"

namespace drover::operations {

struct Action {
  std::string text;                  // "drover drain host:h100-1", "kill -9 h100-1"
  std::vector<std::string> answers;  // regular expressions, and "exit N"
  std::size_t line = 0;
};

/// What one surface has to say.
struct Expectation {
  std::string surface;  // the column: status, devices, jobs, why or alerts
  std::string text;
  std::size_t line = 0;
};

struct Step {
  int number = 0;
  std::vector<Action> actions;
  std::vector<Expectation> expected;
  std::chrono::seconds within{40};  // of the wall; then it shall all be so
};

/// The steps in their order. The error names the line.
Result<std::vector<Step>> read_day(const std::string& text);

/// "a; b" is {"a", "b"}: without the blanks around each, without empty ones.
std::vector<std::string> entries_of(const std::string& cell, char between = ';');

}  // namespace drover::operations
