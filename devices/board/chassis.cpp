// Processes the events of a host's devices in order.
//
// State changes only at events and in setters; `advance` to a time without an event changes
// nothing. So one advance or many give bit-identical results.
#include "devices/board/chassis.h"

#include <algorithm>
#include <set>
#include <utility>

#include "devices/board/chip.h"

namespace drover::devices {
namespace {

/// Number of devices in one air lane, one behind the other in order of index; the next ones have
/// their own cool air (assumed: two fan walls of four in an 8-device host).
constexpr std::size_t lane_devices = 4;

/// Standard deviations, and where they are cut off (assumed: the reported variation between boards
/// of one model; AcmeTrace for cooling).
constexpr double speed_deviation = 0.015, leakage_deviation = 0.04, cooling_deviation = 0.06;
constexpr double deviations_max = 2.5;

double draw_factor(RandomStream random, double deviation) {
  return 1 + deviation * std::clamp(random.normal(), -deviations_max, deviations_max);
}

}  // namespace

Variation draw_variation(const RandomStream& random) {
  return {draw_factor(random.child("speed"), speed_deviation),
          draw_factor(random.child("leakage"), leakage_deviation),
          draw_factor(random.child("cooling"), cooling_deviation)};
}

struct Chassis::State {
  std::vector<Chip> chips;
  std::vector<Instant> events;  // of each chip
  std::set<std::pair<Instant, std::size_t>> queue;
  std::vector<std::size_t> changed;  // devices whose pace changed since the last advance
  Ambient ambient;
  Instant now;

  void schedule(std::size_t device) {
    const Instant at = chips[device].next_control(now);
    if (at == events[device]) return;
    if (events[device] != never) queue.erase({events[device], device});
    if (at != never) queue.emplace(at, device);
    events[device] = at;
  }

  void update_inlet(std::size_t device) {
    double upstream_w = 0;
    for (std::size_t i = device / lane_devices * lane_devices; i < device; ++i) {
      upstream_w += chips[i].power_w();
    }
    chips[device].set_inlet(now, ambient.inlet_c + ambient.neighbour_k_per_w * upstream_w);
  }

  void power_changed(std::size_t device) {
    const std::size_t lane_end = (device / lane_devices + 1) * lane_devices;
    for (std::size_t i = device + 1; i < std::min(lane_end, chips.size()); ++i) {
      update_inlet(i);
      schedule(i);
    }
  }

  /// Applies the consequences of a device's change; returns whether its pace changed.
  bool settle(std::size_t device, const Chip::Outcome& outcome) {
    if (outcome.power_changed) power_changed(device);
    schedule(device);
    return outcome.pace_changed;
  }

  void run_events(Instant until) {
    DROVER_REQUIRE(until >= now);
    while (!queue.empty() && queue.begin()->first <= until) {
      const auto [at, device] = *queue.begin();
      queue.erase(queue.begin());
      events[device] = never;
      now = at;
      if (settle(device, chips[device].control(at))) changed.push_back(device);
    }
    now = until;
  }
};

Chassis::Chassis(std::vector<const DeviceSpec*> specs, Ambient ambient, const RandomStream& random,
                 Instant start)
    : state_(std::make_unique<State>()) {
  state_->ambient = ambient;
  state_->now = start;
  const RandomStream devices = random.child("device");
  for (std::size_t i = 0; i < specs.size(); ++i) {
    DROVER_REQUIRE(specs[i] != nullptr);
    const RandomStream own = devices.child(i);
    state_->chips.emplace_back(*specs[i], draw_variation(own), ambient.inlet_c, start,
                               own.child("sensor").uniform());
  }
  state_->events.assign(specs.size(), never);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    state_->update_inlet(i);
    state_->schedule(i);
  }
}

Chassis::~Chassis() = default;
Chassis::Chassis(Chassis&&) noexcept = default;
Chassis& Chassis::operator=(Chassis&&) noexcept = default;

std::size_t Chassis::size() const { return state_->chips.size(); }

const DeviceSpec& Chassis::spec(std::size_t device) const {
  return state_->chips.at(device).spec();
}

bool Chassis::set_activity(Instant now, std::size_t device, const Activity& activity,
                           bool may_raise_clock) {
  DROVER_REQUIRE(device < size());
  state_->run_events(now);
  return state_->settle(device, state_->chips[device].set_activity(now, activity, may_raise_clock));
}

bool Chassis::set_power_cap(Instant now, std::size_t device, double cap_w) {
  DROVER_REQUIRE(device < size());
  state_->run_events(now);
  return state_->settle(device, state_->chips[device].set_power_cap(now, cap_w));
}

bool Chassis::set_clock_limit(Instant now, std::size_t device, double share) {
  DROVER_REQUIRE(device < size() && share > 0 && share <= 1);
  state_->run_events(now);
  return state_->settle(device, state_->chips[device].set_clock_limit(now, share));
}

void Chassis::set_inlet(Instant now, double inlet_c) {
  state_->run_events(now);
  state_->ambient.inlet_c = inlet_c;
  for (std::size_t i = 0; i < size(); ++i) {
    state_->update_inlet(i);
    state_->schedule(i);
  }
}

void Chassis::set_airflow(Instant now, double share) {
  DROVER_REQUIRE(share > 0);
  state_->run_events(now);
  for (std::size_t i = 0; i < size(); ++i) {
    state_->chips[i].set_airflow(now, share);
    state_->schedule(i);
  }
}

Instant Chassis::next_event() const {
  // Changes that happened in a setter are due at once: `advance` returns them.
  if (!state_->changed.empty()) return state_->now;
  return state_->queue.empty() ? never : state_->queue.begin()->first;
}

std::vector<std::size_t> Chassis::advance(Instant now) {
  state_->run_events(now);
  std::vector<std::size_t> changed = std::exchange(state_->changed, {});
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return changed;
}

double Chassis::pace(std::size_t device) const { return state_->chips.at(device).pace(); }

double Chassis::power_cap_w(std::size_t device) const {
  return state_->chips.at(device).power_cap_w();
}

double Chassis::energy_j(Instant now, std::size_t device) const {
  return state_->chips.at(device).energy_j(now);
}

bool Chassis::shut_down(std::size_t device) const { return state_->chips.at(device).shut_down(); }

double Chassis::memory_temperature_c(Instant now, std::size_t device) const {
  return state_->chips.at(device).memory_temperature_c(now);
}

ThrottleTimes Chassis::throttle_times(Instant now, std::size_t device) const {
  return state_->chips.at(device).throttle_times(now);
}

int Chassis::fan_steps(std::size_t device) const { return state_->chips.at(device).fan_steps(); }

Sample Chassis::published(Instant now, std::size_t device) const {
  Sample sample = state_->chips.at(device).published(now);
  sample.device = static_cast<std::uint16_t>(device);
  return sample;
}

Sample Chassis::reading(Instant now, std::size_t device) const {
  Sample sample = state_->chips.at(device).reading(now);
  sample.device = static_cast<std::uint16_t>(device);
  return sample;
}

}  // namespace drover::devices
