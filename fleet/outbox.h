// What a core wants done: sends, and writes to the ledger; a send may wait for a write.
//
// Cores never act. They fill an outbox; a shell (or the simulator) takes it, appends the writes to
// the store, and sends what waits for nothing. When the store answers that it has committed up to a
// write, the sends that waited for it go. `HeldSends` is that waiting room, the same for shell and
// simulator.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover {

enum class Channel : std::uint8_t { control, samples, publish };

/// Whom a message is for or from. On the control channel `number` names one connection (the
/// router's view; 0 for everyone else, who have one router).
struct Peer {
  Channel channel = Channel::control;
  std::uint64_t number = 0;
  auto operator<=>(const Peer&) const = default;
};
inline constexpr Peer router_peer{Channel::control, 0};
inline constexpr Peer samples_peer{Channel::samples, 0};
inline constexpr Peer publish_peer{Channel::publish, 0};

/// One row of the append-only ledger.
enum class Transition : std::uint8_t {
  started,   // the ledger's own first row, and one per router start: payload = anchor
  accepted,  // payload = Job
  refused,   // payload = Job and reason; counted, never queued
  leased,    // payload = host, incarnation, target, decision facts
  running,
  returned,  // the attempt was refused, lost or failed; the job is queued again; payload = usage
  finished,  // payload = usage and outcome
  failed,    // payload = reason, usage
  stale,     // a late result of an older attempt, never charged
  counters,  // the fleet's sums, or the energy counters of one host's devices; names no job
  audit,     // an action asked for, or what of it is in force; names no job
  // Of jobs that ended long ago, instead of the above (router/ledger/ledger_compaction.h):
  known,  // what it takes to recognise one; payload = hash of its content
  sums,   // what all of them come to; names no job
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
  std::uint64_t sequence = 0;  // counts from 1 in this process's life
  LedgerRow row;
  bool operator==(const Write&) const = default;
};

struct Send {
  Peer to;
  Envelope envelope;
  std::uint64_t after_write = 0;  // 0: at once; else when the store has committed this sequence
  bool operator==(const Send&) const = default;
};

struct Outbox {
  std::vector<Send> sends;
  std::vector<Write> writes;
  bool empty() const { return sends.empty() && writes.empty(); }
  bool operator==(const Outbox&) const = default;
};

/// Sends that wait for the store, in order. A send with after_write 0 passes at once.
class HeldSends {
 public:
  /// Takes the outbox's sends; returns those that may go now.
  std::vector<Send> take(std::vector<Send> sends);
  /// The store has committed every write up to `sequence`: the sends that may go now, in their
  /// order.
  std::vector<Send> committed(std::uint64_t sequence);
  std::size_t size() const { return held_.size(); }

 private:
  std::uint64_t committed_ = 0;
  std::deque<Send> held_;
};

}  // namespace drover
