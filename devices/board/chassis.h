// The physical model of the devices of one host. Inputs are the activities; outputs are clock,
// temperature, power, energy and throttling. These are the true values; the router gets samples.
//
// Event-driven: between events activity and clock are constant and the temperature has a closed
// form. The power limiter acts when the work or the cap changes, the temperature controllers act on
// a 100 ms grid of fleet time, only near a limit. Devices advance together because neighbours heat
// each other. `reading(now)` is computed from the last event, so the number of readings does not
// change any result, bit for bit.
#pragma once

#include <memory>
#include <vector>

#include "devices/catalogue/spec.h"
#include "devices/operation/step.h"
#include "fleet/base/random_stream.h"
#include "fleet/base/time.h"
#include "fleet/sample/sample.h"

namespace drover::devices {

/// The activity of one device until the next set_activity().
struct Activity {
  Step step;                  // duty cycle and activities; `seconds` is not used
  bool context_open = false;  // a model is loaded
  double memory_used_bytes = 0;
};

/// Random differences between devices of one model, unknown to the router.
struct Variation {
  double speed = 1;    // achieved rates, about 1 +- 1.5 %
  double leakage = 1;  // idle and static power, about 1 +- 4 %
  double cooling = 1;  // thermal resistance, about 1 +- 6 %
};
Variation draw_variation(const RandomStream& random);

/// Throttle time by cause, as NVML's violation counters.
struct ThrottleTimes {
  Duration power{};        // the power cap
  Duration thermal{};      // a temperature, by software or hardware
  Duration board_limit{};  // a power brake
  bool operator==(const ThrottleTimes&) const = default;
};

struct Ambient {
  double inlet_c = 22;
  /// Degrees that one watt of a neighbour upstream adds to a device's inlet air.
  double neighbour_k_per_w = 0.002;
};

class Chassis {
 public:
  /// One spec per device; they must outlive the chassis. `random`: the host's own stream.
  Chassis(std::vector<const DeviceSpec*> specs, Ambient ambient, const RandomStream& random,
          Instant start);
  ~Chassis();
  Chassis(Chassis&&) noexcept;
  Chassis& operator=(Chassis&&) noexcept;

  std::size_t size() const;
  const DeviceSpec& spec(std::size_t device) const;

  // Setters REQUIRE now >= every earlier time given, and advance to `now` first.

  /// Sets the device's activity as achieved at its current clock. The clock is adjusted to the cap
  /// at once, assuming that only matrix work scales with it. Returns true when the clock changed:
  /// the caller should then set the activity achieved at the new clock, and repeat. Its last calls
  /// must pass `may_raise_clock` false, so that the loop ends with power under the cap.
  bool set_activity(Instant now, std::size_t device, const Activity& activity,
                    bool may_raise_clock = true);
  /// Returns true when the clock changed at once.
  bool set_power_cap(Instant now, std::size_t device, double cap_w);
  void set_inlet(Instant now, double inlet_c);
  /// Limits the clock to this share of the nominal one, as a power brake does; 1 removes the limit.
  /// REQUIRES 0 < share <= 1. Returns true when the clock changed at once.
  bool set_clock_limit(Instant now, std::size_t device, double share);
  /// Sets the air flow as a share of the usual one, as when some fans have failed. REQUIRES share >
  /// 0.
  void set_airflow(Instant now, double share);

  /// When the next change without input happens (a control step, a crossing); `never` in steady
  /// state.
  Instant next_event() const;
  /// Advances to `now`; returns the devices whose pace changed.
  std::vector<std::size_t> advance(Instant now);

  /// Pace of compute-bound work as a share of the nominal one: clock share times device speed.
  double pace(std::size_t device) const;
  double power_cap_w(std::size_t device) const;
  double energy_j(Instant now, std::size_t device) const;
  bool shut_down(std::size_t device) const;

  double memory_temperature_c(Instant now, std::size_t device) const;
  ThrottleTimes throttle_times(Instant now, std::size_t device) const;
  /// Steps of the device's fans above their usual speed.
  int fan_steps(std::size_t device) const;

  /// The exact values; queue and running are absent (the executor has them).
  Sample reading(Instant now, std::size_t device) const;
  /// The readings of the board's sensors; see Sensor.
  Sample published(Instant now, std::size_t device) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace drover::devices
