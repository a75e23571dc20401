// The state of a device in one word, the same for the router, the dashboard and the commands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/messages.h"
#include "fleet/sample/sample.h"

namespace drover {

/// Most severe first.
enum class DeviceState : std::uint8_t {
  lost,
  unusable,
  suspect,
  faulty,
  stale,
  drained,
  left,
  ok,
};
inline constexpr int device_state_count = 8;
std::string_view to_text(DeviceState state);

/// What is known about a device besides its samples.
struct DeviceCondition {
  Health health = Health::ok;  // of its host
  bool usable = true;
  bool faulty = false;  // an injected fault is active
  bool drained = false;
  double age_s = absent;     // of its last sample; absent: it has none
  double stale_after_s = 5;  // an older sample is stale
};

/// The age above which a device's last sample is stale: after two that should have come, if they
/// come rarely. `sample_every`: of its host, from its Register.
double stale_after_s(double usual_s, Duration sample_every);

/// Whether the last sample is too old, or there is none. Devices of a host that is gone are not
/// stale: they have a state of their own.
bool is_stale(const DeviceCondition& condition);
/// Whether the last sample is current, so that the device's metrics are known.
bool is_known(const DeviceCondition& condition);

/// All states that apply, most severe first; `ok` alone when no other applies.
std::vector<DeviceState> active_states(const DeviceCondition& condition);
DeviceState most_severe_state(const DeviceCondition& condition);
/// "unusable faulty".
std::string states_text(const DeviceCondition& condition);

}  // namespace drover
