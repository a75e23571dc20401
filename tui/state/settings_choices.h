// Between what is set and what a person has chosen on the screen.
#pragma once

#include "tui/state/choices.h"
#include "tui/state/settings.h"

namespace drover::tui {

/// Chooses as the settings say. REQUIRES settings that could be read: read_settings checks them.
void choose(const ViewSettings& settings, Choices& choices);

/// `settings` with what is chosen now, for saving it.
ViewSettings chosen(const Choices& choices, ViewSettings settings);

}  // namespace drover::tui
