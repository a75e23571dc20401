// The time span that the charts of a view show. It follows the data: it is a round time that grows
// with what is known, until the user chooses another one.
#pragma once

#include <string>

#include "tui/canvas/time_window.h"
#include "tui/state/frame_context.h"

namespace drover::tui {

/// Spans of fleet time.
struct ChartSpan {
  Duration shown{};
  Duration automatic{};      // unless the user chooses another
  Duration least{}, most{};  // that the user can choose
};

/// Of charts of the whole fleet.
ChartSpan fleet_chart_span(const FrameContext& frame);
/// Of charts of ui.device, of which a server may know more than memory, or of compared devices.
ChartSpan device_chart_span(const FrameContext& frame);

/// Relative to the moment that is shown; of longer spans the time of day.
TimeLabels time_labels(const ChartSpan& span);
/// "last 10 min"
std::string span_note(const ChartSpan& span);

/// The chosen span after the keys z and Z; none: the automatic one.
std::optional<Duration> step_span(const ChartSpan& span, int steps);

}  // namespace drover::tui
