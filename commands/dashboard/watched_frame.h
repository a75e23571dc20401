// One look at pages of metrics, for `frame --scrape`: no router, no agent.
#pragma once

#include "commands/dashboard/frame_output.h"
#include "commands/readings/source_options.h"

namespace drover::commands {

/// Reads each page once and prints the frame or table. Partly done when a page did not come, failed
/// when none did.
CommandOutcome print_watched(const SourceOptions& sources, const tui::DashboardOptions& view,
                             const FrameOutput& form);

}  // namespace drover::commands
