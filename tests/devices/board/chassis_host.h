// A chassis and the work on it, told as an agent tells it: what the specifications of clocks share.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "devices/board/chassis.h"
#include "devices/operation/power.h"
#include "tests/devices/embedded.h"

namespace drover::devices {

inline const Instant start{std::chrono::hours(24 * 365 * 50)};

inline Activity activity(double matrix, double memory, double duty_cycle = 1) {
  Activity result;
  result.step.tensor_activity = matrix;
  result.step.memory_activity = memory;
  result.step.duty_cycle = duty_cycle;
  result.context_open = true;
  result.memory_used_bytes = 20e9;
  return result;
}

inline const Activity decoding = activity(0.02, 0.65);
inline const Activity training = activity(0.55, 0.30);
inline const Activity waiting = activity(0, 0, 0);

inline Chassis chassis_of(const char* device, std::size_t count, double inlet_c = 22,
                          std::uint64_t seed = 1) {
  return Chassis(std::vector<const DeviceSpec*>(count, &device_named(device)),
                 Ambient{inlet_c, 0.002}, RandomStream(seed).child("host"), start);
}

/// Runs a chassis event by event, as an agent does: the pace of a device changes what it achieves.
struct Host {
  Chassis chassis;
  std::vector<Activity> nominal;  // what runs, as at the nominal clock

  explicit Host(Chassis made) : chassis(std::move(made)), nominal(chassis.size()) {}

  void run(Instant now, std::size_t device, const Activity& what) {
    nominal[device] = what;
    tell(now, device);
  }
  void tell(Instant now, std::size_t device) {
    Activity achieved = nominal[device];
    achieved.step = at_clock(achieved.step, chassis.pace(device));
    chassis.set_activity(now, device, achieved);
  }
  void advance(Instant until) {
    while (chassis.next_event() <= until) {
      const Instant at = chassis.next_event();
      for (const std::size_t device : chassis.advance(at)) tell(at, device);
    }
    chassis.advance(until);
  }
  double read(Instant now, Metric metric, std::size_t device = 0) const {
    return chassis.reading(now, device)[metric];
  }
  std::uint32_t bits(Instant now, std::size_t device = 0) const {
    return static_cast<std::uint32_t>(read(now, Metric::throttle, device));
  }
};

}  // namespace drover::devices
