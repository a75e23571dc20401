#include "router/publishing/publisher.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "router/jobs/accounting.h"
#include "router/ledger/ledger.h"
#include "router/publishing/snapshot.h"

namespace drover::router {
namespace {

// Targets listed in a reply: about one screen. The reply to a fault in a whole site would not fit
// into a message.
constexpr std::size_t targets_listed_max = 1'000;
// Length limit of audited targets, which are published and quoted in other texts.
constexpr std::size_t target_max = 100;
// Of the events that are kept.
constexpr std::ptrdiff_t bookmarks_kept_max = 20;

}  // namespace

void Publisher::event(Instant now, Event event) {
  if (event.bookmark) drop_old_bookmark();
  events_.emplace_back(now, std::move(event));
  outbox.publish(now, events_.back().second);
  if (events_.size() > snapshot_events_max) events_.pop_front();
}

/// Bookmarks must not push out what happened to the fleet.
void Publisher::drop_old_bookmark() {
  const auto is_bookmark = [](const auto& kept) { return kept.second.bookmark.has_value(); };
  if (std::ranges::count_if(events_, is_bookmark) < bookmarks_kept_max) return;
  events_.erase(std::ranges::find_if(events_, is_bookmark));
}

void Publisher::publish_job(Instant now, JobRecord& record) {
  // The record of an ended job may soon be dropped; the next attempt hides how the last one ended.
  const bool returned = record.state == JobState::queued && record.attempt > 0;
  if (is_terminal(record.state) || returned) {
    return publish_now(now, record);
  }
  changed_at_ = now;
  if (!std::exchange(record.unpublished, true)) changed_jobs_.push_back(record.job.id);
}

void Publisher::publish_now(Instant now, JobRecord& record) {
  record.unpublished = false;
  if (!outbox.has_subscribers()) return outbox.skip_publish();
  outbox.publish(now, job_changed(record));
}

void Publisher::publish_changed_jobs() {
  for (const JobId& id : changed_jobs_) {
    JobRecord* const record = jobs.find(id);
    if (record != nullptr && record->unpublished) publish_now(changed_at_, *record);
  }
  changed_jobs_.clear();
}

void Publisher::publish_host(Instant now, HostIndex host) {
  if (fleet_state.hosts()[host].forgotten) return;  // subscribers would show it again
  outbox.publish(now, host_changed(host));
}

void Publisher::publish_device(Instant now, DeviceKey device) {
  DeviceChanged changed = device_changed(device);
  if (changed.since == Instant{}) changed.since = now;
  outbox.publish(now, std::move(changed));
}

void Publisher::publish_replica(Instant now, const Replica& replica, GroupIndex group) {
  outbox.publish(now, ReplicaChanged{replica, pool_of(fleet_state, policy, group)});
}

std::uint64_t Publisher::record_audit(Instant now, Audit audit) {
  audit.target = excerpt(audit.target, target_max);
  const std::uint64_t write = outbox.write(ledger::audit(now, audit));
  const std::string action = fmt::format("{}: {}", audit.who, audit.action);
  event(now, audit.applied ? Severity::warning : Severity::info, audit.target,
        audit.applied ? action : fmt::format("{}: not done: {}", action, audit.detail));
  outbox.publish(now, std::move(audit));
  return write;
}

void Publisher::record_refusal(Instant now, Audit line) {
  outbox.write(ledger::audit(now, line));
  event(now, Severity::warning, line.target, "{}: {}: not done: {}", line.who, line.action,
        line.detail);
  outbox.publish(now, std::move(line));
}

std::uint64_t Publisher::reply_to_action(Instant now, const Caller& caller,
                                         const std::string& action, const std::string& target,
                                         ActionReply reply) {
  const std::uint64_t write = record_audit(now, {client_name(caller), action, target, reply.applied,
                                                 reply.applied ? reply.summary : reply.problem});
  if (reply.targets.size() > targets_listed_max) {
    const std::size_t more = reply.targets.size() - targets_listed_max;
    reply.targets.resize(targets_listed_max);
    reply.targets.push_back(fmt::format("and {} more", more));
  }
  outbox.send(now, caller.peer, std::move(reply), write);
  return write;
}

void Publisher::refuse_action(Instant now, const Caller& caller, const std::string& action,
                              const std::string& target, std::string problem) {
  ActionReply reply;
  reply.problem = std::move(problem);
  reply_to_action(now, caller, action, target, std::move(reply));
}

JobChanged Publisher::job_changed(const JobRecord& record) const {
  JobChanged changed = shown(record);
  if (record.state == JobState::queued) {
    // A decided job has its own reason; the others wait for their class's reason, not for the way
    // their last attempt ended.
    const bool asked =
        record.queue_class != nullptr && record.queue_class->tried.contains(record.number);
    const auto reason = asked ? record.reason : queue.waits_for(record);
    if (reason && reason != changed.reason) changed.detail.clear();
    if (reason) changed.reason = reason;
  }
  if (record.holds_attempt() && record.lease.replica) {
    const auto host = fleet_state.find_host(record.lease.members.front().host);
    const auto replica =
        host ? fleet_state.find_replica(*host, *record.lease.replica) : std::nullopt;
    if (replica) changed.pause = pause_of_requests(fleet_state.replicas()[*replica].replica);
  }
  if (!record.cancelled.empty() && !is_terminal(record.state)) {
    changed.detail = fmt::format("being {}", record.cancelled);
  }
  return changed;
}

HostChanged Publisher::host_changed(HostIndex host) const {
  const HostEntry& entry = fleet_state.hosts()[host];
  const HostCounts counts = host_counts.shown(entry.registration.host);
  HostChanged changed;
  changed.registration = entry.registration;
  changed.health = entry.health;
  changed.since = entry.health_since;
  changed.why = entry.health_why;
  changed.sample_gaps = counts.sample_gaps;
  changed.samples_thinned = counts.samples_thinned;
  changed.undecodable = counts.undecodable;
  for (std::size_t place = 0; place < entry.groups.size(); ++place) {
    const GroupIndex group = entry.groups[place];
    changed.pools.push_back(pool_of(fleet_state, policy, group));
    changed.prices_usd_per_h.push_back(price_usd_per_h(fleet_state, policy, group));
    const std::vector<std::uint32_t>& pools = fleet_state.groups()[group].pools;
    for (std::size_t i = 1; i < pools.size(); ++i) {
      if (changed.further_pools.size() == further_pools_max) break;
      changed.further_pools.push_back(
          {static_cast<std::uint16_t>(place), policy.pools[pools[i]].name});
    }
  }
  changed.secured_by = connections.key_of(entry.registration.host);
  return changed;
}

DeviceChanged Publisher::device_changed(DeviceKey device) const {
  const ReportedCondition& condition = conditions.of(device);
  DeviceChanged changed;
  changed.host = fleet_state.host_name(device.first);
  changed.device = device.second;
  changed.usable = condition.usable;
  changed.since = condition.since;
  changed.detail = condition.detail;
  for (const ReportedCondition::InForce& fault : condition.faults)
    changed.injected.push_back(fault.words);
  changed.drained = condition.drained || fleet_state.hosts()[device.first].draining;
  return changed;
}

}  // namespace drover::router
