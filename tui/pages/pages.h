// Pages that stand in the place of a view: what keys open above it, and Esc closes.
#pragma once

#include <memory>

#include "tui/state/view.h"

namespace drover::tui {

/// Two to four tagged devices in charts.
std::unique_ptr<View> make_comparison_view(UiState& ui);
/// What is different from the moment that was marked.
std::unique_ptr<View> make_changes_view(UiState& ui);
/// How the devices of a host are connected.
std::unique_ptr<View> make_topology_view(UiState& ui);
/// Why a job waits or runs there, or why a device is idle.
std::unique_ptr<View> make_why_view(UiState& ui);

}  // namespace drover::tui
