#include "commands/fleet_view.h"

#include <algorithm>

#include "fleet/codec.h"

namespace drover::commands {

void FleetView::receive(const Envelope& envelope) {
  if (const auto* part = std::get_if<SnapshotPart>(&envelope.body)) {
    receive_part(*part);
  } else if (const auto* host = std::get_if<HostChanged>(&envelope.body)) {
    hosts_[host->hello.host].changed = *host;
  } else if (const auto* replica = std::get_if<ReplicaChanged>(&envelope.body)) {
    if (replica->replica.state == ReplicaState::gone) {
      replicas_.erase(replica->replica.id);
    } else {
      replicas_[replica->replica.id] = *replica;
    }
  } else if (const auto* device = std::get_if<DeviceChanged>(&envelope.body)) {
    const auto known = hosts_.find(device->host);
    if (known == hosts_.end()) return;
    if (device->drained) {
      known->second.drained.insert(device->device);
    } else {
      known->second.drained.erase(device->device);
    }
  } else if (const auto* batch = std::get_if<SampleBatch>(&envelope.body)) {
    const auto host_entry = hosts_.find(batch->host);
    if (host_entry == hosts_.end() || !check(*batch)) return;
    Host& known = host_entry->second;
    known.sampled = std::max(known.sampled, envelope.at);
    for (const Sample& sample : unpack(*batch)) known.samples[sample.device] = sample;
  }
}

void FleetView::receive_part(const SnapshotPart& part) {
  if (snapshot_ != part.snapshot) {
    snapshot_ = part.snapshot;
    parts_here_.clear();
  }
  parts_here_.insert(part.part);
  for (const std::string& bytes : part.messages) {
    const auto envelope = decode(bytes);
    // A snapshot holds no snapshots: this ends.
    if (envelope && !std::holds_alternative<SnapshotPart>(envelope->body)) receive(*envelope);
  }
  whole_ = whole_ || parts_here_.size() >= part.parts;
}

bool FleetView::sampled() const {
  for (const auto& [name, host] : hosts_) {
    if (host.changed.health != Health::lost && host.samples.empty()) return false;
  }
  return true;
}

}  // namespace drover::commands
