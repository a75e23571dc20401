// How a device of the model is, in one word: what maps and tables group by, columns and filters
// tell.
#pragma once

#include <string>
#include <vector>

#include "fleet/device_state.h"
#include "tui/model/model.h"

namespace drover::tui {

/// What the model knows of it, beside its samples.
DeviceStanding standing_of(const Model& model, Instant now, DeviceTable::Row row);

/// All that hold, the gravest first; `ok` alone when none of the others does.
std::vector<DeviceState> device_states(const Model& model, Instant now, DeviceTable::Row row);
/// "stale drained".
std::string states_text(const Model& model, Instant now, DeviceTable::Row row);
DeviceState gravest_state(const Model& model, Instant now, DeviceTable::Row row);

}  // namespace drover::tui
