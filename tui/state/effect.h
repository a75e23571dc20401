// What the shell does for the dashboard: the dashboard itself performs no I/O.
#pragma once

#include <string>
#include <variant>

#include "fleet/outbox.h"
#include "tui/state/settings.h"

namespace drover::tui {

/// An alert was raised that rings the bell by the settings.
struct RingBell {};
/// The user asked to apply this policy file. The router's reply arrives through `receive`.
struct ReadPolicy {
  std::string file;
};
/// The user asked to pause or resume the story.
struct ToggleStory {};
/// The user asked to quit.
struct Quit {};

/// What a shell does for the dashboard. Changed settings are in force already.
using Effect = std::variant<Send, RingBell, SettingsChange, ReadPolicy, ToggleStory, Quit>;

}  // namespace drover::tui
