// What can be typed after `:`, as one table: it drives the commands, their completion and the help.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "tui/state/actions.h"
#include "tui/state/choices.h"
#include "tui/state/dashboard_options.h"
#include "tui/state/timeline_cursor.h"

namespace drover::tui {

/// What a command works on.
struct Desk {
  const Model& model;
  Choices& choices;
  TimeCursor& cursor;
  DashboardOptions& options;
  Instant now{};
  std::optional<Action>& proposed;  // waits for the person's yes
  std::optional<SettingsWish>& settings_wish;
};

struct LineCommand {
  std::string_view name;
  std::string_view argument;  // "TARGET"; empty: none
  std::string_view help;
  Status (*run)(Desk& desk, std::string_view argument);
  /// What the argument can be; null: nothing is offered.
  std::vector<std::string> (*words)(const Desk& desk);
};

std::span<const LineCommand> line_commands();

/// Runs a line; its error says what was found and what was expected.
Status run_line(Desk& desk, std::string_view line);
/// What can stand where the cursor is: words in place of what begins at `from`.
struct Offers {
  std::size_t from = 0;
  std::vector<std::string> words;
};
Offers offers_for(const Desk& desk, std::string_view line);

/// Why the fleet cannot be changed from here now; fine when it can.
Status may_change(const Desk& desk);

}  // namespace drover::tui
