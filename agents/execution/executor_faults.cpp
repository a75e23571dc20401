// Effects of faults and temperature on the devices of a host, and on their work.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agents/execution/executor.h"
#include "fleet/base/overloaded.h"

namespace drover::agents {
namespace {

/// A kernel that waits forever: it is active but moves and computes nothing.
devices::Step spinning() { return {}; }

}  // namespace

double Executor::link_share(const std::vector<std::uint16_t>& devices) const {
  double share = 1;
  for (const std::uint16_t device : devices) {
    share = std::min(share, fault_effects_[device].link_share);
  }
  return share;
}

bool Executor::any_hung(const std::vector<std::uint16_t>& devices) const {
  return std::any_of(devices.begin(), devices.end(),
                     [&](std::uint16_t device) { return fault_effects_[device].hung; });
}

/// While one device of a set hangs, the others spin in the collective that it does not enter, if
/// anything runs; the hung device looks busy in any case.
devices::Activity Executor::hung_activity(const devices::Activity& healthy,
                                          std::uint16_t device) const {
  devices::Activity activity = healthy;
  const bool busy = fault_effects_[device].hung || healthy.step.duty_cycle > 0;
  activity.step = busy ? spinning() : devices::idle_activity().step;
  return activity;
}

/// Sets the activity of a free device.
void Executor::set_free_activity(Instant now, std::uint16_t device) {
  devices::Activity activity = devices::idle_activity();
  if (fault_effects_[device].hung) {
    activity.step = spinning();
    activity.context_open = true;
  }
  chassis_.set_activity(now, device, activity);
}

DeviceReport Executor::report(std::uint16_t device) const {
  const FaultEffect& condition = fault_effects_[device];
  if (!condition.unusable.empty()) return {device, false, condition.xid, condition.unusable};
  if (chassis_.shut_down(device)) return {device, false, 0, "thermal shutdown"};
  return {device, true, 0, ""};
}

void Executor::set_fault_effects(Instant now, const std::vector<FaultEffect>& conditions) {
  DROVER_REQUIRE(conditions.size() == fault_effects_.size());
  std::vector<std::size_t> changed;
  std::vector<std::uint16_t> clocks, failed;
  for (std::size_t at = 0; at < conditions.size(); ++at) {
    const auto device = static_cast<std::uint16_t>(at);
    const FaultEffect& after = conditions[at];
    const FaultEffect before = std::exchange(fault_effects_[at], after);
    if (after == before) continue;
    changed.push_back(at);
    if (after.clock_limit != before.clock_limit) clocks.push_back(device);
    const bool already_reported = after.since == before.since && after.unusable == before.unusable;
    if (already_reported) continue;
    changes_.emplace_back(report(device));
    if (!after.unusable.empty()) failed.push_back(device);
  }
  for (const std::uint16_t device : failed) {
    const std::string detail =
        fmt::format("device {}/{}: {}", host_, device, fault_effects_[device].unusable);
    fail_work(now, device, Reason::unhealthy, detail);
  }
  for (const std::uint16_t device : clocks) {
    chassis_.set_clock_limit(now, device, fault_effects_[device].clock_limit);
  }
  repace(now, changed);
  for (const std::size_t device : changed) {
    const auto index = static_cast<std::uint16_t>(device);
    if (free(index)) set_free_activity(now, index);
  }
}

void Executor::fail_work(Instant now, std::uint16_t device, Reason reason,
                         const std::string& detail) {
  const Owner owner = owners_[device];
  std::visit(
      Overloaded{[](Free) {},
                 [&](ByGang gang) { stop_gang(now, gangs_.find(gang.number), reason, detail); },
                 [&](ByReplica replica) {
                   ReplicaEngine& engine = *replicas_.at(replica.number);
                   const ReplicaState before = engine.state();
                   engine.stop_all(energy_reading(now, engine.place().devices), reason, detail);
                   if (engine.state() != ReplicaState::gone) engine.remove_now(detail);
                   settle(now, engine, before);
                 }},
      owner);
}

/// Work fails on a device that is in thermal shutdown.
void Executor::shut_down(Instant now, std::uint16_t device) {
  if (!shut_down_reported_[device]) changes_.emplace_back(report(device));
  shut_down_reported_[device] = true;
  fail_work(now, device, Reason::thermal,
            fmt::format("device {}/{}: thermal shutdown", host_, device));
}

void Executor::drop_all(Instant now) {
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    fail_work(now, static_cast<std::uint16_t>(device), Reason::unhealthy, "");
  }
  held_.clear();
  changes_.clear();
}

std::optional<std::uint32_t> Executor::replica_on(std::uint16_t device) const {
  const auto* by_replica = std::get_if<ByReplica>(&owners_[device]);
  if (by_replica == nullptr) return std::nullopt;
  return by_replica->number;
}

std::optional<JobId> Executor::gang_on(std::uint16_t device) const {
  const auto* by_gang = std::get_if<ByGang>(&owners_[device]);
  if (by_gang == nullptr) return std::nullopt;
  return gangs_.at(by_gang->number).key().job;
}

std::optional<DeviceWork> Executor::work_on(std::uint16_t device) const {
  if (const auto* by_gang = std::get_if<ByGang>(&owners_[device])) {
    return DeviceWork{true, by_gang->number, gangs_.at(by_gang->number).model()};
  }
  if (const auto* by_replica = std::get_if<ByReplica>(&owners_[device])) {
    return DeviceWork{false, by_replica->number, replicas_.at(by_replica->number)->model()};
  }
  return std::nullopt;
}

}  // namespace drover::agents
