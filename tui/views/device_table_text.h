// What the table of devices and the tree of hosts say about their devices and their order.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tui/state/frame_context.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/device_list.h"

namespace drover::tui {

/// "▼", or with a number if there are two sort keys: "▼1", "▲2". Empty if it is no sort key.
/// `number`: in device_columns().
std::string sort_mark(const DeviceList& devices, int number, bool ascii);
/// "by POWER, descending, then TEMP, ascending; groups by host".
std::string order_text(const DeviceList& devices);
/// All devices of a replica report its requests. They stand on the first of its lines in a row, and
/// this on those below it, so that nobody adds them up.
inline constexpr std::string_view as_above = "\"";
/// Whether that holds for the column of a device. `above`: the device on the line above, if any.
bool is_as_above(const EvaluationContext& at, const DeviceColumn& column, DeviceTable::Row row,
                 std::optional<DeviceTable::Row> above);
/// "36 devices, 4 lost, 2 tagged".
std::string devices_title(const FrameContext& frame, const DeviceList& list);

}  // namespace drover::tui
