// The telemetry of the listed hosts as sums, distributions and curves; and this dashboard's own.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tui/canvas/draw_region.h"
#include "tui/state/frame_context.h"

namespace drover::tui {

/// Hosts as their indices in the model.
using HostNumbers = std::span<const std::uint32_t>;

/// A rate: "0.5", "32", "1.2k"; "N/A" for NaN.
std::string rate_number_text(double number);

/// With the heading.
inline constexpr int telemetry_facts_rows = 5;
/// Samples, losses and states of the hosts.
void draw_stream(const FrameContext& frame, DrawRegion region, HostNumbers hosts,
                 const Totals& totals);
/// Frames, output and memory of this dashboard.
void draw_own(const FrameContext& frame, DrawRegion region);

/// With the heading; distributions have a line for each of their ranges.
inline constexpr int distribution_rows = 7;
/// How many hosts have a newest sample of which age.
void draw_sample_ages(const FrameContext& frame, DrawRegion region, HostNumbers hosts);
/// How many hosts have which clock offset.
void draw_clock_offsets(const FrameContext& frame, DrawRegion region, HostNumbers hosts);
/// Samples and messages per second over the last minutes, of the whole fleet.
void draw_sample_rates(const FrameContext& frame, DrawRegion region);

}  // namespace drover::tui
