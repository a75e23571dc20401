// What the table of devices and the tree of hosts say about their devices and their order.
#pragma once

#include <string>

#include "tui/state/frame_context.h"
#include "tui/tables/device_list.h"

namespace drover::tui {

/// "▼", or with a number if there are two sort keys: "▼1", "▲2". Empty if it is no sort key.
/// `number`: in device_columns().
std::string sort_mark(const DeviceList& devices, int number, bool ascii);
/// "by POWER, descending, then TEMP, ascending; groups by host".
std::string order_text(const DeviceList& devices);
/// "36 devices, 4 lost, 2 tagged".
std::string devices_title(const FrameContext& frame, const DeviceList& list);

}  // namespace drover::tui
