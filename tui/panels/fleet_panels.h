// The panels of the fleet view, each on its own rectangle.
#pragma once

#include "tui/state/frame_context.h"

namespace drover::tui {

/// Hosts, devices, load, power and memory of the fleet.
void draw_totals(DrawRegion region, const Totals& totals);
/// The number of jobs by state, and its history.
void draw_job_counts(const FrameContext& frame, DrawRegion region);
/// Latencies, tokens, energy and cost.
void draw_service(const FrameContext& frame, DrawRegion region, const Totals& totals);

/// Replicas: a line per pool, model and precision.
void draw_replicas(const FrameContext& frame, DrawRegion region);
/// Load, power and queue over the last minutes, with a time axis.
void draw_trend_charts(const FrameContext& frame, DrawRegion region, const Totals& totals);
/// The newest decisions, a line each.
void draw_latest_decisions(const FrameContext& frame, DrawRegion region);

}  // namespace drover::tui
