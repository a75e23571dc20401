#include "router/attempts/reserved_devices.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "router/fleet_state/what_if_fleet.h"

namespace drover::router {

const Preemption& ReservedDevices::begin(Preemption preemption) {
  const Preemption& reservation = preemptions.begin(std::move(preemption));
  set_reserved(reservation, true);
  return reservation;
}

PlacementResult ReservedDevices::decide(Instant now, const JobRecord& record,
                                        const PlacementRequest& request, RandomStream& with) {
  WhatIfFleet own(fleet_state);
  if (const Preemption* kept = preemptions.of(record.job.id)) {
    for (const DeviceIndex device : kept->devices) own.clear(device, condition_reserved);
  }
  return router::decide(fleet_state, policy, estimator, request, now, with);
}

void ReservedDevices::set_reserved(const Preemption& preemption, bool reserved) {
  for (const DeviceIndex device : preemption.devices) fleet_state.set_reserved(device, reserved);
}

void ReservedDevices::end(Instant now, const JobId& job, std::string_view why) {
  const auto ended = preemptions.end(job);
  if (!ended) return;
  set_reserved(*ended, false);
  // A device may be in two reservations if the first one's host returned in between.
  for (const auto& [other, reservation] : preemptions.all()) set_reserved(reservation, true);
  for (const auto& [leaving, mark] : ended->leaving) {
    JobRecord* record = jobs.find(leaving);
    const bool stays = record != nullptr && record->holds_attempt() &&
                       record->attempt == mark.attempt && record->cancelled.empty();
    if (!stays) continue;
    record->detail.clear();
    publisher.publish_job(now, *record);
  }
  if (!why.empty()) {
    publisher.event(now, Severity::info, to_short_text(job),
                    "its devices are no longer reserved: {}", why);
  }
  queue.wake_all();
}

void ReservedDevices::expire(Instant now) {
  std::vector<std::pair<JobId, std::string_view>> over;
  for (const auto& [job, preemption] : preemptions.all()) {
    const bool lost = std::ranges::any_of(preemption.hosts, [&](HostIndex host) {
      return is_gone(fleet_state.hosts()[host].health);
    });
    if (lost) {
      over.emplace_back(job, "the host is lost");
    } else if (preemption.until <= now) {
      over.emplace_back(job, "the reservation has expired");
    }
  }
  for (const auto& [job, why] : over) end(now, job, why);
}

}  // namespace drover::router
