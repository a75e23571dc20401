// The devices of one host as physics: what each is doing goes in; clock, heat, power, energy and
// throttling come out. Truth, of which the router sees only samples.
//
// Event-driven: between events activity and clock are constant and heat follows a closed form.
// The power limiter acts when what runs or the cap changes, the temperature controllers on a 100 ms
// grid of fleet time, only near a limit. Devices advance together: neighbours heat each other.
// `reading(now)` is computed from the last event: asking more often changes nothing, bit for bit.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "devices/catalogue/spec.h"
#include "devices/operation/step.h"
#include "fleet/base/dice.h"
#include "fleet/base/time.h"
#include "fleet/sample/sample.h"

namespace drover::devices {

/// What one device is doing from now until told otherwise.
struct Activity {
  Step step;                  // duty and activities; `seconds` is not used
  bool context_open = false;  // a model is loaded
  double memory_used_bytes = 0;
};

/// Seeded differences between devices of one kind, which the router does not know.
struct Variation {
  double speed = 1;    // achieved rates, about 1 +- 1.5 %
  double leakage = 1;  // idle and static power, about 1 +- 4 %
  double cooling = 1;  // thermal resistance, about 1 +- 6 %
};
Variation draw_variation(const Dice& dice);

/// Time for which the clock was held down, by what held it: NVML's violation counters.
struct Violations {
  Duration power{};        // the power cap
  Duration thermal{};      // a temperature, by software or hardware
  Duration board_limit{};  // a power brake
  bool operator==(const Violations&) const = default;
};

struct Ambient {
  double inlet_c = 22;
  /// Degrees that one watt of a neighbour upstream adds to a device's inlet air.
  double neighbour_k_per_w = 0.002;
};

class Chassis {
 public:
  /// One spec pointer per device; they must outlive the chassis. Dice: the host's own stream.
  Chassis(std::vector<const DeviceSpec*> specs, Ambient ambient, const Dice& dice, Instant start);
  ~Chassis();
  Chassis(Chassis&&) noexcept;
  Chassis& operator=(Chassis&&) noexcept;

  std::size_t size() const;
  const DeviceSpec& spec(std::size_t device) const;

  // Setters REQUIRE now >= every earlier time given, and advance to `now` first.

  /// What the device does, as achieved at its present clock. It takes the clock that the cap allows
  /// at once, as if matrix work followed the clock and nothing else did. True when the clock
  /// changed by that: what is achieved now should be told again, with `may_rise` false in the end,
  /// so that telling ends, under the cap.
  bool set_activity(Instant now, std::size_t device, const Activity& activity,
                    bool may_rise = true);
  /// True when the clock changed at once.
  bool set_power_cap(Instant now, std::size_t device, double cap_w);
  void set_inlet(Instant now, double inlet_c);
  /// The hardware holds the clock at or under this share of the nominal one, as on a power brake; 1
  /// lets go. REQUIRES 0 < share <= 1. True when the clock changed at once.
  bool set_clock_limit(Instant now, std::size_t device, double share);
  /// The fans move this share of the usual air, as when some of them stand still. REQUIRES share >
  /// 0.
  void set_airflow(Instant now, double share);

  /// When something will change by itself (a control step, a crossing); `never` in steady state.
  Instant next_event() const;
  /// Moves on to `now`; answers the devices whose pace changed by itself.
  std::vector<std::size_t> advance(Instant now);

  /// Share of the nominal pace of compute-bound work: clock share times the device's own speed.
  double pace(std::size_t device) const;
  double power_cap_w(std::size_t device) const;
  double energy_j(Instant now, std::size_t device) const;
  bool shut_down(std::size_t device) const;

  double memory_temperature_c(Instant now, std::size_t device) const;
  Violations violations(Instant now, std::size_t device) const;
  /// Steps that the device's fans are above their usual speed.
  int fan_steps(std::size_t device) const;

  /// What a perfect sensor reads; queue and running stay absent (the executor knows them).
  Sample reading(Instant now, std::size_t device) const;
  /// What the board's own sensors say: see Sensor.
  Sample published(Instant now, std::size_t device) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace drover::devices
