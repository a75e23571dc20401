// The physical model of the devices of one host. Inputs are the activities; outputs are clock,
// temperature, power, energy and throttling. These are the true values; the router gets samples.
//
// Event-driven: between events activity and clock are constant and the temperature has a closed
// form. The power limiter acts when the work or the cap changes, the temperature controllers act on
// a 100 ms grid of fleet time, only near a limit. Devices advance together because neighbours heat
// each other. `reading(now)` is computed from the last event, so the number of readings does not
// change any result, bit for bit.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "devices/board/chip.h"
#include "fleet/base/random_stream.h"

namespace drover::devices {

/// Draws the differences of one device.
Variation draw_variation(const RandomStream& random);

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

  std::size_t size() const { return chips_.size(); }

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
  double pace(std::size_t device) const { return chips_.at(device).pace(); }
  double power_cap_w(std::size_t device) const { return chips_.at(device).power_cap_w(); }
  double energy_j(Instant now, std::size_t device) const { return chips_.at(device).energy_j(now); }
  bool shut_down(std::size_t device) const { return chips_.at(device).shut_down(); }

  /// The exact values; queue and running are absent (the executor has them).
  Sample reading(Instant now, std::size_t device) const;
  /// The readings of the board's sensors; see Sensor.
  Sample published(Instant now, std::size_t device) const;

 private:
  void schedule(std::size_t device);
  void update_inlet(std::size_t device);
  void power_changed(std::size_t device);
  bool settle(std::size_t device, const Chip::Outcome& outcome);
  void run_events(Instant until);

  std::vector<Chip> chips_;
  std::vector<Instant> events_;  // of each chip
  std::set<std::pair<Instant, std::size_t>> queue_;
  std::vector<std::size_t> changed_;  // devices whose pace changed since the last advance
  Ambient ambient_;
  Instant now_;
};

}  // namespace drover::devices
