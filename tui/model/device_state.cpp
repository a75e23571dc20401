#include "tui/model/device_state.h"

#include <algorithm>

namespace drover::tui {

DeviceStanding standing_of(const Model& model, Instant now, DeviceTable::Row row) {
  DeviceStanding standing;
  standing.health = model.host_of(row).said.health;
  standing.stale_after_s = to_seconds(model.stale_age());
  const Instant arrived = model.devices().arrived(row);
  if (arrived != Instant::min()) standing.age_s = std::max(0.0, to_seconds(now - arrived));
  if (const ConditionRow* const condition = model.condition_of(row)) {
    standing.usable = condition->said.usable;
    standing.faulty = !condition->said.injected.empty();
    standing.drained = condition->said.drained;
  }
  return standing;
}

std::vector<DeviceState> device_states(const Model& model, Instant now, DeviceTable::Row row) {
  return states_of(standing_of(model, now, row));
}

std::string states_text(const Model& model, Instant now, DeviceTable::Row row) {
  return drover::states_text(standing_of(model, now, row));
}

DeviceState gravest_state(const Model& model, Instant now, DeviceTable::Row row) {
  return drover::gravest_state(standing_of(model, now, row));
}

}  // namespace drover::tui
