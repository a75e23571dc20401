// The hosts in a simulated fleet: their lives, what they hear, their turns.
#include <algorithm>
#include <utility>

#include "fleet/codec/codec.h"
#include "simulator/world.h"

namespace drover::simulator {
namespace {

/// How long a host that ends waits until the router has stored what it gave back.
constexpr Duration stored_within = std::chrono::seconds(2);

}  // namespace

void World::start_host(const std::string& name) {
  Host& host = hosts_.at(name);
  ++host.life;
  Dice life_dice = dice_.child(name).child(host.life);
  host.settings.incarnation = draw_incarnation(life_dice);
  host.agent = std::make_unique<agents::Agent>(host.settings, catalogue_, now_);
  host.wake = never;
  host.welcomed = false;
  connect_host(name);
}

void World::connect_host(const std::string& name) {
  Host& host = hosts_.at(name);
  host.peer = ++peers_;
  node_by_peer_[host.peer] = name;
  const Join join{Role::agent, name, "simulator"};
  send_bytes(name, "router", Peer{Channel::control, host.peer}, encode({name, 1, now_, join}));
}

/// What is under way is lost and the connection breaks, as TCP's would; when the partition heals
/// the agent connects anew.
void World::cut_off(const Partition& partition) {
  links_.cut(partition.host, now_ + partition.lasts);
  node_by_peer_.erase(hosts_.at(partition.host).peer);
  at(now_ + partition.lasts, [this, name = partition.host] {
    if (hosts_.at(name).agent) connect_host(name);
  });
}

void World::kill_host(const std::string& name) {
  Host& host = hosts_.at(name);
  host.agent.reset();
  host.wake = never;
  node_by_peer_.erase(host.peer);
}

void World::end_host(const std::string& name) {
  Host& host = hosts_.at(name);
  if (!host.agent) return;
  host.agent->leave(now_, "SIGTERM");
  host_turn(name);
  if (!host.agent) return;
  at(now_ + stored_within, [this, name, life = host.life] {
    if (hosts_.at(name).life == life) kill_host(name);
  });
}

void World::host_receive(const std::string& name, const std::string& bytes) {
  Host& host = hosts_.at(name);
  const Result<Envelope> envelope = decode(bytes);
  if (!envelope) {
    ++seen_.undecodable;
    host.agent->count_undecodable();
  } else if (const auto* welcome = std::get_if<Welcome>(&envelope->body)) {
    host.welcomed = true;
    host.agent->welcomed(now_, *welcome);
  } else {
    const auto* assign = std::get_if<Assign>(&envelope->body);
    if (assign != nullptr && assigned) assigned(name, *assign);
    host.agent->receive(now_, *envelope);
  }
  host_turn(name);
}

void World::host_turn(const std::string& name) {
  Host& host = hosts_.at(name);
  host.agent->tick(now_);
  const Outbox outbox = host.agent->take_outbox();
  for (const Send& send : outbox.sends) {
    const bool sample = send.to.channel == Channel::samples;
    if (sample && sample_dice_.chance(scenario_.sample_loss)) continue;
    const Peer from = sample ? samples_peer : Peer{Channel::control, host.peer};
    send_bytes(name, "router", from, encode(send.envelope));
  }
  if (host.agent->superseded()) {
    kill_host(name);
    return;
  }
  const Instant deadline = std::max(host.agent->next_deadline(), now_ + Duration(1));
  if (deadline == host.wake || deadline == never) return;
  host.wake = deadline;
  at(deadline, [this, name, deadline, life = host.life] {
    Host& later = hosts_.at(name);
    if (!later.agent || later.life != life || later.wake != deadline) return;
    later.wake = never;
    host_turn(name);
  });
}

}  // namespace drover::simulator
