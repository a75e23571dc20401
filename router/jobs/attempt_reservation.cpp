#include "router/jobs/attempt_reservation.h"

#include <algorithm>
#include <utility>

namespace drover::router {
namespace {

/// KV-cache tokens that a job uses at once: a batch job runs as many items concurrently as fit
/// into the replica's batch.
std::uint64_t reserved_tokens(const Job& job, const Replica& replica) {
  const std::uint64_t each = std::uint64_t{job.work.input_tokens} + job.work.output_tokens;
  if (job.work.kind != WorkKind::batch) return each;
  return each * std::min(job.work.items, std::max(replica.batch_max, 1U));
}

/// Returns the group of the first member's devices.
GroupIndex reserve_gang(Instant now, const JobRecord& record, Instant busy_until, double watts_each,
                        FleetState& fleet_state) {
  for (const Member& member : record.lease.members) {
    const auto host = fleet_state.find_host(member.host);
    if (host && !member.used) {
      fleet_state.reserve_gang(now, record.job.id, *host, member.devices, busy_until, watts_each);
    }
  }
  const Member& first = record.lease.members.front();
  const auto host = fleet_state.find_host(first.host);
  if (!host || first.devices.empty()) return no_index;
  const std::vector<DeviceIndex>& devices = fleet_state.hosts()[*host].devices;
  const std::uint16_t number = first.devices.front();
  return number < devices.size() ? fleet_state.devices().group[devices[number]] : no_index;
}

}  // namespace

void make_reservation(Instant now, JobRecord& record, const Allocation& place,
                      FleetState& fleet_state, FairShare& tenants) {
  const auto host = fleet_state.find_host(record.lease.members.front().host);
  const Instant busy_until = saturating_add(now, from_seconds(place.wait_s + place.run_s));
  Reservation reserved;
  if (record.lease.replica) {
    if (!host) return;
    const auto replica = fleet_state.find_replica(*host, *record.lease.replica);
    if (!replica) return;
    reserved.replica = *replica;
    reserved.group = fleet_state.replicas()[*replica].group;
    reserved.tokens = reserved_tokens(record.job, fleet_state.replicas()[*replica].replica);
    fleet_state.note_prefix(*replica, record.job.work.prefix);
    // The part of the time to the first token that is not waiting is prefill.
    reserved.prompt = fleet_state.reserve_request(now, *replica, reserved.tokens, busy_until,
                                                  from_seconds(place.first_token_s - place.wait_s),
                                                  place.serving);
  } else {
    reserved.group = reserve_gang(now, record, busy_until, place.watts_each, fleet_state);
  }
  reserved.made = true;
  reserved.devices = place.run_s > 0 ? place.expected.device_s / place.run_s : 0;
  tenants.placed(record.job.tenant, reserved.devices, place.expected.device_s);
  record.reservation = reserved;
}

void release_reservation(JobRecord& record, FleetState& fleet_state, FairShare& tenants) {
  const Reservation reservation = std::exchange(record.reservation, Reservation{});
  if (!reservation.made) return;
  tenants.ended(record.job.tenant, reservation.devices);
  if (record.lease.replica) {
    fleet_state.release_request(reservation.replica, reservation.tokens, reservation.prompt);
  } else {
    for (const Member& member : record.lease.members) {
      if (const auto host = fleet_state.find_host(member.host)) {
        fleet_state.release_gang(record.job.id, *host, member.devices);
      }
    }
  }
}

}  // namespace drover::router
