// Hosts that leave cleanly, and hosts that are forgotten: some time after they left, or when an
// operator reports that they will not return.
#include <utility>

#include "fleet/base/text.h"
#include "router/router_core.h"

namespace drover::router {
namespace {

constexpr std::size_t why_max = 64;
constexpr std::size_t name_max = 100;

}  // namespace

void RouterCore::handle(Instant now, Caller caller, const Leave& leave) {
  const auto host = fleet_state.find_host(caller.entry.host);
  if (!host) return;
  const std::string why = printable(leave.why.substr(0, why_max));
  if (leave.held > 0 || leave.after > Duration{0}) {
    set_leaving(now, *host, true);
    if (leave.after > Duration{0}) {
      publisher.event(
          now, Severity::warning, fleet_state.hosts()[*host].registration.host,
          fmt::format("{} in {:.0f} s: no new work for it", why, to_seconds(leave.after)));
    }
    return;
  }
  failure_detector.mark_left(*host);
  lose_host(now, *host, Health::left, why.empty() ? "shut down cleanly" : why, "left");
  const std::vector<ReplicaIndex> went = fleet_state.hosts()[*host].replicas;
  for (const ReplicaIndex index : went) {
    Replica gone = fleet_state.replicas()[index].replica;
    gone.state = ReplicaState::gone;
    gone.detail = "its host left";
    const GroupIndex group = fleet_state.replicas()[index].group;
    outlier_detector.forget(to_text(gone.id));
    replica_controller.reported(now, gone);
    fleet_state.apply(now, *host, gone);
    publisher.publish_replica(now, gone, group);
  }
}

/// Its devices take no new work, so they are published as drained.
void RouterCore::set_leaving(Instant now, HostIndex host, bool leaving) {
  if (fleet_state.hosts()[host].draining == leaving) return;
  fleet_state.host(host).draining = leaving;
  for (const DeviceIndex device : fleet_state.hosts()[host].devices) {
    publisher.publish_device(now, {host, fleet_state.devices().number[device]});
  }
}

void RouterCore::handle(Instant now, Caller caller, const ForgetHost& asked) {
  ActionReply reply;
  const std::string name = excerpt(asked.host, name_max);
  const auto host = fleet_state.find_host(asked.host);
  if (!host) {
    reply.problem = fmt::format("no host {}", name);
  } else if (const Health state = fleet_state.hosts()[*host].health; !is_gone(state)) {
    reply.problem =
        fmt::format("{} is {}: only a host that is lost or has left can be forgotten", name,
                    state == Health::ok ? "connected and healthy" : to_text(state));
  } else {
    reply.applied = true;
    reply.targets = {"host:" + name};
    reply.summary = fmt::format("{}: forgotten, with its {}; it may join again", name,
                                counted(fleet_state.hosts()[*host].devices.size(), "device"));
    forget_host(now, *host, fmt::format("removed by {}", client_name(caller)));
  }
  publisher.reply_to_action(now, caller, "forget", "host:" + name, std::move(reply));
}

void RouterCore::forget_host(Instant now, HostIndex host, const std::string& why) {
  const HostEntry& entry = fleet_state.hosts()[host];
  const std::string name = entry.registration.host;
  DROVER_REQUIRE(is_gone(entry.health) && !entry.forgotten);
  expire_preemptions(now);  // releases devices reserved there
  for (const DeviceIndex device : entry.devices) sent_caps.erase(device);
  for (const ReplicaIndex index : entry.replicas) {
    Replica gone = fleet_state.replicas()[index].replica;
    gone.state = ReplicaState::gone;
    replica_controller.reported(now, gone);
  }
  // Also those that were gone before: a Register ends no ejection.
  for (const auto& [number, index] : entry.replica_by_number) {
    outlier_detector.forget(to_text(ReplicaId{name, number}));
  }
  accounting.forget_host(fleet_state, host);
  for (const DeviceKey& device : conditions.forget(host)) conditions.drain(now, device, false);
  failure_detector.forget(host);
  replica_controller.host_lost(now, name);
  fleet_state.forget_host(host);
  forget_dropped();
  assign_pools(policy, fleet_state);
  outbox.publish(now, HostForgotten{name});
  publisher.event(now, Severity::info, name, "forgotten: " + why);
  queue.wake_all();
}

void RouterCore::forget_left(Instant now) {
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) {
    const HostEntry& entry = fleet_state.hosts()[host];
    if (entry.health != Health::left || entry.forgotten) continue;
    if (now - entry.health_since < settings.forget_left_after) continue;
    forget_host(now, host, "it left and has not returned");
  }
}

}  // namespace drover::router
