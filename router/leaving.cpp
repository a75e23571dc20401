// Hosts that leave in order, and hosts that are let go for good: those that left some time ago, and
// those of which somebody says that they will not return.
#include <utility>

#include "fleet/base/text.h"
#include "router/state.h"

namespace drover::router {
namespace {

constexpr std::size_t why_max = 64;
constexpr std::size_t name_max = 100;

}  // namespace

void Core::leave(Instant now, Caller caller, const Leave& leave) {
  const auto host = roster.find_host(caller.entry.host);
  if (!host) return;
  const std::string why = printable(leave.why.substr(0, why_max));
  if (leave.held > 0 || leave.after > Duration{0}) {
    set_leaving(now, *host, true);
    if (leave.after > Duration{0}) {
      event(now, Severity::warning, roster.hosts()[*host].hello.host,
            fmt::format("{} in {:.0f} s: no new work for it", why, to_seconds(leave.after)));
    }
    return;
  }
  health.left(*host);
  lose_host(now, *host, Health::left, why.empty() ? "in order" : why, "left");
  const std::vector<ReplicaIndex> went = roster.hosts()[*host].replicas;
  for (const ReplicaIndex index : went) {
    Replica gone = roster.replicas()[index].replica;
    gone.state = ReplicaState::gone;
    gone.detail = "its host left";
    const GroupIndex group = roster.replicas()[index].group;
    ejections.forget(to_text(gone.id));
    keeper.reported(now, gone);
    roster.apply(now, *host, gone);
    publish_replica(now, gone, group);
  }
}

/// Its devices take no new work, so they are shown as those that somebody has drained.
void Core::set_leaving(Instant now, HostIndex host, bool leaving) {
  if (roster.hosts()[host].draining == leaving) return;
  roster.host(host).draining = leaving;
  for (const DeviceIndex device : roster.hosts()[host].devices) {
    publish_device(now, {host, roster.devices().number[device]});
  }
}

void Core::act(Instant now, Caller caller, const ForgetHost& asked) {
  ActionReply reply;
  const std::string name = excerpt(asked.host, name_max);
  const auto host = roster.find_host(asked.host);
  if (!host) {
    reply.problem = fmt::format("no host {}", name);
  } else if (const Health state = roster.hosts()[*host].health; !is_gone(state)) {
    reply.problem = fmt::format("{} is {}: only a host that is lost or has left is forgotten", name,
                                state == Health::ok ? "connected and well" : to_text(state));
  } else {
    reply.applied = true;
    reply.targets = {"host:" + name};
    reply.summary = fmt::format("{}: forgotten, with its {}; it may join again", name,
                                counted(roster.hosts()[*host].devices.size(), "device"));
    forget_host(now, *host, fmt::format("{} says that it will not return", who(caller)));
  }
  conclude(now, caller, "forget", "host:" + name, std::move(reply));
}

void Core::forget_host(Instant now, HostIndex host, const std::string& why) {
  const HostEntry& entry = roster.hosts()[host];
  const std::string name = entry.hello.host;
  DROVER_REQUIRE(is_gone(entry.health) && !entry.forgotten);
  settle_preemptions(now);  // none keeps its devices any more
  for (const DeviceIndex device : entry.devices) told_caps.erase(device);
  for (const ReplicaIndex index : entry.replicas) {
    Replica gone = roster.replicas()[index].replica;
    gone.state = ReplicaState::gone;
    keeper.reported(now, gone);
  }
  // Those that had gone before, too: a Hello ends no ejection.
  for (const auto& [number, index] : entry.replica_by_number) {
    ejections.forget(to_text(ReplicaId{name, number}));
  }
  accounting.forget_host(roster, host);
  for (const DeviceKey& device : conditions.forget(host)) conditions.drain(now, device, false);
  health.forget(host);
  keeper.host_lost(now, name);
  roster.forget_host(host);
  forget_dropped();
  assign_pools(policy, roster);
  mail.publish(now, HostForgotten{name});
  event(now, Severity::info, name, "forgotten: " + why);
  queue.wake_all();
}

void Core::forget_left(Instant now) {
  for (HostIndex host = 0; host < roster.hosts().size(); ++host) {
    const HostEntry& entry = roster.hosts()[host];
    if (entry.health != Health::left || entry.forgotten) continue;
    if (now - entry.health_since < settings.forget_left_after) continue;
    forget_host(now, host, "it left some time ago");
  }
}

}  // namespace drover::router
