// Hosts that fall silent, leave cleanly, or are forgotten: some time after they left, or when an
// operator reports that they will not return.
#include <utility>

#include "fleet/base/text.h"
#include "router/hosts/hosts.h"

namespace drover::router {
namespace {

constexpr std::size_t why_max = 64;
constexpr std::size_t name_max = 100;

}  // namespace

bool Hosts::sweep(Instant now) {
  const Sweep found = failure_detector_.sweep(now);
  if (found.stalled) return false;
  for (const HostIndex host : found.suspect) {
    set_health(now, host, Health::suspect,
               fmt::format("no heartbeat for {} s", to_seconds(settings.suspect_after)));
  }
  if (found.hold_began) {
    publisher.event(
        now, Severity::critical, "router",
        fmt::format("{} hosts went silent at once: likely the network; their work is not "
                    "requeued for up to {} s",
                    found.held, to_seconds(settings.lost_after)));
  }
  for (const HostIndex host : found.lost) {
    outliers.record_host_failure(now, fleet_state.hosts()[host].registration.host);
    lose_host(now, host, Health::lost,
              fmt::format("no heartbeat for {} s", to_seconds(settings.lost_after)), "was lost");
  }
  return true;
}

void Hosts::set_health(Instant now, HostIndex host, Health state, const std::string& why) {
  const Severity severity = state == Health::lost      ? Severity::critical
                            : state == Health::suspect ? Severity::warning
                                                       : Severity::info;
  // Only a suspect host becomes healthy by a message.
  if (state == Health::ok) fleet_state.set_returned(now, host);
  fleet_state.set_health(now, host, state);
  publisher.publish_host(now, host);
  publisher.event(now, severity, fleet_state.hosts()[host].registration.host,
                  fmt::format("{}: {}", to_text(state), why));
  queue.wake_all();
}

void Hosts::lose_host(Instant now, HostIndex host, Health state, const std::string& why,
                      const std::string& what) {
  const std::string name = fleet_state.hosts()[host].registration.host;
  accounting.accrue_cost(now);
  set_health(now, host, state, why);
  accounting.set_cost_rate(fleet_state, policy);
  replica_controller.host_lost(now, name);
  availability.set_leaving(now, host, false);
  // It may only be disconnected, and return unchanged.
  availability.forget_conditions(now, host, state == Health::lost);
  attempts.lose_host(now, fleet_state.hosts()[host].registration, what,
                     failure_detector_.last_contact(host));
  connections.silence(name);
}

void Hosts::handle(Instant now, const Caller& caller, const Leave& leave) {
  const auto host = fleet_state.find_host(caller.entry.host);
  if (!host) return;
  const std::string why = printable(leave.why.substr(0, why_max));
  if (leave.held > 0 || leave.after > Duration{0}) {
    availability.set_leaving(now, *host, true);
    if (leave.after > Duration{0}) {
      publisher.event(
          now, Severity::warning, fleet_state.hosts()[*host].registration.host,
          fmt::format("{} in {:.0f} s: no new work for it", why, to_seconds(leave.after)));
    }
    return;
  }
  failure_detector_.mark_left(*host);
  lose_host(now, *host, Health::left, why.empty() ? "shut down cleanly" : why, "left");
  const std::vector<ReplicaIndex> went = fleet_state.hosts()[*host].replicas;
  for (const ReplicaIndex index : went) {
    Replica gone = fleet_state.replicas()[index].replica;
    gone.state = ReplicaState::gone;
    gone.detail = "its host left";
    const GroupIndex group = fleet_state.replicas()[index].group;
    outliers.forget(to_text(gone.id));
    replica_controller.reported(now, gone);
    fleet_state.apply(now, *host, gone);
    publisher.publish_replica(now, gone, group);
  }
}

void Hosts::handle(Instant now, const Caller& caller, const ForgetHost& asked) {
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

void Hosts::forget_host(Instant now, HostIndex host, const std::string& why) {
  const HostEntry& entry = fleet_state.hosts()[host];
  const std::string name = entry.registration.host;
  DROVER_REQUIRE(is_gone(entry.health) && !entry.forgotten);
  reserved.expire(now);  // releases devices reserved there
  for (const DeviceIndex device : entry.devices) sent_caps.erase(device);
  for (const ReplicaIndex index : entry.replicas) {
    Replica gone = fleet_state.replicas()[index].replica;
    gone.state = ReplicaState::gone;
    replica_controller.reported(now, gone);
  }
  // Also those that were gone before: a Register ends no ejection.
  for (const auto& [number, index] : entry.replica_by_number) {
    outliers.forget(to_text(ReplicaId{name, number}));
  }
  accounting.forget_host(fleet_state, host);
  availability.forget_host(now, host);
  failure_detector_.forget(host);
  replica_controller.host_lost(now, name);
  fleet_state.forget_host(host);
  forget_dropped();
  assign_pools(policy, fleet_state);
  outbox.publish(now, HostForgotten{name});
  publisher.event(now, Severity::info, name, "forgotten: " + why);
  queue.wake_all();
}

void Hosts::forget_dropped() {
  outliers.forget_dropped_places();
  for (const std::string& host : fleet_state.take_replaced_hosts()) {
    accounting.forget_counters(host);
    host_counts.forget(host);
    connections.forget_incarnations(host);
  }
}

void Hosts::forget_left(Instant now) {
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) {
    const HostEntry& entry = fleet_state.hosts()[host];
    if (entry.health != Health::left || entry.forgotten) continue;
    if (now - entry.health_since < settings.forget_left_after) continue;
    forget_host(now, host, "it left and has not returned");
  }
}

}  // namespace drover::router
