#include "router/jobs/plausibility_bounds.h"

#include <algorithm>
#include <cmath>

#include "fleet/base/units.h"
#include "router/fleet_state/prices.h"
#include "router/jobs/accounting.h"

namespace drover::router {
namespace {

// An agent's clock follows the router's except for message delays; boards exceed their limit for
// moments.
constexpr double time_slack = 1.01;
// The highest power that a spec may give, for hosts whose devices are no longer known.
constexpr double device_w_max = 1e5;
constexpr double estimate_s_max = 365.0 * 86'400;
constexpr std::uint32_t requests_max = 1'000'000;  // of one replica

bool cut_figure(double& figure, double most) {
  if (figure <= most) return false;
  figure = most;
  return true;
}

template <typename Count>
bool cut_count(Count& count, std::uint64_t most) {
  if (count <= most) return false;
  count = static_cast<Count>(most);
  return true;
}

bool cut_time(double& seconds, double most_s) {
  if (std::isfinite(seconds) && seconds >= 0 && seconds <= most_s) return false;
  seconds = seconds > most_s ? most_s : 0;
  return true;
}

}  // namespace

Status check_plausible(const Register& registration) {
  if (!(registration.ambient_c >= ambient_min_c && registration.ambient_c <= ambient_max_c)) {
    return error("Register of {}: ambient_c: found {} C, expected {} to {} C", registration.host,
                 registration.ambient_c, ambient_min_c, ambient_max_c);
  }
  for (const Group& group : registration.groups) {
    if (group.power_cap_w >= 0 && group.power_cap_w <= device_w_max) continue;
    return error("Register of {}: group g{}: power_cap_w: found {} W, expected 0 to {} W",
                 registration.host, group.number, group.power_cap_w, device_w_max);
  }
  return {};
}

PlausibleUsage bounds_of(const FleetState& fleet_state, const Member& member, Duration elapsed) {
  double devices = static_cast<double>(member.devices.size());
  double watts = 0;
  if (const auto host = fleet_state.find_host(member.host)) {
    const HostEntry& entry = fleet_state.hosts()[*host];
    if (devices == 0) devices = static_cast<double>(entry.devices.size());
    for (const GroupIndex group : entry.groups) {
      watts = std::max(watts, fleet_state.groups()[group].spec->power.tdp_w);
    }
  } else {
    devices = std::max(devices, static_cast<double>(devices_per_host_max));
    watts = device_w_max;
  }
  const double elapsed_s = std::max(0.0, to_seconds(elapsed));
  const double device_s = devices * elapsed_s * time_slack;
  return {{device_s, device_s * watts * power_slack, device_s / 3600 * price_max_usd_per_h},
          elapsed_s};
}

bool clamp_to(Usage& usage, const PlausibleUsage& most) {
  bool less = cut_figure(usage.device_s, most.usage.device_s);
  less = cut_figure(usage.energy_j, most.usage.energy_j) || less;
  return cut_figure(usage.cost_usd, most.usage.cost_usd) || less;
}

bool clamp_to(Outcome& outcome, const PlausibleUsage& most, const Job& job) {
  const std::uint32_t steps = job.work.kind == WorkKind::train ? job.work.steps : 0;
  bool less = cut_time(outcome.run_s, most.elapsed_s);
  less = cut_time(outcome.first_token_s, most.elapsed_s) || less;
  const std::uint64_t items = requested_items(job);
  less = cut_count(outcome.input_tokens, items * job.work.input_tokens) || less;
  less = cut_count(outcome.output_tokens, items * job.work.output_tokens) || less;
  return cut_count(outcome.steps, steps) || less;
}

bool clamp_to(Replica& replica, double memory_bytes) {
  const auto most = static_cast<std::uint64_t>(memory_bytes);
  bool less = false;
  for (std::uint64_t* figure : {&replica.weights_bytes, &replica.kv_token_bytes,
                                &replica.kv_capacity_tokens, &replica.kv_used_tokens}) {
    less = cut_count(*figure, most) || less;
  }
  for (std::uint32_t* figure : {&replica.batch_max, &replica.queued, &replica.running}) {
    less = cut_count(*figure, requests_max) || less;
  }
  for (TenantShare& share : replica.tenants) {
    less = cut_count(share.kv_tokens, most) || less;
    less = cut_count(share.requests, requests_max) || less;
  }
  return less;
}

bool clamp_estimate(double& seconds) {
  const double said = seconds;
  seconds = std::clamp(seconds, 0.0, estimate_s_max);
  return seconds != said;
}

}  // namespace drover::router
