// Why no job is on a device: what waits, and why that does not run there.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "fleet/text/json.h"
#include "tui/model/model.h"

namespace drover::commands {

/// No job is on it. Of a real device it is not known: other programs use it.
bool is_idle(const tui::Model& model, tui::DeviceTable::Row row);

/// The waiting jobs about which to ask the router: the oldest of each kind of work, model and
/// reason for which it waits; only a few.
std::vector<JobId> waiting_jobs_to_ask(const tui::Model& model);

/// `waiting`: what the router says of these jobs. Empty if the device is not idle.
std::string idle_text(const tui::Model& model, tui::DeviceTable::Row row,
                      std::span<const WhyReply> waiting);
/// Keys: waiting, jobs (each with job, candidate, reasons); null if the device is not idle.
Json idle_json(const tui::Model& model, tui::DeviceTable::Row row,
               std::span<const WhyReply> waiting);

}  // namespace drover::commands
