// The devices that a target of a job or decision names.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tui/model/model.h"

namespace drover::tui {

/// Whether a replica uses the device with this index on its host.
bool uses_device(const Replica& replica, std::uint16_t index);

/// The replica that a place names, such as "r0"; null if it names none or the model lacks it.
const Replica* replica_at(const Model& model, const std::string& host, std::string_view place);

/// All devices of a target of a decision or job: "host/r0", "host/0-3,6" or, of a multi-host gang,
/// "a/0-7 b/0-3". Devices that the model lacks are left out.
std::vector<DeviceTable::Row> rows_of_target(const Model& model, std::string_view target);

}  // namespace drover::tui
