// The hosts in a simulated fleet: their incarnations, messages and turns.
#include <algorithm>

#include "fleet/base/overloaded.h"
#include "fleet/codec/codec.h"
#include "simulator/simulation.h"

namespace drover::simulator {
namespace {

/// How long a stopping host waits until the router has stored its results.
constexpr Duration stored_within = std::chrono::seconds(2);

}  // namespace

void Simulation::start_host(const std::string& name) {
  Host& host = hosts_.at(name);
  ++host.incarnation;
  RandomStream incarnation_random = random_.child(name).child(host.incarnation);
  host.settings.incarnation = generate_incarnation(incarnation_random);
  host.agent = std::make_unique<agents::Agent>(host.settings, catalogue_, now_);
  host.wake = never;
  host.accepted = host.down = false;
  connect_host(name);
}

void Simulation::connect_host(const std::string& name) {
  Host& host = hosts_.at(name);
  host.peer = ++peers_;
  node_by_peer_[host.peer] = name;
  const Join join{Role::agent, name, "simulator"};
  send_bytes(name, "router", Peer{Channel::control, host.peer}, encode({name, 1, now_, join}));
}

/// Messages in flight are lost and the connection breaks, as with TCP; when the partition heals,
/// the agent connects again.
void Simulation::cut_off(const Partition& partition) {
  links_.cut(partition.host, now_ + partition.duration);
  node_by_peer_.erase(hosts_.at(partition.host).peer);
  at(now_ + partition.duration, [this, name = partition.host] {
    if (hosts_.at(name).agent) connect_host(name);
  });
}

void Simulation::kill_host(const std::string& name) {
  Host& host = hosts_.at(name);
  host.agent.reset();
  host.wake = never;
  node_by_peer_.erase(host.peer);
}

void Simulation::end_host(const std::string& name) {
  Host& host = hosts_.at(name);
  if (!host.agent) return;
  host.agent->leave(now_, "SIGTERM");
  host_turn(name);
  if (!host.agent) return;
  at(now_ + stored_within, [this, name, incarnation = host.incarnation] {
    if (hosts_.at(name).incarnation == incarnation) kill_host(name);
  });
}

void Simulation::host_receive(const std::string& name, const std::string& bytes) {
  Host& host = hosts_.at(name);
  const Result<Envelope> envelope = decode(bytes);
  if (!envelope) {
    ++seen_.undecodable;
    host.agent->count_undecodable();
    return host_turn(name);
  }
  std::visit(Overloaded{[&](const JoinAccepted& welcome) {
                          host.accepted = true;
                          host.agent->handle_join_accepted(now_, welcome);
                        },
                        [&](const Assign& assign) {
                          if (assigned) assigned(name, assign);
                          host.agent->receive(now_, *envelope);
                        },
                        [&](const auto&) { host.agent->receive(now_, *envelope); }},
             envelope->body);
  host_turn(name);
}

void Simulation::host_turn(const std::string& name) {
  Host& host = hosts_.at(name);
  host.agent->tick(now_);
  for (const agents::Effect& effect : host.agent->take_effects()) {
    if (const auto* send = std::get_if<Send>(&effect)) {
      const bool sample = send->to.channel == Channel::samples;
      if (sample && sample_random_.chance(scenario_.sample_loss)) continue;
      const Peer from = sample ? samples_peer : Peer{Channel::control, host.peer};
      send_bytes(name, "router", from, encode(send->envelope));
    } else if (std::holds_alternative<agents::Replaced>(effect)) {
      return kill_host(name);
    } else if (!std::holds_alternative<agents::Left>(effect)) {
      host.down = std::holds_alternative<agents::HostDown>(effect);
    }
  }
  const Instant deadline = std::max(host.agent->next_deadline(), now_ + Duration(1));
  if (deadline == host.wake || deadline == never) return;
  host.wake = deadline;
  at(deadline, [this, name, deadline, incarnation = host.incarnation] {
    Host& later = hosts_.at(name);
    if (!later.agent || later.incarnation != incarnation || later.wake != deadline) return;
    later.wake = never;
    host_turn(name);
  });
}

}  // namespace drover::simulator
