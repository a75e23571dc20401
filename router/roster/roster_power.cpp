// The roster's power and heat: samples in, promises counted at once.
//
// Power is summed per group in whole milliwatts, so that sums neither drift nor depend on the order
// in which samples came.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "router/roster/roster.h"
#include "router/roster/sample_runs.h"

namespace drover::router {
namespace {

/// More than any device draws or is promised, and so little that sums over `devices_max` of them
/// are exact.
constexpr double milliwatts_max = 1e12;

/// The nearest, half a one up. REQUIRES watts >= 0. Not std::llround: a call that took an eighth of
/// a sample's time.
std::int64_t milliwatts(float watts) {
  const double exact = std::min(static_cast<double>(watts) * 1000.0, milliwatts_max);
  const auto whole = static_cast<std::int64_t>(exact);
  return exact - static_cast<double>(whole) < 0.5 ? whole : whole + 1;
}

/// Still promised while requests run, whatever a sample shows: the next one may show a pause, as
/// when a program is compiled, and the one after it the work again.
constexpr float token_w = 1e-3F;

/// Devices differ by so much from what is believed of their kind.
constexpr float shown_beyond = 1.05F;

/// Not the hardware slowdown alone: a power brake sets it on a cool device, and where heat does,
/// the thermal bit is set as well.
constexpr std::uint32_t throttles_hot = throttle_thermal_software | throttle_thermal_hardware;

}  // namespace

void Roster::place_power(const Column& power, Instant now) {
  scratch_.resize(rows_.size());
  decode(power, scratch_);
  // Rows of a group follow one another: what they change in its belief is summed first.
  GroupIndex group = 0;
  std::int64_t change_mw = 0;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const DeviceIndex device = rows_[row];
    if (device == nowhere || std::isnan(scratch_[row])) continue;
    const auto power_w = static_cast<float>(scratch_[row]);
    if (devices_.promised_w[device] > 0) {
      if (prompts_read(now, device)) devices_.prompt_w[device] = 0;
      expect_again(now, device, power_w);
      const bool over = now >= devices_.promised_until[device] && devices_.serving_w[device] <= 0;
      set_power(device, power_w, over ? 0.0F : missing_w(device, power_w));
      continue;
    }
    if (devices_.group[device] != group) {
      groups_[group].believed_mw += std::exchange(change_mw, 0);
      group = devices_.group[device];
    }
    const float before_w = std::exchange(devices_.power_w[device], power_w);
    change_mw += milliwatts(power_w) - milliwatts(before_w);
  }
  if (change_mw != 0) groups_[group].believed_mw += change_mw;
}

/// Prompts are read between the steps of what runs already, longer than they take alone: what a
/// sample shows after they should have ended will be drawn again, though the next one shows less.
void Roster::expect_again(Instant now, DeviceIndex device, float power_w) {
  if (devices_.serving_w[device] <= 0 || now < devices_.prompts_until[device]) return;
  if (power_w <= shown_beyond * devices_.expected_w[device]) return;
  const float open_w = level_w(devices_.group[device], 0);
  devices_.prompt_w[device] = std::max(devices_.prompt_w[device], power_w - open_w);
  devices_.shown_until[device] = saturating_add(now, promised_power_span);
}

bool Roster::prompts_read(Instant now, DeviceIndex device) const {
  return now >= std::max(devices_.prompts_until[device], devices_.shown_until[device]);
}

void Roster::set_power(DeviceIndex device, float power_w, float promised_w) {
  const std::int64_t before =
      milliwatts(devices_.power_w[device]) + milliwatts(devices_.promised_w[device]);
  devices_.power_w[device] = power_w;
  devices_.promised_w[device] = promised_w;
  groups_[devices_.group[device]].believed_mw +=
      milliwatts(power_w) + milliwatts(promised_w) - before;
}

void Roster::judge_heat(const std::vector<Run>& runs, double elapsed_s) {
  const auto ahead = elapsed_s > 0 ? static_cast<float>(heat_horizon_s / elapsed_s) : 0;
  GroupIndex group = nowhere;
  float limit_c = 0;
  for (const Run& run : runs) {
    for (std::size_t row = 0; row < run.count; ++row) {
      const DeviceIndex device = run.device + static_cast<DeviceIndex>(row);
      if (devices_.group[device] != group) {
        group = devices_.group[device];
        limit_c = static_cast<float>(groups_[group].spec->temperature_max_c);
      }
      const float now_c = devices_.temperature_c[device];
      const float before_c = heat_before_c_[run.row + row];  // 0: not known
      const float soon_c = before_c > 0 ? now_c + (now_c - before_c) * ahead : now_c;
      const bool near = (now_c >= limit_c - heat_near_c) & (soon_c >= limit_c) & (limit_c > 0);
      const bool throttles = (devices_.throttle[device] & throttles_hot) != 0;
      const bool cool = (now_c <= limit_c - heat_release_c) | (limit_c <= 0);
      std::uint32_t& bits = devices_.condition[device];
      if (throttles | near) {
        bits |= condition_hot;
      } else if (cool) {
        bits &= ~std::uint32_t{condition_hot};
      }
    }
  }
}

void Roster::set_usable(HostIndex host, std::uint16_t number, bool usable) {
  DROVER_REQUIRE(host < hosts_.size() && number < hosts_[host].devices.size());
  const DeviceIndex device = hosts_[host].devices[number];
  std::uint32_t& bits = devices_.condition[device];
  const bool before = (bits & condition_unusable) == 0;
  bits = usable ? bits & ~std::uint32_t{condition_unusable} : bits | condition_unusable;
  ++version_;
  // Once usable again it is as its last sample said, of that sample's age, until the next one.
  if (before && !usable) believe_idle(device);
}

void Roster::set_drained(HostIndex host, std::uint16_t number, bool drained) {
  DROVER_REQUIRE(host < hosts_.size() && number < hosts_[host].devices.size());
  std::uint32_t& bits = devices_.condition[hosts_[host].devices[number]];
  const std::uint32_t with = bits | condition_drained;
  const std::uint32_t now = drained ? with : with ^ condition_drained;
  if (now != bits) ++version_;
  bits = now;
}

void Roster::set_reserved(DeviceIndex device, bool reserved) {
  DROVER_REQUIRE(device < devices_.size());
  std::uint32_t& bits = devices_.condition[device];
  const std::uint32_t with = bits | condition_reserved;
  const std::uint32_t now = reserved ? with : with ^ condition_reserved;
  if (now != bits) ++version_;
  bits = now;
}

void Roster::settle_silent(HostIndex host, std::uint16_t number, Instant heard_before) {
  DROVER_REQUIRE(host < hosts_.size() && number < hosts_[host].devices.size());
  const DeviceIndex device = hosts_[host].devices[number];
  if (devices_.sampled[device] < heard_before) believe_idle(device);
}

void Roster::believe_idle(DeviceIndex device) {
  const auto idle_w = static_cast<float>(groups_[devices_.group[device]].spec->idle_w);
  devices_.prompt_w[device] = 0;
  set_power(device, std::min(devices_.power_w[device], idle_w), 0);
  devices_.throttle[device] = 0;
  ++version_;
}

void Roster::promise_gang(Instant now, const JobId& job, HostIndex host,
                          const std::vector<std::uint16_t>& devices, Instant busy_until,
                          double watts_each) {
  DROVER_REQUIRE(host < hosts_.size());
  for (const std::uint16_t number : devices) {
    if (number >= hosts_[host].devices.size()) continue;
    const DeviceIndex device = hosts_[host].devices[number];
    devices_.gang[device] = job;
    devices_.busy_until[device] = busy_until;
    const auto promised_w = static_cast<float>(std::max(0.0, watts_each));
    devices_.expected_w[device] = devices_.power_w[device] + promised_w;
    devices_.promised_until[device] = saturating_add(now, promised_power_span);
    set_power(device, devices_.power_w[device], promised_w);
  }
  ++version_;
}

void Roster::set_busy_until(const JobId& job, HostIndex host,
                            const std::vector<std::uint16_t>& devices, Instant until) {
  DROVER_REQUIRE(host < hosts_.size());
  for (const std::uint16_t number : devices) {
    if (number >= hosts_[host].devices.size()) continue;
    const DeviceIndex device = hosts_[host].devices[number];
    if (devices_.gang[device] == job) devices_.busy_until[device] = until;
  }
}

void Roster::release_gang(const JobId& job, HostIndex host,
                          const std::vector<std::uint16_t>& devices) {
  DROVER_REQUIRE(host < hosts_.size());
  for (const std::uint16_t number : devices) {
    if (number >= hosts_[host].devices.size()) continue;
    const DeviceIndex device = hosts_[host].devices[number];
    if (devices_.gang[device] != job) continue;  // promised to another since
    devices_.gang[device] = {};
    devices_.busy_until[device] = {};
    set_power(device, devices_.power_w[device], 0);
  }
  ++version_;
}

void Roster::promise_replica(Instant now, ReplicaIndex replica) {
  const ReplicaEntry& row = replicas_[replica];
  const Instant ready = row.replica.state == ReplicaState::ready ? now : row.replica.ready_at;
  const Instant shown = saturating_add(std::max(now, ready), promised_power_span);
  each_device(row, [&](DeviceIndex device) {
    devices_.promised_until[device] = std::max(shown, devices_.prompts_until[device]);
    expect_level(device);
    set_power(device, devices_.power_w[device], missing_w(device, devices_.power_w[device]));
  });
}

/// What was promised beyond the new level is given back; more is promised by `promise_replica`.
void Roster::expect_serving(ReplicaEntry& row, double serving_w) {
  if (serving_w == row.serving_w) return;
  const double change_w = (serving_w - row.serving_w) / static_cast<double>(row.facts.devices);
  row.serving_w = serving_w;
  for (const std::uint16_t number : row.replica.devices) {
    const DeviceIndex device = hosts_[row.host].devices[number];
    const double serving_each_w = devices_.serving_w[device] + change_w;
    devices_.serving_w[device] =
        serving_each_w < token_w ? 0 : serving_each_w;  // sums leave crumbs
    expect_level(device);
    give_back(device);
  }
}

/// What is promised beyond what is expected now.
void Roster::give_back(DeviceIndex device) {
  const float left_w = missing_w(device, devices_.power_w[device]);
  if (devices_.promised_w[device] > left_w) set_power(device, devices_.power_w[device], left_w);
}

/// Prompts are read one after the other: until the last, the device draws what the hungriest takes.
void Roster::expect_prompt(Instant now, const ReplicaEntry& row, double prompt_w) {
  const auto each_w = static_cast<float>(prompt_w / row.facts.devices);
  each_device(row, [&](DeviceIndex device) {
    const bool over = prompts_read(now, device);
    devices_.prompt_w[device] = over ? each_w : std::max(devices_.prompt_w[device], each_w);
    devices_.prompts_until[device] = std::max(devices_.prompts_until[device], row.prompts_until);
  });
}

void Roster::forget_prompts(const ReplicaEntry& row) {
  each_device(row, [&](DeviceIndex device) {
    if (devices_.replicas[device] > 1) return;
    devices_.prompt_w[device] = 0;
    give_back(device);
  });
}

/// Of what is expected, that which a sample of so many watts does not show.
float Roster::missing_w(DeviceIndex device, float power_w) const {
  const float prompt_w = devices_.prompt_w[device];
  float level = devices_.expected_w[device];
  if (prompt_w > 0) level = std::max(level, level_w(devices_.group[device], prompt_w));
  level = capped_w(device, level);
  return std::max(devices_.serving_w[device] > 0 ? token_w : 0.0F, level - power_w);
}

/// A cap below what the device is made for bounds whatever is promised.
float Roster::capped_w(DeviceIndex device, float level) const {
  const float cap_w = devices_.power_cap_w[device];
  const bool capped = cap_w > 0 && cap_w < groups_[devices_.group[device]].spec->tdp_w;
  return capped ? std::min(level, cap_w) : level;
}

void Roster::expect_level(DeviceIndex device) {
  devices_.expected_w[device] = level_w(devices_.group[device], devices_.serving_w[device]);
}

/// An open device of the group that serves.
float Roster::level_w(GroupIndex group, double serving_w) const {
  const devices::DeviceSpec& spec = *groups_[group].spec;
  return static_cast<float>(std::max(spec.open_w, spec.idle_w) + serving_w);
}

double Roster::added_w(ReplicaIndex replica, ServingPower power) const {
  const ReplicaEntry& row = replicas_[replica];
  const double change_w = (power.decode_w - row.serving_w) / row.facts.devices;
  const double prompt_w = power.prompt_w / row.facts.devices;
  double added_w = 0;
  each_device(row, [&](DeviceIndex device) {
    const double level = capped_w(
        device, level_w(row.group, std::max({0.0, devices_.serving_w[device] + change_w, prompt_w,
                                             static_cast<double>(devices_.prompt_w[device])})));
    added_w += std::max(0.0, level - devices_.power_w[device]) - devices_.promised_w[device];
  });
  return added_w;
}

double Roster::power_w() const {
  double sum = 0;
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    if (!is_gone(hosts_[devices_.host[device]].health)) sum += devices_.power_w[device];
  }
  return sum;
}

double Roster::power_w(std::uint32_t pool) const {
  double sum = 0;
  for (const GroupEntry& group : groups_) {
    if (group.gone || !group.in_pool(pool) || is_gone(hosts_[group.host].health)) continue;
    for (std::uint32_t n = 0; n < group.group.count; ++n) sum += devices_.power_w[group.first + n];
  }
  return sum;
}

double Roster::promised_w() const {
  double sum = 0;
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    if (!is_gone(hosts_[devices_.host[device]].health)) sum += devices_.promised_w[device];
  }
  return sum;
}

double Roster::energy_j() const {
  double sum = 0;
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    if (!is_gone(hosts_[devices_.host[device]].health)) sum += devices_.energy_j[device];
  }
  return sum;
}

}  // namespace drover::router
