#include "fleet/device_state.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace drover {
namespace {

/// The states that apply, in the order of DeviceState.
std::array<bool, device_state_count> applicable_states(const DeviceCondition& condition) {
  return {condition.health == Health::lost,
          !condition.usable,
          condition.health == Health::suspect,
          condition.faulty && !is_gone(condition.health),
          is_stale(condition),
          condition.drained,
          condition.health == Health::left,
          false};
}

}  // namespace

std::string_view to_text(DeviceState state) {
  static constexpr std::array<std::string_view, device_state_count> words = {
      "lost", "unusable", "suspect", "faulty", "stale", "drained", "left", "ok"};
  return words[static_cast<std::size_t>(state)];
}

double stale_after_s(double usual_s, Duration sample_every) {
  constexpr double intervals = 2.5;
  return std::max(usual_s, intervals * to_seconds(sample_every));
}

bool is_stale(const DeviceCondition& condition) {
  // An absent age (NaN) counts as stale too.
  return !is_gone(condition.health) && !(condition.age_s <= condition.stale_after_s);
}

bool is_known(const DeviceCondition& condition) {
  return !is_gone(condition.health) && !is_stale(condition);
}

std::vector<DeviceState> active_states(const DeviceCondition& condition) {
  const auto applicable = applicable_states(condition);
  std::vector<DeviceState> states;
  for (std::size_t i = 0; i < applicable.size(); ++i) {
    if (applicable[i]) states.push_back(static_cast<DeviceState>(i));
  }
  if (states.empty()) states.push_back(DeviceState::ok);
  return states;
}

DeviceState most_severe_state(const DeviceCondition& condition) {
  const auto applicable = applicable_states(condition);
  // The last one, `ok`, when no other applies.
  const auto first = std::find(applicable.begin(), std::prev(applicable.end()), true);
  return static_cast<DeviceState>(first - applicable.begin());
}

std::string states_text(const DeviceCondition& condition) {
  std::string text;
  for (const DeviceState state : active_states(condition)) {
    if (!text.empty()) text += ' ';
    text += to_text(state);
  }
  return text;
}

}  // namespace drover
