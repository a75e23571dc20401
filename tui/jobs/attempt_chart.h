// The attempts of a job as a chart: a line for each, over an axis of time since the job was
// submitted.
#pragma once

#include <string>

#include "tui/jobs/attempt_timeline.h"
#include "tui/state/frame_context.h"

namespace drover::tui {

/// Attempts that are shown at most, the last ones.
inline constexpr std::size_t attempt_lines_max = 12;

/// Round times for an axis of this length: the distance between two, so that at most `labels_max`
/// fit.
Duration axis_step(Duration length, int labels_max);
/// Without rounding, so that no two labels of an axis are alike: "2m30s".
std::string axis_label(Duration at);

/// Heading, attempts, axis and signs.
int attempt_chart_rows(const AttemptTimeline& timeline);
/// Draws from `row` on, which may be above the region; returns the row after it.
int draw_attempt_chart(DrawRegion& region, int row, const AttemptTimeline& timeline);

}  // namespace drover::tui
