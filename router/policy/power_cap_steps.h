// The power lever: when a pool or the site is near its power cap, or work waits for watts, device
// caps go down one step; when there is headroom again, they go up.
//
// Serving devices are lowered first: decoding is memory-bound, so a lower clock costs it little,
// while training and prefill slow down with the clock. Pure: the same devices give the same steps.
// Samples show the effect of a step, and the next step is decided on them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fleet/base/time.h"

namespace drover::router {

/// Settings of the lever, as shares of its power cap and of a device's rated power.
struct PowerLeverRules {
  bool used = false;
  double near = 0.95;  // of the cap: above it device caps go down
  double back = 0.85;  // of the cap: below it device caps go up
  double floor = 0.6;  // of rated power: lowest cap, and never below its kind's minimum
  double step = 0.1;   // of rated power, per step
  Duration every{std::chrono::seconds(10)};
};

struct CappedDevice {
  std::uint32_t device = 0;  // any unique number
  double rated_w = 0;
  double cap_min_w = 0;  // minimum of its kind; rated_w: it cannot be capped
  double cap_w = 0;      // in force
  double drawn_w = 0;    // estimated
  bool serves = false;
};

/// One power cap and the devices under it.
struct CappedGroup {
  double cap_w = 0;
  double drawn_w = 0;       // estimated, reservations included
  bool work_waits = false;  // work waits for power
  std::vector<CappedDevice> devices;
};

/// Smaller changes of a cap are not made.
inline constexpr double least_step_w = 1;

struct CapStep {
  std::uint32_t device = 0;
  double cap_w = 0;
  bool operator==(const CapStep&) const = default;
};

/// The cap changes for this group, one step per device, in order of choice. Above `near`, or when
/// work waits for power: lowers as many devices as needed to get back to `near`, or to free one
/// step of the cap for that work; serving devices first, then those that draw most. Below `back`:
/// raises as many as there is headroom for, serving devices last. Otherwise empty.
std::vector<CapStep> choose_cap_steps(const PowerLeverRules& rules, const CappedGroup& limit);

/// A cap sent to a device recently, until samples can show it.
struct SentCap {
  double watts = 0;
  Instant until{};
};
using SentCaps = std::map<std::uint32_t, SentCap>;  // by device

}  // namespace drover::router
