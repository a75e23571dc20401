// The commands after `:` as one table, which drives execution, completion and the help page.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "tui/state/actions.h"
#include "tui/state/dashboard_options.h"
#include "tui/state/effect.h"
#include "tui/state/playback_cursor.h"
#include "tui/state/ui_state.h"

namespace drover::tui {

/// The state that a command reads and changes.
struct CommandContext {
  const Model& model;
  UiState& ui;
  PlaybackCursor& cursor;
  DashboardOptions& options;
  Instant now{};
  std::optional<FleetAction>& proposed;  // awaits the user's confirmation
  std::vector<Effect>& effects;
};

struct LineCommand {
  std::string_view name;
  std::string_view argument;  // "TARGET"; empty if it takes none
  std::string_view help;
  Status (*run)(CommandContext& context, std::string_view argument);
  /// Completions of the argument; null if there are none.
  std::vector<std::string> (*words)(const CommandContext& context) = nullptr;
};

std::span<const LineCommand> line_commands();

/// Runs a line. The error says what was found and what was expected.
Status run_command_line(CommandContext& context, std::string_view line);
/// Words that can replace the text between `from` and the cursor.
struct Completions {
  std::size_t from = 0;
  std::vector<std::string> words;
};
Completions completions_for(const CommandContext& context, std::string_view line);

/// An error that says why the fleet cannot be changed from here now, or success.
Status check_can_control(const CommandContext& context);

}  // namespace drover::tui
