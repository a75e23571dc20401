#include "router/actions/injection.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "fleet/base/random_stream.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/xid.h"
#include "router/actions/drain_table.h"
#include "router/actions/power_caps.h"

namespace drover::router {
namespace {

/// A host, or one device of it; if the fault affects whole groups, one device stands for its
/// group.
struct FaultDevice {
  HostIndex host = no_index;
  std::uint16_t device = 0;
};

bool of_hosts(FaultKind kind, TargetKind target) {
  if (kind == FaultKind::inlet || kind == FaultKind::fan || kind == FaultKind::reclaim) return true;
  return kind == FaultKind::lose && (target == TargetKind::host || target == TargetKind::rack);
}

Status check_fault(const Fault& fault) {
  // Only faults that survive formatting and parsing are valid requests.
  DROVER_TRY(parse_fault(to_text(fault)));
  if (fault.duration <= Duration{0} || fault.duration > action_duration_max) {
    return error("found a duration of {} s, expected more than 0 s and at most a week",
                 to_seconds(fault.duration));
  }
  return {};
}

Status check_fault(const InjectFault& inject, const Target& target) {
  DROVER_TRY(check_fault(inject.fault));
  if (inject.fault.kind == FaultKind::lose && target.kind == TargetKind::site) {
    return error("the whole site cannot be lost, expected a device, host, rack or pool");
  }
  const bool air = inject.fault.kind == FaultKind::inlet || inject.fault.kind == FaultKind::fan;
  if (air && target.kind == TargetKind::device) {
    return error("{} shares its host's airflow: inject into host:{}", to_text(target), target.name);
  }
  if (inject.fault.kind == FaultKind::reclaim && target.kind == TargetKind::device) {
    return error("{}: one device cannot be reclaimed; inject into host:{}", to_text(target),
                 target.name);
  }
  return {};
}

/// Checks a target that names one host.
Status check_host(const Target& target, const FleetState& fleet_state) {
  if (target.kind != TargetKind::device && target.kind != TargetKind::host) return {};
  const HostEntry& host = fleet_state.hosts()[*fleet_state.find_host(target.name)];
  if (is_gone(host.health)) {
    return error("{} {}: it cannot be reached", target.name,
                 host.health == Health::left ? "has left" : "is lost");
  }
  if (host.health == Health::suspect) {
    return error("{} does not respond and may not receive the fault", target.name);
  }
  if (target.kind == TargetKind::device && target.device >= host.devices.size()) {
    return error("no device {}: {} has devices 0 to {}", to_text(target), target.name,
                 host.devices.size() - 1);
  }
  return {};
}

/// As in agents: a link fault affects its whole group, and a TPU slice is lost as a whole.
bool of_groups(FaultKind kind, const GroupEntry& group) {
  return kind == FaultKind::slow_link ||
         (kind == FaultKind::lose && group.spec->device_class == DeviceClass::tpu);
}

/// These devices of one host; `refused` gets the reason of the first that cannot have the fault.
void find_devices(const InjectFault& inject, const std::vector<std::uint16_t>& covered,
                  const FleetState& fleet_state, HostIndex host,
                  std::vector<FaultDevice>& candidates, std::string& refused) {
  const HostEntry& entry = fleet_state.hosts()[host];
  const GroupEntry* taken = nullptr;  // the last group that is taken as a whole
  for (const std::uint16_t number : covered) {
    const GroupEntry& group = fleet_state.group_of_device(entry.devices[number]);
    if (&group == taken) continue;
    if (inject.fault.kind == FaultKind::xid && group.spec->device_class == DeviceClass::tpu) {
      if (refused.empty()) {
        refused = fmt::format("only NVIDIA GPUs have Xids: {}/{} is a {}", entry.registration.host,
                              number, group.spec->id);
      }
      continue;
    }
    candidates.push_back({host, number});
    if (of_groups(inject.fault.kind, group)) taken = &group;
  }
}

/// Hosts that are spot by the policy's prices, and hosts labelled so.
bool is_spot_host(const FleetState& fleet_state, const Policy& policy, const HostEntry& host) {
  if (host.term != PurchaseOption::unspecified) return host.term == PurchaseOption::spot;
  return std::ranges::any_of(host.groups, [&](GroupIndex group) {
    const auto& pools = fleet_state.groups()[group].pools;
    return std::ranges::any_of(
        pools, [&](std::uint32_t pool) { return is_spot(policy.pools[pool].prices, host.term); });
  });
}

Result<std::vector<FaultDevice>> find_candidates(const InjectFault& inject, const Target& target,
                                                 const FleetState& fleet_state,
                                                 const Policy& policy) {
  const bool hosts_only = of_hosts(inject.fault.kind, target.kind);
  std::vector<FaultDevice> candidates;
  std::string refused;
  for (const HostIndex index : hosts_by_name(fleet_state)) {
    const HostEntry& host = fleet_state.hosts()[index];
    if (host.health != Health::ok) continue;
    const auto covered = covered_devices(target, fleet_state, policy, index);
    if (covered.empty()) continue;
    if (fleet_state.is_real(host)) {
      if (refused.empty()) {
        refused = fmt::format("only emulated devices can have faults: those of {} are real",
                              host.registration.host);
      }
    } else if (inject.fault.kind == FaultKind::reclaim &&
               !is_spot_host(fleet_state, policy, host)) {
      if (refused.empty()) {
        refused = fmt::format("only spot hosts are reclaimed: {} has no label price=spot",
                              host.registration.host);
      }
    } else if (hosts_only) {
      candidates.push_back({index, 0});
    } else {
      find_devices(inject, covered, fleet_state, index, candidates, refused);
    }
  }
  if (!candidates.empty()) return candidates;
  if (!refused.empty()) return error("{}", refused);
  return error("{} has no reachable {}", to_text(target), hosts_only ? "host" : "device");
}

/// Draws `any` of them and keeps their order. REQUIRES that there are as many.
void draw(std::vector<FaultDevice>& candidates, const InjectFault& inject) {
  RandomStream random = RandomStream(inject.seed).child("inject");
  std::vector<std::size_t> places(candidates.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  for (std::size_t drawn = 0; drawn < inject.any; ++drawn) {
    std::swap(places[drawn], places[drawn + random.below(places.size() - drawn)]);
  }
  places.resize(inject.any);
  std::ranges::sort(places);
  for (std::size_t drawn = 0; drawn < inject.any; ++drawn)
    candidates[drawn] = candidates[places[drawn]];
  candidates.resize(inject.any);
}

/// Adds the device and all devices that fail with it.
void add_devices(const FleetState& fleet_state, FaultKind kind, FaultDevice candidate,
                 std::vector<std::uint16_t>& devices) {
  const DeviceIndex device = fleet_state.hosts()[candidate.host].devices[candidate.device];
  const GroupEntry& group = fleet_state.group_of_device(device);
  if (!of_groups(kind, group)) return devices.push_back(candidate.device);
  for (std::uint16_t offset = 0; offset < group.group.count; ++offset) {
    devices.push_back(static_cast<std::uint16_t>(group.group.first + offset));
  }
}

}  // namespace

std::vector<HostIndex> hosts_by_name(const FleetState& fleet_state) {
  std::vector<HostIndex> hosts;
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) {
    if (!fleet_state.hosts()[host].forgotten) hosts.push_back(host);
  }
  std::ranges::sort(hosts, [&](HostIndex a, HostIndex b) {
    return fleet_state.host_name(a) < fleet_state.host_name(b);
  });
  return hosts;
}

bool can_be_in_force(const Fault& fault) {
  return !clears_immediately(fault) && check_fault(fault).ok();
}

Status check_known(const Target& target, const FleetState& fleet_state, const Policy& policy) {
  if (target.kind == TargetKind::site) return {};
  std::set<std::string> names;
  std::string_view kind = "host";
  if (target.kind == TargetKind::pool) {
    kind = "pool";
    for (const Pool& pool : policy.pools) names.insert(pool.name);
  } else {
    if (target.kind == TargetKind::rack) kind = "rack";
    for (const HostEntry& host : fleet_state.hosts()) {
      if (host.forgotten) continue;
      names.insert(target.kind == TargetKind::rack ? host.registration.rack
                                                   : host.registration.host);
    }
    names.erase("");
  }
  if (names.contains(target.name)) return {};
  if (names.empty()) return error("no {} \"{}\": there are none", kind, printable(target.name));
  return error("no {} \"{}\"{}", kind, printable(target.name),
               suggestion(target.name, {names.begin(), names.end()}));
}

Result<std::vector<FaultTarget>> plan_injection(const InjectFault& inject,
                                                const FleetState& fleet_state,
                                                const Policy& policy) {
  DROVER_ASSIGN(const auto target, parse_target(inject.target));
  DROVER_TRY(check_fault(inject, target));
  DROVER_TRY(check_known(target, fleet_state, policy));
  DROVER_TRY(check_host(target, fleet_state));
  DROVER_ASSIGN(auto candidates, find_candidates(inject, target, fleet_state, policy));
  const bool whole = of_hosts(inject.fault.kind, target.kind);
  if (inject.any > candidates.size()) {
    return error("any {}: only {} {} of {} can be reached", inject.any, candidates.size(),
                 whole ? "hosts" : "devices or groups", to_text(target));
  }
  if (inject.any > 0) draw(candidates, inject);
  std::vector<FaultTarget> reached;
  for (const FaultDevice& candidate : candidates) {
    if (reached.empty() || reached.back().host != candidate.host) {
      reached.push_back({candidate.host, whole, {}});
    }
    if (!whole) add_devices(fleet_state, inject.fault.kind, candidate, reached.back().devices);
  }
  return reached;
}

std::string action_text(const InjectFault& inject) {
  std::string text = fmt::format("inject {} for {}", to_text(inject.fault),
                                 duration_text(to_seconds(inject.fault.duration)));
  if (inject.any > 0) text += fmt::format(", any {} with seed {}", inject.any, inject.seed);
  return text;
}

}  // namespace drover::router
