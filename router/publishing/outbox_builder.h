// The router's outgoing side: sends numbered per connection, ledger writes numbered per run, and
// publications, numbered once for all subscribers. It knows whether the ledger's disk keeps up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"
#include "router/ledger/backpressure.h"

namespace drover::router {

class OutboxBuilder {
 public:
  explicit OutboxBuilder(LedgerBackpressure backpressure)
      : backpressure_(std::move(backpressure)) {}

  /// Sends at once, or when `after_write` is on disk. May overtake earlier sends that wait.
  void send(Instant now, Peer to, Message body, std::uint64_t after_write = 0) {
    outbox_.sends.push_back({to, envelope(++peers_[to].sequence, now, std::move(body)),
                             is_committed(after_write) ? 0 : after_write});
  }
  /// Like send, but never overtakes an earlier `send_in_order` to the same peer: a Cancel must not
  /// arrive before the Assign that still waits for its lease's write.
  void send_in_order(Instant now, Peer to, Message body, std::uint64_t after_write = 0) {
    std::uint64_t& barrier_write = peers_[to].barrier_write;
    barrier_write = std::max(barrier_write, after_write);
    send(now, to, std::move(body), barrier_write);
  }
  /// Returns the write's sequence number.
  std::uint64_t write(LedgerRow row) {
    outbox_.writes.push_back({++last_write_, std::move(row)});
    return last_write_;
  }
  /// Returns the publication's sequence number. Without subscribers it is counted and dropped.
  std::uint64_t publish(Instant now, Message body) {
    ++last_published_;
    if (!watched_) return last_published_;
    outbox_.sends.push_back({publish_peer, envelope(last_published_, now, std::move(body)), 0});
    return last_published_;
  }
  /// Counts a publication that was not built: for frequent messages without subscribers.
  void skip_publish() { ++last_published_; }
  void set_has_subscribers(bool has_subscribers) { watched_ = has_subscribers; }
  bool has_subscribers() const { return watched_; }

  /// The store has committed every write up to this sequence.
  void committed(Instant now, std::uint64_t sequence) {
    committed_ = std::max(committed_, std::min(sequence, last_write_));
    backpressure_.committed(now);
  }
  std::uint64_t last_write() const { return last_write_; }
  std::uint64_t last_published() const { return last_published_; }
  bool is_committed(std::uint64_t write) const { return write <= committed_; }
  /// Writes that the store has not yet committed.
  std::uint64_t uncommitted() const { return last_write_ - committed_; }
  /// Called each turn.
  void tick(Instant now) { backpressure_.update(now, uncommitted()); }
  /// Whether to reject everything that can be rejected instead of writing it.
  bool rejects_writes() const { return backpressure_.rejects_writes(uncommitted()); }
  LedgerBackpressure& backpressure() { return backpressure_; }
  const LedgerBackpressure& backpressure() const { return backpressure_; }

  /// The connection is closed: drops its counters.
  void forget(Peer peer) { peers_.erase(peer); }
  /// The next one gets as much room: a busy router would move each message several times while its
  /// list grows.
  Outbox take() {
    Outbox next;
    next.sends.reserve(std::min(outbox_.sends.size(), reserved_sends_max));
    return std::exchange(outbox_, std::move(next));
  }

 private:
  static constexpr std::size_t reserved_sends_max = 1'024;

  static Envelope envelope(std::uint64_t sequence, Instant now, Message body) {
    return {"router", sequence, now, std::move(body)};
  }

  struct PeerState {
    std::uint64_t sequence = 0;
    std::uint64_t barrier_write = 0;  // latest write that an ordered send waits for
  };

  std::map<Peer, PeerState> peers_;
  std::uint64_t last_write_ = 0;
  std::uint64_t committed_ = 0;
  std::uint64_t last_published_ = 0;
  bool watched_ = true;
  LedgerBackpressure backpressure_;
  Outbox outbox_;
};

}  // namespace drover::router
