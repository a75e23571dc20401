// Conversion between ViewSettings and the views.
#pragma once

#include "tui/state/settings.h"
#include "tui/views/views.h"

namespace drover::tui {

/// Applies the settings. REQUIRES valid settings: read_settings checks them.
void apply_view_settings(const ViewSettings& settings, Views& views);

/// `settings` with the current choices, for saving.
ViewSettings capture_view_settings(const Views& views, ViewSettings settings);

}  // namespace drover::tui
