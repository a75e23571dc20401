#include "router/publishing/outbox_builder.h"

#include <algorithm>
#include <utility>

#include "fleet/base/result.h"

namespace drover::router {
namespace {

constexpr const char* router_name = "router";

}  // namespace

void OutboxBuilder::send(Instant now, Peer to, Message body, std::uint64_t after_write) {
  PeerState& state = peers_[to];
  Envelope envelope{router_name, ++state.sequence, now, std::move(body)};
  outbox_.sends.push_back({to, std::move(envelope), after_write <= committed_ ? 0 : after_write});
}

void OutboxBuilder::send_in_order(Instant now, Peer to, Message body, std::uint64_t after_write) {
  PeerState& state = peers_[to];
  state.barrier_write = std::max(state.barrier_write, after_write);
  send(now, to, std::move(body), state.barrier_write);
}

std::uint64_t OutboxBuilder::write(LedgerRow row) {
  outbox_.writes.push_back({++last_write_, std::move(row)});
  return last_write_;
}

std::uint64_t OutboxBuilder::publish(Instant now, Message body) {
  ++last_published_;
  if (!watched_) return last_published_;
  Envelope envelope{router_name, last_published_, now, std::move(body)};
  outbox_.sends.push_back({publish_peer, std::move(envelope), 0});
  return last_published_;
}

void OutboxBuilder::committed(Instant now, std::uint64_t sequence) {
  committed_ = std::max(committed_, std::min(sequence, last_write_));
  backpressure_.committed(now);
}

}  // namespace drover::router
