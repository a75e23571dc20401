// The router in a simulated fleet: its turns, its store, its incarnations.
#include <algorithm>
#include <utility>

#include "fleet/codec/codec.h"
#include "simulator/simulation.h"

namespace drover::simulator {

void Simulation::start_router(bool again) {
  router_ = std::make_unique<router::Router>(scenario_.router, scenario_.policy, catalogue_, now_);
  pending_sends_ = PendingSends{};
  const Status restored = router_->restore(store_.rows());
  DROVER_REQUIRE(restored.ok());
  router_turn({JournalRestore{store_.rows()}});
  if (!again) return;
  // Connections return under new numbers; agents do not notice; the client joins again, and so
  // does a host that is not accepted yet.
  for (auto& [name, host] : hosts_) {
    if (!host.agent) continue;
    if (!host.accepted) {
      connect_host(name);
      continue;
    }
    host.peer = ++peers_;
    node_by_peer_[host.peer] = name;
  }
  client_join();
}

void Simulation::kill_router() {
  router_.reset();
  store_.crash();
  ++router_incarnation_;
  router_wake_ = never;
  node_by_peer_.clear();
  seen_.unusable.clear();
  seen_.injected.clear();
  seen_.standing.clear();
}

void Simulation::router_receive(Peer from, const std::string& bytes) {
  const Result<Envelope> envelope = decode(bytes);
  if (envelope) {
    // The live router's shell forwards samples unchanged.
    if (subscriber && from == samples_peer) subscriber(*envelope);
    router_->receive(now_, from, *envelope);
  } else {
    ++seen_.undecodable;
    router_->reject_message(now_, {from, {}, envelope.error().message});
  }
  router_turn({JournalReceive{now_, from, bytes, {}}});
}

void Simulation::router_turn(const std::vector<JournalRecord>& inputs) {
  router_->tick(now_);
  Outbox outbox = router_->take_outbox();
  if (scenario_.journal) {
    JournalTurn turn{inputs, outbox_bytes(outbox)};
    turn.inputs.push_back(JournalTick{now_});
    journal_.push_back(std::move(turn));
  }
  commit_later(store_.append(now_, std::move(outbox.writes)));
  dispatch(pending_sends_.hold_or_pass(std::move(outbox.sends)));
  const Instant deadline = std::max(router_->next_deadline(), now_ + Duration(1));
  if (deadline == router_wake_ || deadline == never) return;
  router_wake_ = deadline;
  at(deadline, [this, deadline, incarnation = router_incarnation_] {
    if (!router_ || incarnation != router_incarnation_ || router_wake_ != deadline) return;
    router_wake_ = never;
    router_turn({});
  });
}

void Simulation::commit_later(std::optional<Instant> when) {
  if (!when) return;
  at(*when, [this, incarnation = router_incarnation_] {
    if (!router_ || incarnation != router_incarnation_) return;
    const SimulatedStore::Done done = store_.finish_commit(now_);
    commit_later(done.next);
    router_->committed(now_, done.sequence);
    dispatch(pending_sends_.release_up_to(done.sequence));
    router_turn({JournalCommitted{now_, done.sequence}});
  });
}

void Simulation::dispatch(const std::vector<Send>& sends) {
  for (const Send& send : sends) {
    if (send.to.channel == Channel::publish) {
      observe(send.envelope);
      continue;
    }
    const auto node = node_by_peer_.find(send.to.number);
    if (node == node_by_peer_.end()) continue;
    send_bytes("router", node->second, send.to, encode(send.envelope));
  }
}

}  // namespace drover::simulator
