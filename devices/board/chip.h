// One emulated device of a chassis: its activity, clock controllers, temperatures and energy. The
// chassis orders the events; a chip computes its next one.
//
// Several controllers limit the clock; the lowest limit applies.
//   power     At every change of the work or the cap, at once: the highest clock step under the
//             cap. Regulators of real boards need milliseconds, less than a phase of work. The
//             power above the cap in that time is left out, so that no reading exceeds the cap
//             because of the clock of an earlier phase.
// Temperatures change slowly. Their controllers act on the fleet's 100 ms grid:
//   software  Above the maximum temperature: down one step a second; 3 K below it: up again.
//   hardware  At the slowdown temperature: half the clock, until 3 K below the maximum.
//   shutdown  At the shutdown temperature: off for good.
//   fans      Some degrees below the maximum temperature: more air in steps, which lowers the
//             resistance of the sink; the usual air again when the die is cool.
// The memory has its own maximum temperature for the software limit. In addition there is an
// external limit, as of a power brake: a hardware slowdown that is not thermal.
#pragma once

#include <optional>

#include "devices/board/sensor.h"
#include "devices/board/thermal_model.h"
#include "devices/catalogue/spec.h"
#include "devices/operation/step.h"
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

/// Throttle time by cause, as NVML's violation counters.
struct ThrottleTimes {
  Duration power{};        // the power cap
  Duration thermal{};      // a temperature, by software or hardware
  Duration board_limit{};  // a power brake
};

inline constexpr Duration control_period = std::chrono::milliseconds(100);
/// The first control point after the instant.
Instant next_control_after(Instant instant);
/// The first control point at or after the instant.
Instant next_control_from(Instant instant);

/// No work and no open context.
Activity idle_activity();

class Chip {
 public:
  /// `sensor_phase`: when the board refreshes its readings, as a share of the period.
  Chip(const DeviceSpec& spec, const Variation& variation, double inlet_c, Instant start,
       double sensor_phase);

  struct Outcome {
    bool power_changed = false;  // affects the neighbours
    bool pace_changed = false;
  };
  Outcome set_activity(Instant now, const Activity& activity, bool may_raise_clock);
  Outcome set_power_cap(Instant now, double cap_w);
  void set_inlet(Instant now, double inlet_c);
  Outcome set_clock_limit(Instant now, double share);
  /// Air flow as a share of the usual one; 1: all fans run.
  void set_airflow(Instant now, double share);
  /// One step of the temperature controllers.
  Outcome control(Instant now);

  /// The next point of the grid at which `control` changes something; `never` in steady state.
  Instant next_control(Instant now) const;

  double pace() const;
  double power_w() const { return power_w_; }
  double power_cap_w() const { return cap_w_; }
  double energy_j(Instant now) const;
  bool shut_down() const { return shut_down_; }
  Sample reading(Instant now) const;
  Sample published(Instant now) const;

 private:
  void end_interval(Instant now);
  Sensor::Truth truth() const;
  Cooling cooling() const;
  void control_temperature(Instant now);
  void control_fans(Instant now);
  Outcome limit_power(Instant now, bool may_raise_clock);
  Outcome set_clock(Instant now);
  bool update_power(Instant now);
  void restart_thermal(Instant now);
  int power_target() const;
  double static_excess_w() const;
  Instant next_limit(Instant now) const;
  Instant next_release(Instant now) const;
  Instant next_fan_step(Instant now) const;
  Instant crossing(std::optional<double> seconds) const;
  bool running() const;
  double temperature_c(Instant now) const;
  double memory_temperature_c(Instant now) const;
  ThrottleTimes throttle_times(Instant now) const;
  std::uint32_t throttle_bits() const;
  double clock_mhz() const;

  const DeviceSpec* spec_;
  Variation variation_;
  Cooling cooling_;
  Activity activity_;
  double activity_clock_share_ = 1;  // clock at which the activity was achieved
  double cap_w_;
  double inlet_c_;

  int power_steps_ = 0;  // steps below the nominal clock, by controller
  int temperature_steps_ = 0;
  bool hw_slowdown_ = false;
  bool shut_down_ = false;
  double clock_limit_ = 1;  // external, as of a power brake
  double clock_share_ = 1;
  Instant temperature_step_from_;  // earliest next step of the software limit
  int fan_steps_ = 0;              // above the usual air
  Instant fan_step_from_;
  double airflow_ = 1;  // of the host

  Instant power_since_;  // power is constant from here on; energy is counted up to here
  double power_w_ = 0;
  double energy_j_ = 0;
  Instant thermal_since_;
  ThermalTransient thermal_;

  Instant interval_since_;        // all published or counted values are constant from here on
  ThrottleTimes throttle_times_;  // counted up to here
  Sensor sensor_;
};

}  // namespace drover::devices
