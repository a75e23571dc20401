// The state of a device in one word, as columns and filters show it and maps and tables group by.
#pragma once

#include <string>
#include <vector>

#include "fleet/device_state.h"
#include "tui/model/model.h"

namespace drover::tui {

/// The device's condition apart from its samples.
DeviceCondition standing_of(const Model& model, Instant now, DeviceTable::Row row);

/// All states that apply, most severe first; `ok` alone when no other applies.
std::vector<DeviceState> device_states(const Model& model, Instant now, DeviceTable::Row row);
/// "stale drained".
std::string states_text(const Model& model, Instant now, DeviceTable::Row row);
DeviceState most_severe_state(const Model& model, Instant now, DeviceTable::Row row);

}  // namespace drover::tui
