#include "tui/model/device_state.h"

#include <algorithm>

namespace drover::tui {

DeviceCondition standing_of(const Model& model, Instant now, DeviceTable::Row row) {
  DeviceCondition condition;
  condition.health = model.host_of(row).reported.health;
  condition.stale_after_s = to_seconds(model.stale_age());
  const Instant arrived = model.devices().arrived(row);
  if (arrived != Instant::min()) condition.age_s = std::max(0.0, to_seconds(now - arrived));
  if (const ConditionRow* const known = model.condition_of(row)) {
    condition.usable = known->reported.usable;
    condition.faulty = !known->reported.injected.empty();
    condition.drained = known->reported.drained;
  }
  return condition;
}

std::vector<DeviceState> device_states(const Model& model, Instant now, DeviceTable::Row row) {
  return active_states(standing_of(model, now, row));
}

std::string states_text(const Model& model, Instant now, DeviceTable::Row row) {
  return drover::states_text(standing_of(model, now, row));
}

DeviceState most_severe_state(const Model& model, Instant now, DeviceTable::Row row) {
  return drover::most_severe_state(standing_of(model, now, row));
}

}  // namespace drover::tui
