// Everything a late subscriber needs.
#include <utility>

#include "fleet/codec/codec.h"
#include "router/publishing/snapshot.h"
#include "router/queries.h"

namespace drover::router {
namespace {

// Snapshots that a dashboard may request per heartbeat after it lost the stream.
constexpr int snapshots_per_heartbeat = 5;

}  // namespace

void Queries::handle(Instant now, const Caller& caller, const SnapshotRequest&) {
  const bool before = caller.entry.snapshot_sent != Instant{};
  if (before &&
      now - caller.entry.snapshot_sent < settings.heartbeat_every / snapshots_per_heartbeat) {
    outbox.send(now, caller.peer,
                RequestError{"a snapshot was just sent on this connection; retry later", true});
    return;
  }
  caller.entry.snapshot_sent = now;
  for (SnapshotPart& part :
       pack_parts(++snapshots_, outbox.last_published(), snapshot_messages(now))) {
    outbox.send(now, caller.peer, std::move(part));
  }
}

std::vector<std::string> Queries::snapshot_messages(Instant now) const {
  std::vector<std::string> messages;
  const auto add = [&](Message body) {
    messages.push_back(encode(Envelope{"router", outbox.last_published(), now, std::move(body)}));
  };
  add(policy_control.policy_changed());
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) {
    if (fleet_state.hosts()[host].forgotten) continue;
    add(publisher.host_changed(host));
    for (const Envelope& batch : rebuilt_samples(fleet_state, host))
      messages.push_back(encode(batch));
  }
  for (const ReplicaEntry& entry : fleet_state.replicas()) {
    if (entry.replica.state == ReplicaState::gone) continue;
    add(ReplicaChanged{entry.replica, pool_of(fleet_state, policy, entry.group)});
  }
  for (const JobRecord* record : jobs_to_show(jobs)) add(publisher.job_changed(*record));
  for (const Decision* decision : decisions.last(snapshot_decisions_max)) add(*decision);
  for (const auto& [at, event] : publisher.events()) {
    messages.push_back(encode(Envelope{"router", outbox.last_published(), at, event}));
  }
  for (const auto& [device, condition] : conditions.all()) add(publisher.device_changed(device));
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) {
    if (!fleet_state.hosts()[host].draining) continue;
    for (const DeviceIndex device : fleet_state.hosts()[host].devices) {
      const DeviceKey key{host, fleet_state.devices().number[device]};
      if (!conditions.all().contains(key)) add(publisher.device_changed(key));
    }
  }
  for (Alert& alert : alerts.raised()) add(std::move(alert));
  if (!actions.caption().text.empty()) add(actions.caption());
  add(totals.summary_for_snapshot(now));
  return messages;
}

}  // namespace drover::router
