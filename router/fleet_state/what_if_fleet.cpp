#include "router/fleet_state/what_if_fleet.h"

#include <algorithm>
#include <set>

namespace drover::router {

WhatIfFleet::~WhatIfFleet() {
  for (auto step = undo_.rbegin(); step != undo_.rend(); ++step) (*step)();
  fleet_state_.version_ = version_;
}

void WhatIfFleet::draw(DeviceIndex device, float watts) {
  const GroupIndex group = fleet_state_.devices_.group[device];
  keep([ this, device ]() -> auto& { return fleet_state_.devices_.power_w[device]; });
  keep([ this, device ]() -> auto& { return fleet_state_.devices_.reserved_w[device]; });
  keep([ this, group ]() -> auto& { return fleet_state_.groups_[group].estimated_mw; });
  fleet_state_.set_power(device, watts, 0);
}

void WhatIfFleet::idle(DeviceIndex device) {
  if (fleet_state_.devices_.sampled[device] < heard_since_) return;
  change(&DeviceColumns::serving_w, device, 0.0);
  change(&DeviceColumns::prompt_w, device, 0.0F);
  const GroupEntry& group = fleet_state_.groups_[fleet_state_.devices_.group[device]];
  draw(device, std::min(fleet_state_.devices_.power_w[device],
                        static_cast<float>(group.spec->power.idle_w)));
}

void WhatIfFleet::unload_replica(ReplicaIndex replica) {
  fleet_state_.each_device(fleet_state_.replicas_[replica], [&](DeviceIndex device) {
    const auto left = static_cast<std::uint16_t>(fleet_state_.devices_.replicas[device] - 1);
    change(&DeviceColumns::replicas, device, left);
    change(&DeviceColumns::memory_used, device, 0.0);
    if (left == 0 && fleet_state_.devices_.gang[device].empty()) idle(device);
  });
}

void WhatIfFleet::end_gang(DeviceIndex device) {
  change(&DeviceColumns::gang, device, JobId{});
  change(&DeviceColumns::busy_until, device, Instant{});
  change(&DeviceColumns::memory_used, device, 0.0);
  idle(device);
}

std::size_t WhatIfFleet::end_gangs(Instant by) {
  const DeviceColumns& columns = fleet_state_.devices_;
  std::set<JobId> ended;
  for (DeviceIndex device = 0; device < columns.size(); ++device) {
    if (columns.gang[device].empty() || columns.busy_until[device] > by) continue;
    ended.insert(columns.gang[device]);
    end_gang(device);
  }
  return ended.size();
}

void WhatIfFleet::end_gang(const JobId& job) {
  for (DeviceIndex device = 0; device < fleet_state_.devices_.size(); ++device) {
    if (fleet_state_.devices_.gang[device] == job) end_gang(device);
  }
}

void WhatIfFleet::clear(DeviceIndex device, std::uint32_t bits) {
  change(&DeviceColumns::condition, device, fleet_state_.devices_.condition[device] & ~bits);
}

void WhatIfFleet::mark_host_healthy(HostIndex host) {
  change(
      [ this, host ]() -> auto& { return fleet_state_.hosts_[host].health; }, Health::ok);
}

void WhatIfFleet::refresh_sample(Instant at, DeviceIndex device) {
  change(&DeviceColumns::sampled, device, at);
}

void WhatIfFleet::clear_ejection(ReplicaIndex replica, GroupIndex group) {
  const auto outlier = [ this, replica, group ]() -> auto& {
    return replica == no_index ? fleet_state_.groups_[group].outlier
                               : fleet_state_.replicas_[replica].outlier;
  };
  keep(outlier);
  outlier().ejected = false;
}

void WhatIfFleet::reduce_load(ReplicaIndex replica, double requests, double tokens) {
  const auto get = [ this, replica ]() -> auto& { return fleet_state_.replicas_[replica].facts; };
  keep(get);
  ReplicaFacts& facts = get();
  facts.requests = std::max(0.0, facts.requests - requests);
  facts.tokens = std::max(0.0, facts.tokens - tokens);
  const double batch = std::min(facts.requests + 1, facts.batch_max);
  facts.batch_exponent = batch_exponent(batch);
  facts.batch_share = 1 / batch;
}

void WhatIfFleet::make_ready(ReplicaIndex replica, double tokens_max) {
  const auto get = [ this, replica ]() -> auto& { return fleet_state_.replicas_[replica].facts; };
  keep(get);
  get().state = ReplicaState::ready;
  if (get().tokens_max <= 0) get().tokens_max = tokens_max;
}

void WhatIfFleet::add_memory(ReplicaIndex replica, double tokens_max) {
  change(
      [ this, replica ]() -> auto& { return fleet_state_.replicas_[replica].facts.tokens_max; },
      tokens_max);
}

void WhatIfFleet::add_memory(GroupIndex group, const devices::DeviceSpec& spec, double more_bytes) {
  change(
      [ this, group ]() -> auto& { return fleet_state_.groups_[group].spec; }, &spec);
  const GroupEntry& entry = fleet_state_.groups_[group];
  for (const DeviceIndex device : entry.devices()) {
    const double total = fleet_state_.devices_.memory_total[device];
    if (total > 0) change(&DeviceColumns::memory_total, device, total + more_bytes);
  }
}

void WhatIfFleet::load(Instant now, HostIndex host, const Replica& replica) {
  DROVER_REQUIRE(!fleet_state_.hosts_[host].replica_by_number.contains(replica.id.number));
  const std::size_t before = fleet_state_.replicas_.size();
  const ReplicaIndex index = fleet_state_.apply(now, host, replica);
  if (index == no_index) return;
  undo_.push_back([this, host, index, before] {
    fleet_state_.forget(index);
    fleet_state_.hosts_[host].replica_by_number.erase(fleet_state_.replicas_[index].number);
    // Returned to where it came from, so that a query changes nothing.
    if (fleet_state_.replicas_.size() > before) {
      fleet_state_.replicas_.pop_back();
    } else {
      fleet_state_.free_replica(index);
    }
  });
  const devices::DeviceSpec& spec = *fleet_state_.groups_[fleet_state_.replicas_[index].group].spec;
  const auto context_idle_w =
      static_cast<float>(std::max(spec.power.context_idle_w, spec.power.idle_w));
  fleet_state_.each_device(fleet_state_.replicas_[index], [&](DeviceIndex device) {
    draw(device, std::max(context_idle_w, fleet_state_.devices_.power_w[device]));
  });
}

}  // namespace drover::router
