// One emulated device of a chassis: its activity, its clock controllers, its heat and its energy.
// The chassis owns the order of events; a chip answers what it would do next.
//
// Three controllers; the slowest clock that one asks for holds.
//   power     at every change of what runs or of the cap, at once: the largest step that stays
//   under
//             the cap. Regulators of boards need milliseconds, less than a phase of work lasts;
//             what they let through meanwhile is left out, so no reading is above the cap because
//             the clock of an earlier phase still stands.
// Temperature is slow. Its controllers act on the fleet's 100 ms grid:
//   software  above the maximal temperature: down one step a second; 3 K below it: up again.
//   hardware  at the slowdown temperature: half the clock, until 3 K below the maximal one.
//   shutdown  at the shutdown temperature: off for good.
//   fans      some degrees below the maximal temperature: more air in steps, which lowers the
//             resistance of the sink; the usual air again when the die is cool.
// The memory has a maximal temperature of its own for the software limit.
// Beside them a limit from outside, as a power brake sets it: a hardware slowdown without heat.
#pragma once

#include <cstddef>

#include "devices/board/chassis.h"
#include "devices/board/heat.h"
#include "devices/board/sensor.h"

namespace drover::devices {

inline constexpr Duration control_grid = std::chrono::milliseconds(100);
/// The first point of the grid after (at or after) an instant.
Instant next_control_after(Instant instant);
Instant next_control_from(Instant instant);

/// Nothing runs and nothing is open.
Activity idle_activity();

class Chip {
 public:
  /// Sensor phase: at which share of its period the board renews its values.
  Chip(const DeviceSpec& spec, const Variation& variation, double inlet_c, Instant start,
       double sensor_phase);

  struct Outcome {
    bool power_changed = false;  // neighbours must hear of it
    bool pace_changed = false;
  };
  Outcome set_activity(Instant now, const Activity& activity, bool may_rise);
  Outcome set_power_cap(Instant now, double cap_w);
  void set_inlet(Instant now, double inlet_c);
  Outcome set_clock_limit(Instant now, double share);
  /// Share of the usual air that the host's fans move; 1: all of them run.
  void set_airflow(Instant now, double share);
  /// One step of the temperature controllers.
  Outcome control(Instant now);

  /// When `control` would change something, on the grid; `never` in steady state.
  Instant next_control(Instant now) const;

  const DeviceSpec& spec() const { return *spec_; }
  double pace() const;
  double power_w() const { return power_w_; }
  double power_cap_w() const { return cap_w_; }
  double energy_j(Instant now) const;
  double temperature_c(Instant now) const;
  double memory_temperature_c(Instant now) const;
  int fan_steps() const { return fan_steps_; }
  Violations violations(Instant now) const;
  bool shut_down() const { return shut_down_; }
  Sample reading(Instant now) const;
  Sample published(Instant now) const;

 private:
  void end_stretch(Instant now);
  Sensor::Truth truth() const;
  Cooling cooling() const;
  void control_temperature(Instant now);
  void control_fans(Instant now);
  Outcome limit_power(Instant now, bool may_rise);
  Outcome set_clock(Instant now);
  bool update_power(Instant now);
  void restart_heat(Instant now);
  int power_target() const;
  double static_excess_w() const;
  Instant next_limit(Instant now) const;
  Instant next_release(Instant now) const;
  Instant next_fan_step(Instant now) const;
  Instant crossing(std::optional<double> seconds) const;
  bool running() const;
  std::uint32_t throttle_bits() const;
  double clock_mhz() const;

  const DeviceSpec* spec_;
  Variation variation_;
  Cooling cooling_;
  MemoryHeat memory_;
  Activity activity_;
  double told_share_ = 1;  // clock at which the activity was measured
  double cap_w_;
  double inlet_c_;

  int power_steps_ = 0;  // steps below the nominal clock that each controller asks for
  int temperature_steps_ = 0;
  bool slowed_ = false;
  bool shut_down_ = false;
  double clock_limit_ = 1;  // from outside, as by a power brake
  double clock_share_ = 1;
  Instant temperature_step_from_;  // earliest next step of the software limit
  int fan_steps_ = 0;              // above the usual air
  Instant fan_step_from_;
  double airflow_ = 1;  // of the host

  Instant power_since_;  // power is constant from here on; energy counted up to here
  double power_w_ = 0;
  double energy_j_ = 0;
  Instant heat_since_;
  HeatCourse heat_;

  Instant stretch_since_;  // all that is published or counted is constant from here on
  Violations violations_;  // counted up to here
  Sensor sensor_;
};

}  // namespace drover::devices
