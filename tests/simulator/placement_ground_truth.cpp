#include "tests/simulator/placement_ground_truth.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

namespace drover::simulator {
namespace {

/// Until a change on a host is believed by the router, and looked at: samples and beats come once a
/// second, and a host that was silent is believed again a little later.
constexpr Duration believed_within = std::chrono::seconds(16);
/// Devices are kept for the job that others make room for, as long as twice the time after which a
/// silent host is lost.
constexpr Duration kept_for = std::chrono::seconds(24);

}  // namespace

bool has_guards(const router::Policy& policy) {
  for (const router::Rule& rule : policy.rules) {
    for (const router::Fallback& fallback : rule.fallbacks) {
      const router::Guard& guard = fallback.guard;
      if (guard.finish_ratio_max || guard.extra_cost_max || guard.extra_energy_max) return true;
    }
  }
  return false;
}

std::optional<PlacementGroundTruth::Group> PlacementGroundTruth::group_of(
    const std::string& host, std::size_t number) const {
  const auto settings = std::find_if(hosts_.begin(), hosts_.end(),
                                     [&](const auto& each) { return each.host == host; });
  if (settings == hosts_.end() || number >= settings->groups.size()) return std::nullopt;
  Group group;
  for (std::size_t before = 0; before < number; ++before) {
    group.first = static_cast<std::uint16_t>(group.first + settings->groups[before].count);
  }
  group.count = settings->groups[number].count;
  group.spec = &(*catalogue_.device(settings->groups[number].device))->spec;
  return group;
}

bool PlacementGroundTruth::has_room(const std::vector<agents::DeviceTruth>& devices,
                                    const Group& group, const std::string& host, int count,
                                    bool idle_replicas) const {
  const auto& seen = world_.seen();
  const auto open = [&](std::size_t at) {
    const agents::DeviceTruth& device = devices[at];
    if (!device.usable || device.off_bus || device.gang) return false;
    if (seen.drained.contains({host, static_cast<std::uint16_t>(at)})) return false;
    if (!device.replica) return true;
    if (!idle_replicas || device.running > 0) return false;
    const auto found = seen.replicas.find(to_text(ReplicaId{host, *device.replica}));
    return found != seen.replicas.end() && found->second.started_by_router &&
           found->second.state == ReplicaState::ready;
  };
  int free = 0;
  for (std::size_t at = group.first; at < std::size_t{group.first} + group.count; ++at) {
    if (open(at)) ++free;
  }
  // Slices have shapes: of TPUs only a whole group is surely a place.
  const bool shaped = group.spec->device_class == DeviceClass::tpu;
  return shaped ? free == group.count && count <= free : free >= count;
}

void PlacementGroundTruth::judge_group(const JobChanged& job, const CandidateStatus& standing,
                                       bool wanted,
                                       std::map<std::string, TransientViolation>& wrong) const {
  const std::size_t slash = standing.target.find("/g");
  if (slash == std::string::npos || standing.target.find(' ') != std::string::npos) return;
  const std::string host = standing.target.substr(0, slash);
  const auto group = group_of(host, std::strtoul(standing.target.c_str() + slash + 2, nullptr, 10));
  const auto devices = devices_.find(host);
  if (!group) return;
  const auto is_wrong = [&](std::string_view what, Duration may) {
    wrong[fmt::format("W: {} on {}: {}", to_text(job.job.id), standing.target, what)] = {may, ""};
  };
  if (devices == devices_.end() || !world_.is_connected(host)) return;
  if (standing.reasons.size() != 1) return;
  const Workload& work = job.job.work;
  switch (standing.reasons.front()) {
    case Reason::capacity:
      if (work.kind != WorkKind::train) return;
      if (has_room(devices->second, *group, host, work.devices, false)) {
        is_wrong("said to have no room, and has devices with nothing on them",
                 kept_for + believed_within);
      } else if (wanted && has_room(devices->second, *group, host, work.devices, true)) {
        // Beside the pool that it wants a guard may forbid what costs too much.
        is_wrong("said to have no room, and nothing but idle replicas of the router's is there",
                 policy_.replicas.yield_after + policy_.replicas.start_after + 2 * kept_for +
                     believed_within);
      }
      return;
    case Reason::unhealthy: {
      // Some device may be unusable and the gang want all of them.
      const bool all_usable = std::all_of(
          devices->second.begin() + group->first,
          devices->second.begin() + group->first + group->count,
          [](const agents::DeviceTruth& device) { return device.usable && !device.off_bus; });
      if (all_usable) {
        is_wrong("said to be unhealthy, and all its devices can be used", believed_within);
      }
      return;
    }
    default:
      return;
  }
}

void PlacementGroundTruth::judge(const WhyReply& why,
                                 std::map<std::string, TransientViolation>& wrong) const {
  for (const CandidateStatus& standing : why.candidates) {
    const bool wanted = !why.decisions.empty() &&
                        (standing.pool == why.decisions.back().preferred_pool || !has_guards_);
    judge_group(*why.job, standing, wanted, wrong);
  }
}

}  // namespace drover::simulator
