// Processes the events of a host's devices in order.
//
// State changes only at events and in setters; `advance` to a time without an event changes
// nothing. So one advance or many give bit-identical results.
#include "devices/board/chassis.h"

#include <algorithm>
#include <utility>

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

void Chassis::schedule(std::size_t device) {
  const Instant at = chips_[device].next_control(now_);
  if (at == events_[device]) return;
  if (events_[device] != never) queue_.erase({events_[device], device});
  if (at != never) queue_.emplace(at, device);
  events_[device] = at;
}

void Chassis::update_inlet(std::size_t device) {
  double upstream_w = 0;
  for (std::size_t i = device / lane_devices * lane_devices; i < device; ++i) {
    upstream_w += chips_[i].power_w();
  }
  chips_[device].set_inlet(now_, ambient_.inlet_c + ambient_.neighbour_k_per_w * upstream_w);
}

void Chassis::power_changed(std::size_t device) {
  const std::size_t lane_end = (device / lane_devices + 1) * lane_devices;
  for (std::size_t i = device + 1; i < std::min(lane_end, chips_.size()); ++i) {
    update_inlet(i);
    schedule(i);
  }
}

/// Applies the consequences of a device's change; returns whether its pace changed.
bool Chassis::settle(std::size_t device, const Chip::Outcome& outcome) {
  if (outcome.power_changed) power_changed(device);
  schedule(device);
  return outcome.pace_changed;
}

void Chassis::run_events(Instant until) {
  DROVER_REQUIRE(until >= now_);
  while (!queue_.empty() && queue_.begin()->first <= until) {
    const auto [at, device] = *queue_.begin();
    queue_.erase(queue_.begin());
    events_[device] = never;
    now_ = at;
    if (settle(device, chips_[device].control(at))) changed_.push_back(device);
  }
  now_ = until;
}

Chassis::Chassis(std::vector<const DeviceSpec*> specs, Ambient ambient, const RandomStream& random,
                 Instant start)
    : events_(specs.size(), never), ambient_(ambient), now_(start) {
  const RandomStream devices = random.child("device");
  for (std::size_t i = 0; i < specs.size(); ++i) {
    DROVER_REQUIRE(specs[i] != nullptr);
    const RandomStream own = devices.child(i);
    chips_.emplace_back(*specs[i], draw_variation(own), ambient.inlet_c, start,
                        own.child("sensor").uniform());
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    update_inlet(i);
    schedule(i);
  }
}

bool Chassis::set_activity(Instant now, std::size_t device, const Activity& activity,
                           bool may_raise_clock) {
  DROVER_REQUIRE(device < size());
  run_events(now);
  return settle(device, chips_[device].set_activity(now, activity, may_raise_clock));
}

bool Chassis::set_power_cap(Instant now, std::size_t device, double cap_w) {
  DROVER_REQUIRE(device < size());
  run_events(now);
  return settle(device, chips_[device].set_power_cap(now, cap_w));
}

bool Chassis::set_clock_limit(Instant now, std::size_t device, double share) {
  DROVER_REQUIRE(device < size() && share > 0 && share <= 1);
  run_events(now);
  return settle(device, chips_[device].set_clock_limit(now, share));
}

void Chassis::set_inlet(Instant now, double inlet_c) {
  run_events(now);
  ambient_.inlet_c = inlet_c;
  for (std::size_t i = 0; i < size(); ++i) {
    update_inlet(i);
    schedule(i);
  }
}

void Chassis::set_airflow(Instant now, double share) {
  DROVER_REQUIRE(share > 0);
  run_events(now);
  for (std::size_t i = 0; i < size(); ++i) {
    chips_[i].set_airflow(now, share);
    schedule(i);
  }
}

Instant Chassis::next_event() const {
  // Changes that happened in a setter are due at once: `advance` returns them.
  if (!changed_.empty()) return now_;
  return queue_.empty() ? never : queue_.begin()->first;
}

std::vector<std::size_t> Chassis::advance(Instant now) {
  run_events(now);
  std::vector<std::size_t> changed = std::exchange(changed_, {});
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return changed;
}

Sample Chassis::published(Instant now, std::size_t device) const {
  Sample sample = chips_.at(device).published(now);
  sample.device = static_cast<std::uint16_t>(device);
  return sample;
}

Sample Chassis::reading(Instant now, std::size_t device) const {
  Sample sample = chips_.at(device).reading(now);
  sample.device = static_cast<std::uint16_t>(device);
  return sample;
}

}  // namespace drover::devices
