// The effects of a core: messages to send, and writes to the ledger. A send may wait for a write.
//
// Cores perform no I/O. They fill an outbox; a shell (or the simulator) takes it, appends the
// writes to the store, and sends the messages that need not wait. When the store has committed a
// write, the sends that waited for it go out. `PendingSends` holds them for shell and simulator.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover {

enum class Channel : std::uint8_t { control, samples, publish };

/// The recipient or sender of a message. On the control channel of a router, `number` identifies
/// the connection. It is 0 for agents and clients, which have one router.
struct Peer {
  Channel channel = Channel::control;
  std::uint64_t number = 0;
  auto operator<=>(const Peer&) const = default;
};
inline constexpr Peer router_peer{Channel::control, 0};
inline constexpr Peer samples_peer{Channel::samples, 0};
inline constexpr Peer publish_peer{Channel::publish, 0};

/// A message that a router's endpoint dropped. The endpoints and the authenticator report it; the
/// router's core counts it and audits refusals.
struct Dropped {
  Peer from;           // number 0: the sender cannot be answered
  std::string sender;  // printable: "connection 5 from 10.0.0.7", "key eve from 10.0.0.7"
  std::string why;
  std::string key{};      // name of the allowed key that it was sent with; empty: none
  std::string address{};  // of the sender, where it has one
  /// What was refused: a kind of message ("Submit"), "connect", "subscribe". Empty: it was no
  /// message.
  std::string asked{};
  bool retryable = false;  // the sender's queue is full; it may send the message again
  bool operator==(const Dropped&) const = default;
};

/// The sender as text: the name of its key, or else its connection.
std::string sender_text(const Peer& from, std::string_view address, std::string_view key = {});

/// One row of the append-only ledger.
enum class Transition : std::uint8_t {
  started,   // the ledger's first row, and one per router start: payload = JoinAccepted
  accepted,  // payload = Submit with this one job
  leased,    // payload = JobChanged: hosts, target, decision facts
  running,
  returned,  // the attempt was refused, lost or failed; the job is queued again; payload = usage
  finished,  // payload = usage and outcome
  failed,    // payload = reason, usage
  stale,     // a late result of an older attempt, never charged
  counters,  // the fleet's totals, or the energy counters of one host's devices; no job
  audit,     // a requested action, or its current effect; no job
  // For jobs that ended long ago, in place of the rows above (router/ledger/compaction.h):
  known,  // enough to recognise the job; payload = hash of its content
  sums,   // the totals of all of them; no job
};

struct LedgerRow {
  Transition transition = Transition::accepted;
  Instant at{};
  JobId job;
  std::uint32_t attempt = 0;
  std::string payload;  // an encoded Envelope whose body is a message of fleet/messages.h; or empty
  bool operator==(const LedgerRow&) const = default;
};

struct Write {
  std::uint64_t sequence = 0;  // from 1, for one process
  LedgerRow row;
  bool operator==(const Write&) const = default;
};

struct Send {
  Peer to;
  Envelope envelope;
  std::uint64_t after_write = 0;  // 0: at once; else once the store has committed this sequence
  bool operator==(const Send&) const = default;
};

struct Outbox {
  std::vector<Send> sends;
  std::vector<Write> writes;
  bool empty() const { return sends.empty() && writes.empty(); }
  bool operator==(const Outbox&) const = default;
};

/// Sends that wait for the store, in order. A send with after_write 0 does not wait.
class PendingSends {
 public:
  /// Holds those of an outbox's sends that wait for a write, and returns the others.
  std::vector<Send> hold_or_pass(std::vector<Send> sends);
  /// Call when the store has committed every write up to `sequence`. Returns the sends that waited
  /// for them, in order.
  std::vector<Send> release_up_to(std::uint64_t sequence);
  std::size_t size() const { return pending_.size(); }

 private:
  struct Pending {
    std::uint64_t number = 0;  // in order
    Send send;
  };
  std::uint64_t committed_ = 0;
  std::uint64_t held_ = 0;                         // ever
  std::multimap<std::uint64_t, Pending> pending_;  // by the write
};

}  // namespace drover
