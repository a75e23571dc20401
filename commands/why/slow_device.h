// Why a device may be slow, as JSON and as text.
#pragma once

#include <string>

#include "fleet/text/json.h"
#include "tui/model/model.h"

namespace drover::commands {

/// Keys: device, kind, real, state, causes (each with cause, severity, what, signal), not_checked.
Json slow_device_json(const tui::Model& model, Instant now, tui::DeviceTable::Row row);

/// A line on the device, its likely causes with their signals, and what could not be checked.
std::string slow_device_text(const tui::Model& model, Instant now, tui::DeviceTable::Row row);

}  // namespace drover::commands
