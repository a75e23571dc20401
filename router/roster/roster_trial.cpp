#include "router/roster/roster_trial.h"

#include <algorithm>
#include <set>

namespace drover::router {

RosterTrial::~RosterTrial() {
  for (auto step = undo_.rbegin(); step != undo_.rend(); ++step) (*step)();
  roster_.version_ = version_;
}

void RosterTrial::draw(DeviceIndex device, float watts) {
  const GroupIndex group = roster_.devices_.group[device];
  keep([ this, device ]() -> auto& { return roster_.devices_.power_w[device]; });
  keep([ this, device ]() -> auto& { return roster_.devices_.promised_w[device]; });
  keep([ this, group ]() -> auto& { return roster_.groups_[group].believed_mw; });
  roster_.set_power(device, watts, 0);
}

void RosterTrial::idle(DeviceIndex device) {
  if (roster_.devices_.sampled[device] < heard_since_) return;
  change(
      [ this, device ]() -> auto& { return roster_.devices_.serving_w[device]; }, 0.0);
  change(
      [ this, device ]() -> auto& { return roster_.devices_.prompt_w[device]; }, 0.0F);
  const GroupEntry& group = roster_.groups_[roster_.devices_.group[device]];
  draw(device, std::min(roster_.devices_.power_w[device], static_cast<float>(group.spec->idle_w)));
}

void RosterTrial::lift(ReplicaIndex replica) {
  roster_.each_device(roster_.replicas_[replica], [&](DeviceIndex device) {
    const auto count = [ this, device ]() -> auto& { return roster_.devices_.replicas[device]; };
    change(count, static_cast<std::uint16_t>(count() - 1));
    change(
        [ this, device ]() -> auto& { return roster_.devices_.memory_used[device]; }, 0.0);
    if (count() == 0 && roster_.devices_.gang[device].empty()) idle(device);
  });
}

void RosterTrial::end_gang(DeviceIndex device) {
  change(
      [ this, device ]() -> auto& { return roster_.devices_.gang[device]; }, JobId{});
  change(
      [ this, device ]() -> auto& { return roster_.devices_.busy_until[device]; }, Instant{});
  change(
      [ this, device ]() -> auto& { return roster_.devices_.memory_used[device]; }, 0.0);
  idle(device);
}

std::size_t RosterTrial::end_gangs(Instant by) {
  const DeviceColumns& columns = roster_.devices_;
  std::set<JobId> ended;
  for (DeviceIndex device = 0; device < columns.size(); ++device) {
    if (columns.gang[device].empty() || columns.busy_until[device] > by) continue;
    ended.insert(columns.gang[device]);
    end_gang(device);
  }
  return ended.size();
}

void RosterTrial::end_gang(const JobId& job) {
  for (DeviceIndex device = 0; device < roster_.devices_.size(); ++device) {
    if (roster_.devices_.gang[device] == job) end_gang(device);
  }
}

void RosterTrial::clear(DeviceIndex device, std::uint32_t bits) {
  const auto condition = [ this, device ]() -> auto& { return roster_.devices_.condition[device]; };
  change(condition, condition() & ~bits);
}

void RosterTrial::revive(HostIndex host) {
  change(
      [ this, host ]() -> auto& { return roster_.hosts_[host].health; }, Health::ok);
}

void RosterTrial::hear(Instant at, DeviceIndex device) {
  change(
      [ this, device ]() -> auto& { return roster_.devices_.sampled[device]; }, at);
}

void RosterTrial::trust(GroupIndex group) {
  change(
      [ this, group ]() -> auto& { return roster_.groups_[group].trust.ejected; }, false);
}

void RosterTrial::trust(ReplicaIndex replica, GroupIndex of) {
  if (replica == nowhere) return trust(of);
  change(
      [ this, replica ]() -> auto& { return roster_.replicas_[replica].trust.ejected; }, false);
}

void RosterTrial::relieve(ReplicaIndex replica, double requests, double tokens) {
  const auto get = [ this, replica ]() -> auto& { return roster_.replicas_[replica].facts; };
  keep(get);
  ReplicaFacts& facts = get();
  facts.requests = std::max(0.0, facts.requests - requests);
  facts.tokens = std::max(0.0, facts.tokens - tokens);
  const double batch = std::min(facts.requests + 1, facts.batch_max);
  facts.batch_exponent = batch_exponent(batch);
  facts.batch_share = 1 / batch;
}

void RosterTrial::make_ready(ReplicaIndex replica, double tokens_max) {
  const auto get = [ this, replica ]() -> auto& { return roster_.replicas_[replica].facts; };
  keep(get);
  get().state = ReplicaState::ready;
  if (get().tokens_max <= 0) get().tokens_max = tokens_max;
}

void RosterTrial::enlarge(ReplicaIndex replica, double tokens_max) {
  change(
      [ this, replica ]() -> auto& { return roster_.replicas_[replica].facts.tokens_max; },
      tokens_max);
}

void RosterTrial::enlarge(GroupIndex group, const devices::DeviceSpec& spec, double more_bytes) {
  change(
      [ this, group ]() -> auto& { return roster_.groups_[group].spec; }, &spec);
  const GroupEntry& entry = roster_.groups_[group];
  for (DeviceIndex device = entry.first; device < entry.first + entry.group.count; ++device) {
    const auto total = [ this, device ]() -> auto& {
      return roster_.devices_.memory_total[device];
    };
    if (total() > 0) change(total, total() + more_bytes);
  }
}

void RosterTrial::load(Instant now, HostIndex host, const Replica& replica) {
  DROVER_REQUIRE(!roster_.hosts_[host].replica_by_number.contains(replica.id.number));
  const std::size_t before = roster_.replicas_.size();
  const ReplicaIndex index = roster_.apply(now, host, replica);
  if (index == nowhere) return;
  undo_.push_back([this, host, index, before] {
    roster_.forget(index);
    roster_.hosts_[host].replica_by_number.erase(roster_.replicas_[index].number);
    // Where it came from, so that asking changes nothing.
    if (roster_.replicas_.size() > before) {
      roster_.replicas_.pop_back();
    } else {
      roster_.spare(index);
    }
  });
  const devices::DeviceSpec& spec = *roster_.groups_[roster_.replicas_[index].group].spec;
  const auto open_w = static_cast<float>(std::max(spec.open_w, spec.idle_w));
  roster_.each_device(roster_.replicas_[index], [&](DeviceIndex device) {
    draw(device, std::max(open_w, roster_.devices_.power_w[device]));
  });
}

}  // namespace drover::router
