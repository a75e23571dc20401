// FleetState's power and temperature: samples, and reservations, which count at once.
//
// Power is summed per group in whole milliwatts, so that sums neither drift nor depend on the
// order of samples.
#include <algorithm>
#include <cmath>
#include <utility>

#include "router/fleet_state/fleet_state.h"
#include "router/fleet_state/sample_runs.h"

namespace drover::router {
namespace {

/// More than any device draws or reserves, and small enough that sums over `device_rows_max` of
/// them are exact.
constexpr double milliwatts_max = 1e12;

/// Rounds to nearest, halves up. REQUIRES watts >= 0. Not std::llround: that call took an eighth
/// of a sample's time.
std::int64_t milliwatts(float watts) {
  const double exact = std::min(static_cast<double>(watts) * 1000.0, milliwatts_max);
  const auto whole = static_cast<std::int64_t>(exact);
  return exact - static_cast<double>(whole) < 0.5 ? whole : whole + 1;
}

/// Smallest reservation while requests run, whatever a sample shows: the next sample may show a
/// pause, such as a compilation, and the one after it work again.
constexpr float token_w = 1e-3F;

/// Devices differ from the estimate for their kind by up to this factor.
constexpr float shown_beyond = 1.05F;

/// Not the hardware slowdown bit alone: a power brake sets it on a cool device, and for
/// temperature the thermal bit is set as well.
constexpr std::uint32_t throttles_hot = throttle_sw_thermal_slowdown | throttle_hw_thermal_slowdown;

}  // namespace

bool FleetState::place_power(const Column& power, Instant now) {
  scratch_.resize(rows_.size());
  decode(power, scratch_);
  // Rows of a group are adjacent: their changes are summed first.
  GroupIndex group = 0;
  std::int64_t change_mw = 0;
  bool all = true;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const DeviceIndex device = rows_[row];
    if (device == no_index) continue;
    if (std::isnan(scratch_[row])) {
      all = false;
      continue;
    }
    const auto power_w = static_cast<float>(scratch_[row]);
    if (devices_.reserved_w[device] > 0) {
      if (prompts_read(now, device)) devices_.prompt_w[device] = 0;
      expect_again(now, device, power_w);
      const bool over = now >= devices_.reserved_until[device] && devices_.serving_w[device] <= 0;
      set_power(device, power_w, over ? 0.0F : missing_w(device, power_w));
      continue;
    }
    if (devices_.group[device] != group) {
      groups_[group].estimated_mw += std::exchange(change_mw, 0);
      group = devices_.group[device];
    }
    const float before_w = std::exchange(devices_.power_w[device], power_w);
    change_mw += milliwatts(power_w) - milliwatts(before_w);
  }
  if (change_mw != 0) groups_[group].estimated_mw += change_mw;
  return all;
}

/// Prefill runs between the steps of running work and takes longer than alone: power that a sample
/// shows after its expected end will recur, even if the next sample shows less.
void FleetState::expect_again(Instant now, DeviceIndex device, float power_w) {
  if (devices_.serving_w[device] <= 0 || now < devices_.prompts_until[device]) return;
  if (power_w <= shown_beyond * devices_.expected_w[device]) return;
  const float context_idle_w = level_w(devices_.group[device], 0);
  devices_.prompt_w[device] = std::max(devices_.prompt_w[device], power_w - context_idle_w);
  devices_.shown_until[device] = saturating_add(now, reserved_power_timeout);
}

bool FleetState::prompts_read(Instant now, DeviceIndex device) const {
  return now >= std::max(devices_.prompts_until[device], devices_.shown_until[device]);
}

void FleetState::set_power(DeviceIndex device, float power_w, float reserved_w) {
  const std::int64_t before =
      milliwatts(devices_.power_w[device]) + milliwatts(devices_.reserved_w[device]);
  devices_.power_w[device] = power_w;
  devices_.reserved_w[device] = reserved_w;
  groups_[devices_.group[device]].estimated_mw +=
      milliwatts(power_w) + milliwatts(reserved_w) - before;
}

void FleetState::update_hot_devices(const std::vector<RowRun>& runs, double elapsed_s) {
  const auto ahead = elapsed_s > 0 ? static_cast<float>(hot_horizon_s / elapsed_s) : 0;
  GroupIndex group = no_index;
  float limit_c = 0;
  for (const RowRun& run : runs) {
    for (std::size_t row = 0; row < run.count; ++row) {
      const DeviceIndex device = run.device + static_cast<DeviceIndex>(row);
      if (devices_.group[device] != group) {
        group = devices_.group[device];
        limit_c = static_cast<float>(groups_[group].spec->thermal.max_c);
      }
      const float now_c = devices_.temperature_c[device];
      const float before_c = previous_temperature_c_[run.row + row];  // 0: not known
      const float soon_c = before_c > 0 ? now_c + (now_c - before_c) * ahead : now_c;
      const bool near = (now_c >= limit_c - hot_margin_c) & (soon_c >= limit_c) & (limit_c > 0);
      const bool throttles = (devices_.throttle[device] & throttles_hot) != 0;
      const bool cool = (now_c <= limit_c - hot_release_c) | (limit_c <= 0);
      std::uint32_t& bits = devices_.condition[device];
      if (throttles | near) {
        bits |= condition_hot;
      } else if (cool) {
        bits &= ~std::uint32_t{condition_hot};
      }
    }
  }
}

DeviceIndex FleetState::device_of(HostIndex host, std::uint16_t number) const {
  DROVER_REQUIRE(host < hosts_.size() && number < hosts_[host].devices.size());
  return hosts_[host].devices[number];
}

void FleetState::set_usable(HostIndex host, std::uint16_t number, bool usable) {
  const DeviceIndex device = device_of(host, number);
  std::uint32_t& bits = devices_.condition[device];
  const bool before = (bits & condition_unusable) == 0;
  bits = usable ? bits & ~std::uint32_t{condition_unusable} : bits | condition_unusable;
  ++version_;
  // When it is usable again, it is as in its last sample, with that sample's age, until the next
  // one.
  if (before && !usable) assume_idle(device);
}

void FleetState::set_condition(DeviceIndex device, std::uint32_t bit, bool holds) {
  std::uint32_t& bits = devices_.condition[device];
  const std::uint32_t now = holds ? bits | bit : bits & ~bit;
  if (now != bits) ++version_;
  bits = now;
}

void FleetState::set_drained(HostIndex host, std::uint16_t number, bool drained) {
  set_condition(device_of(host, number), condition_drained, drained);
}

void FleetState::set_reserved(DeviceIndex device, bool reserved) {
  DROVER_REQUIRE(device < devices_.size());
  set_condition(device, condition_reserved, reserved);
}

void FleetState::discard_stale_readings(HostIndex host, std::uint16_t number,
                                        Instant heard_before) {
  const DeviceIndex device = device_of(host, number);
  if (devices_.sampled[device] < heard_before) assume_idle(device);
}

void FleetState::assume_idle(DeviceIndex device) {
  const auto idle_w = static_cast<float>(groups_[devices_.group[device]].spec->power.idle_w);
  devices_.prompt_w[device] = 0;
  set_power(device, std::min(devices_.power_w[device], idle_w), 0);
  devices_.throttle[device] = 0;
  ++version_;
}

void FleetState::reserve_gang(Instant now, const JobId& job, HostIndex host,
                              const std::vector<std::uint16_t>& devices, Instant busy_until,
                              double watts_each) {
  DROVER_REQUIRE(host < hosts_.size());
  for (const std::uint16_t number : devices) {
    if (number >= hosts_[host].devices.size()) continue;
    const DeviceIndex device = hosts_[host].devices[number];
    devices_.gang[device] = job;
    devices_.busy_until[device] = busy_until;
    const auto reserved_w = static_cast<float>(std::max(0.0, watts_each));
    devices_.expected_w[device] = devices_.power_w[device] + reserved_w;
    devices_.reserved_until[device] = saturating_add(now, reserved_power_timeout);
    set_power(device, devices_.power_w[device], reserved_w);
  }
  ++version_;
}

void FleetState::set_busy_until(const JobId& job, HostIndex host,
                                const std::vector<std::uint16_t>& devices, Instant until) {
  DROVER_REQUIRE(host < hosts_.size());
  for (const std::uint16_t number : devices) {
    if (number >= hosts_[host].devices.size()) continue;
    const DeviceIndex device = hosts_[host].devices[number];
    if (devices_.gang[device] == job) devices_.busy_until[device] = until;
  }
}

void FleetState::release_gang(const JobId& job, HostIndex host,
                              const std::vector<std::uint16_t>& devices) {
  DROVER_REQUIRE(host < hosts_.size());
  for (const std::uint16_t number : devices) {
    if (number >= hosts_[host].devices.size()) continue;
    const DeviceIndex device = hosts_[host].devices[number];
    if (devices_.gang[device] != job) continue;  // reserved for another job since
    devices_.gang[device] = {};
    devices_.busy_until[device] = {};
    set_power(device, devices_.power_w[device], 0);
  }
  ++version_;
}

void FleetState::reserve_replica(Instant now, ReplicaIndex replica) {
  const ReplicaEntry& row = replicas_[replica];
  const Instant ready = row.replica.state == ReplicaState::ready ? now : row.replica.ready_at;
  const Instant shown = saturating_add(std::max(now, ready), reserved_power_timeout);
  each_device(row, [&](DeviceIndex device) {
    devices_.reserved_until[device] = std::max(shown, devices_.prompts_until[device]);
    expect_level(device);
    set_power(device, devices_.power_w[device], missing_w(device, devices_.power_w[device]));
  });
}

/// Releases the reservation beyond the new level; `reserve_replica` reserves more.
void FleetState::expect_serving(ReplicaEntry& row, double serving_w) {
  if (serving_w == row.serving_w) return;
  const double change_w = (serving_w - row.serving_w) / static_cast<double>(row.facts.devices);
  row.serving_w = serving_w;
  for (const std::uint16_t number : row.replica.devices) {
    const DeviceIndex device = hosts_[row.host].devices[number];
    const double serving_each_w = devices_.serving_w[device] + change_w;
    devices_.serving_w[device] =
        serving_each_w < token_w ? 0 : serving_each_w;  // removes rounding residue
    expect_level(device);
    release_power(device);
  }
}

/// Releases the reservation beyond the expected level.
void FleetState::release_power(DeviceIndex device) {
  const float left_w = missing_w(device, devices_.power_w[device]);
  if (devices_.reserved_w[device] > left_w) set_power(device, devices_.power_w[device], left_w);
}

/// Prompts are prefilled one after the other: until the last one ends, the device draws the
/// highest power among them.
void FleetState::expect_prompt(Instant now, const ReplicaEntry& row, double prompt_w) {
  const auto each_w = static_cast<float>(prompt_w / row.facts.devices);
  each_device(row, [&](DeviceIndex device) {
    const bool over = prompts_read(now, device);
    devices_.prompt_w[device] = over ? each_w : std::max(devices_.prompt_w[device], each_w);
    devices_.prompts_until[device] = std::max(devices_.prompts_until[device], row.prompts_until);
  });
}

void FleetState::forget_prompts(const ReplicaEntry& row) {
  each_device(row, [&](DeviceIndex device) {
    if (devices_.replicas[device] > 1) return;
    devices_.prompt_w[device] = 0;
    release_power(device);
  });
}

/// The part of the expected power that a sample of this power does not show.
float FleetState::missing_w(DeviceIndex device, float power_w) const {
  const float prompt_w = devices_.prompt_w[device];
  float level = devices_.expected_w[device];
  if (prompt_w > 0) level = std::max(level, level_w(devices_.group[device], prompt_w));
  level = capped_w(device, level);
  return std::max(devices_.serving_w[device] > 0 ? token_w : 0.0F, level - power_w);
}

/// A cap below its rated power limits any reservation.
float FleetState::capped_w(DeviceIndex device, float level) const {
  const float cap_w = devices_.power_cap_w[device];
  const bool capped = cap_w > 0 && cap_w < groups_[devices_.group[device]].spec->power.tdp_w;
  return capped ? std::min(level, cap_w) : level;
}

void FleetState::expect_level(DeviceIndex device) {
  devices_.expected_w[device] = level_w(devices_.group[device], devices_.serving_w[device]);
}

/// Power of a device of the group with a context that serves.
float FleetState::level_w(GroupIndex group, double serving_w) const {
  const devices::DeviceSpec& spec = *groups_[group].spec;
  return static_cast<float>(std::max(spec.power.context_idle_w, spec.power.idle_w) + serving_w);
}

double FleetState::added_w(ReplicaIndex replica, ServingPower power) const {
  const ReplicaEntry& row = replicas_[replica];
  const double change_w = (power.decode_w - row.serving_w) / row.facts.devices;
  const double prompt_w = power.prompt_w / row.facts.devices;
  double added_w = 0;
  each_device(row, [&](DeviceIndex device) {
    const double level = capped_w(
        device, level_w(row.group, std::max({0.0, devices_.serving_w[device] + change_w, prompt_w,
                                             static_cast<double>(devices_.prompt_w[device])})));
    added_w += std::max(0.0, level - devices_.power_w[device]) - devices_.reserved_w[device];
  });
  return added_w;
}

double FleetState::sum_of(std::vector<float> DeviceColumns::*column) const {
  double sum = 0;
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    if (!is_gone(hosts_[devices_.host[device]].health)) sum += (devices_.*column)[device];
  }
  return sum;
}

double FleetState::power_w(std::uint32_t pool) const {
  double sum = 0;
  for (const GroupEntry& group : groups_) {
    if (group.gone || !group.in_pool(pool) || is_gone(hosts_[group.host].health)) continue;
    for (const DeviceIndex device : group.devices()) sum += devices_.power_w[device];
  }
  return sum;
}

}  // namespace drover::router
