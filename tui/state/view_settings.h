// Conversion between ViewSettings and the UiState.
#pragma once

#include "tui/state/settings.h"
#include "tui/state/ui_state.h"

namespace drover::tui {

/// Applies the settings. REQUIRES valid settings: read_settings checks them.
void apply_view_settings(const ViewSettings& settings, UiState& ui);

/// `settings` with the current choices, for saving.
ViewSettings capture_view_settings(const UiState& ui, ViewSettings settings);

}  // namespace drover::tui
