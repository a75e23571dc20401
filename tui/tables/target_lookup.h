// Finds the device or job named by the subject of an event, alert, audit or decision.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tui/model/model.h"

namespace drover::tui {

/// A device of the model: "gpu-a/3", "device:gpu-a/3"; the first device of a host ("gpu-a",
/// "host:gpu-a"), a replica ("gpu-a/r0") or a set ("gpu-a/0-3,6").
std::optional<DeviceId> find_device(const Model& model, std::string_view subject);
/// A job by its id or by a prefix of it that only one job has.
std::optional<JobId> find_job(const Model& model, std::string_view subject);

/// Whether a replica uses the device with this index on its host.
bool uses_device(const Replica& replica, std::uint16_t index);

/// All devices of a target of a decision or job: "host/r0", "host/0-3,6" or, of a multi-host gang,
/// "a/0-7 b/0-3". Devices that the model lacks are left out.
std::vector<DeviceTable::Row> rows_of_target(const Model& model, std::string_view target);

}  // namespace drover::tui
