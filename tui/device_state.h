// How a device is, in one word: what maps and tables group by, columns and filters tell.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tui/model.h"

namespace drover::tui {

/// The gravest first.
enum class DeviceState : std::uint8_t { lost, unusable, suspect, faulty, stale, drained, ok };
inline constexpr int device_state_count = 7;
std::string_view to_text(DeviceState state);

/// All that hold, the gravest first; `ok` alone when none of the others does.
std::vector<DeviceState> device_states(const Model& model, Instant now, DeviceTable::Row row);
/// "stale drained".
std::string states_text(const Model& model, Instant now, DeviceTable::Row row);
DeviceState gravest_state(const Model& model, Instant now, DeviceTable::Row row);

}  // namespace drover::tui
