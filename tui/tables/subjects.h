// What a text names, as events, alerts, audits and decisions write it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tui/model/model.h"

namespace drover::tui {

/// "gpu-a/3", "device:gpu-a/3"; of a host ("gpu-a", "host:gpu-a") its first device, of a replica
/// ("gpu-a/r0") and of a set ("gpu-a/0-3,6") their first. Only devices that the model knows.
std::optional<DeviceId> device_named(const Model& model, std::string_view subject);
/// A job by its id or by the first digits of it, where these belong to one job alone.
std::optional<JobId> job_named(const Model& model, std::string_view subject);

/// All devices of a target, as decisions and jobs name it: "host/r0", "host/0-3,6", of a gang over
/// hosts "a/0-7 b/0-3". Those that the model does not know are left out.
std::vector<DeviceTable::Row> rows_of_target(const Model& model, std::string_view target);

}  // namespace drover::tui
