// How a device is, in one word, as the router, the dashboard and the commands all judge it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/messages.h"
#include "fleet/sample/sample.h"

namespace drover {

/// The gravest first.
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

/// What is known of a device, beside its samples.
struct DeviceStanding {
  Health health = Health::ok;  // of its host
  bool usable = true;
  bool faulty = false;  // a fault that somebody asked for is in force
  bool drained = false;
  double age_s = absent;     // of its own last sample; absent: there was none
  double stale_after_s = 5;  // an older one says nothing of now
};

/// Whether its last sample is too old to tell how it is now, or there was none. A host that is gone
/// has samples of the past only, and a state of its own.
bool is_stale(const DeviceStanding& standing);
/// Whether its last sample still says how it is now; else its metrics are not known.
bool is_known(const DeviceStanding& standing);

/// All that hold, the gravest first; `ok` alone when none of the others does.
std::vector<DeviceState> states_of(const DeviceStanding& standing);
DeviceState gravest_state(const DeviceStanding& standing);
/// "unusable faulty".
std::string states_text(const DeviceStanding& standing);

}  // namespace drover
