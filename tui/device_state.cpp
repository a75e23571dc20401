#include "tui/device_state.h"

#include <array>

namespace drover::tui {
namespace {

/// Which hold, in the order of DeviceState.
std::array<bool, device_state_count> states_of(const Model& model, Instant now,
                                               DeviceTable::Row row) {
  const Health health = model.host_of(row).said.health;
  const ConditionRow* const condition = model.condition_of(row);
  return {health == Health::lost,
          condition != nullptr && !condition->said.usable,
          health == Health::suspect,
          condition != nullptr && !condition->said.injected.empty(),
          health != Health::lost && model.is_stale(now, row),
          condition != nullptr && condition->said.drained,
          false};
}

}  // namespace

std::string_view to_text(DeviceState state) {
  static constexpr std::array<std::string_view, device_state_count> words = {
      "lost", "unusable", "suspect", "faulty", "stale", "drained", "ok"};
  return words[static_cast<std::size_t>(state)];
}

std::vector<DeviceState> device_states(const Model& model, Instant now, DeviceTable::Row row) {
  const auto holds = states_of(model, now, row);
  std::vector<DeviceState> states;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (holds[i]) states.push_back(static_cast<DeviceState>(i));
  }
  if (states.empty()) states.push_back(DeviceState::ok);
  return states;
}

std::string states_text(const Model& model, Instant now, DeviceTable::Row row) {
  std::string text;
  for (const DeviceState state : device_states(model, now, row)) {
    if (!text.empty()) text += ' ';
    text += to_text(state);
  }
  return text;
}

DeviceState gravest_state(const Model& model, Instant now, DeviceTable::Row row) {
  const auto holds = states_of(model, now, row);
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (holds[i]) return static_cast<DeviceState>(i);
  }
  return DeviceState::ok;
}

}  // namespace drover::tui
