#include "fleet/device_state.h"

#include <array>

namespace drover {
namespace {

/// Which hold, in the order of DeviceState.
std::array<bool, device_state_count> held_by(const DeviceStanding& standing) {
  return {standing.health == Health::lost,
          !standing.usable,
          standing.health == Health::suspect,
          standing.faulty && !is_gone(standing.health),
          is_stale(standing),
          standing.drained,
          standing.health == Health::left,
          false};
}

}  // namespace

std::string_view to_text(DeviceState state) {
  static constexpr std::array<std::string_view, device_state_count> words = {
      "lost", "unusable", "suspect", "faulty", "stale", "drained", "left", "ok"};
  return words[static_cast<std::size_t>(state)];
}

bool is_stale(const DeviceStanding& standing) {
  // Written so that no age at all is stale as well.
  return !is_gone(standing.health) && !(standing.age_s <= standing.stale_after_s);
}

bool is_known(const DeviceStanding& standing) {
  return !is_gone(standing.health) && !is_stale(standing);
}

std::vector<DeviceState> states_of(const DeviceStanding& standing) {
  const auto holds = held_by(standing);
  std::vector<DeviceState> states;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (holds[i]) states.push_back(static_cast<DeviceState>(i));
  }
  if (states.empty()) states.push_back(DeviceState::ok);
  return states;
}

DeviceState gravest_state(const DeviceStanding& standing) {
  const auto holds = held_by(standing);
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (holds[i]) return static_cast<DeviceState>(i);
  }
  return DeviceState::ok;
}

std::string states_text(const DeviceStanding& standing) {
  std::string text;
  for (const DeviceState state : states_of(standing)) {
    if (!text.empty()) text += ' ';
    text += to_text(state);
  }
  return text;
}

}  // namespace drover
