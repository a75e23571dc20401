// Temperature and throttling of the devices that match the filter: the hottest devices, throttle
// time by cause, and the devices that are throttled now.
#pragma once

#include "tui/state/frame_context.h"

namespace drover::tui {

inline constexpr int hottest_devices_max = 8;
void draw_hottest(const FrameContext& frame, DrawRegion region);

inline constexpr int throttle_time_panel_rows = 5;
void draw_throttle_times(const FrameContext& frame, DrawRegion region);

void draw_throttled(const FrameContext& frame, DrawRegion region);

}  // namespace drover::tui
