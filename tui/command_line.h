// The commands after `:` as one table, which drives execution, completion and the help page.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"

namespace drover::tui {

struct DashboardState;

struct LineCommand {
  std::string_view name;
  std::string_view argument;  // "TARGET"; empty if it takes none
  std::string_view help;
  Status (*run)(DashboardState& state, std::string_view argument);
  /// Completions of the argument; null if there are none. Of many, the first ones that begin with
  /// the prefix.
  std::vector<std::string> (*words)(const DashboardState& state, std::string_view prefix) = nullptr;
};

std::span<const LineCommand> line_commands();

/// Runs a line. The error says what was found and what was expected.
Status run_command_line(DashboardState& state, std::string_view line);
/// Words that can replace the text between `from` and the cursor.
struct Completions {
  std::size_t from = 0;
  std::vector<std::string> words;
};
Completions completions_for(const DashboardState& state, std::string_view line);

}  // namespace drover::tui
