// Why no job is on a device, as JSON and as text.
#pragma once

#include <span>
#include <string>

#include "fleet/messages.h"
#include "fleet/text/json.h"
#include "tui/model/model.h"

namespace drover::commands {

/// `waiting`: what the router says of these jobs. Empty if the device is not idle.
std::string idle_text(const tui::Model& model, tui::DeviceTable::Row row,
                      std::span<const WhyReply> waiting);
/// Keys: waiting, jobs (each with job, candidate, reasons); null if the device is not idle.
Json idle_json(const tui::Model& model, tui::DeviceTable::Row row,
               std::span<const WhyReply> waiting);

}  // namespace drover::commands
