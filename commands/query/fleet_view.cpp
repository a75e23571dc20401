#include "commands/query/fleet_view.h"

#include <algorithm>

#include "fleet/base/contains.h"
#include "fleet/codec/codec.h"
#include "fleet/job_target.h"

namespace drover::commands {

void FleetView::receive(const Envelope& envelope) {
  if (const auto* part = std::get_if<SnapshotPart>(&envelope.body)) {
    receive_part(*part);
  } else if (const auto* host = std::get_if<HostChanged>(&envelope.body)) {
    hosts_[host->registration.host].changed = *host;
  } else if (const auto* forgotten = std::get_if<HostForgotten>(&envelope.body)) {
    forget_host(forgotten->host);
  } else if (const auto* policy = std::get_if<PolicyChanged>(&envelope.body)) {
    stale_after_s_ = policy->stale_after_s;
  } else if (const auto* replica = std::get_if<ReplicaChanged>(&envelope.body)) {
    if (replica->replica.state == ReplicaState::gone) {
      replicas_.erase(replica->replica.id);
    } else {
      replicas_[replica->replica.id] = *replica;
    }
  } else if (const auto* device = std::get_if<DeviceChanged>(&envelope.body)) {
    receive_device(*device);
  } else if (const auto* job = std::get_if<JobChanged>(&envelope.body)) {
    receive_job(*job);
  } else if (const auto* alert = std::get_if<Alert>(&envelope.body)) {
    receive_alert(*alert);
  } else if (const auto* batch = std::get_if<SampleBatch>(&envelope.body)) {
    receive_batch(envelope, *batch);
  }
}

void FleetView::receive_batch(const Envelope& envelope, const SampleBatch& batch) {
  const auto known = hosts_.find(batch.host);
  if (known == hosts_.end() || !check(batch)) return;
  Host& host = known->second;
  for (const Sample& sample : unpack(batch)) {
    host.samples[sample.device] = sample;
    Instant& sampled = host.sampled[sample.device];
    sampled = std::max(sampled, envelope.at);
  }
}

void FleetView::receive_device(const DeviceChanged& device) {
  const auto known = hosts_.find(device.host);
  if (known == hosts_.end()) return;
  if (device.usable && device.injected.empty() && !device.drained) {
    known->second.conditions.erase(device.device);
  } else {
    known->second.conditions[device.device] = device;
  }
}

void FleetView::receive_job(const JobChanged& job) {
  const auto before = targets_.find(job.job.id);
  if (before != targets_.end()) {
    std::string_view target = before->second;
    while (const auto part = take_target_part(target)) {
      const auto host = hosts_.find(std::string(part->host));
      if (host != hosts_.end()) host->second.jobs.erase(job.job.id);
    }
    targets_.erase(before);
  }
  if (job.state != JobState::leased && job.state != JobState::running) return;
  std::string_view target = job.target;
  while (const auto part = take_target_part(target)) {
    const auto host = hosts_.find(std::string(part->host));
    if (host == hosts_.end()) continue;
    host->second.jobs[job.job.id] = {job.job.work.model, job.job.tenant, std::string(part->place),
                                     job.pause};
  }
  targets_[job.job.id] = job.target;
}

void FleetView::receive_alert(const Alert& alert) {
  if (alert.raised) {
    alerts_[alert.subject].insert(alert.rule);
    return;
  }
  const auto subject = alerts_.find(alert.subject);
  if (subject == alerts_.end()) return;
  subject->second.erase(alert.rule);
  if (subject->second.empty()) alerts_.erase(subject);
}

void FleetView::forget_host(const std::string& name) {
  hosts_.erase(name);
  std::erase_if(replicas_, [&](const auto& row) { return row.first.host == name; });
}

void FleetView::receive_part(const SnapshotPart& part) {
  if (snapshot_ != part.snapshot) {
    snapshot_ = part.snapshot;
    parts_here_.clear();
  }
  parts_here_.insert(part.part);
  for (const std::string& bytes : part.messages) {
    const auto envelope = decode(bytes);
    // A snapshot contains no snapshots, so the recursion ends.
    if (envelope && !std::holds_alternative<SnapshotPart>(envelope->body)) receive(*envelope);
  }
  whole_ = whole_ || parts_here_.size() >= part.parts;
}

std::vector<const Replica*> FleetView::replicas_on(const DeviceId& device) const {
  std::vector<const Replica*> found;
  for (auto at = replicas_.lower_bound({device.host, 0});
       at != replicas_.end() && at->first.host == device.host; ++at) {
    const Replica& replica = at->second.replica;
    if (contains(replica.devices, device.index)) found.push_back(&replica);
  }
  return found;
}

bool FleetView::all_hosts_sampled() const {
  for (const auto& [name, host] : hosts_) {
    if (!is_gone(host.changed.health) && host.samples.empty()) return false;
  }
  return true;
}

}  // namespace drover::commands
