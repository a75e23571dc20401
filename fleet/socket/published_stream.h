// What the router publishes, in order and joined with its snapshots: the client side of "first
// subscribe, then ask for a snapshot, then go on with the rest" (docs/protocol.md).
//
// News is handed on at once, also while a snapshot is on its way. Snapshots come over another
// connection and may overtake news: one is handed on when the news has come as far as the snapshot
// stands. What is newer than it, and what it would set back, is kept until then and stands behind
// the snapshot's own messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"

namespace drover {

class PublishedStream {
 public:
  /// `wall` is one wall second in fleet time. The first snapshot is wanted at once.
  explicit PublishedStream(Duration wall) : wall_(wall) {}

  /// In the order in which it is to be taken in.
  struct Heard {
    bool restarted = false;  // the router began anew before it
    std::uint64_t lost = 0;  // published messages before it that never came
    bool news = false;       // the message itself is to be taken in
    /// Encoded envelopes: the whole state anew, up to this message.
    std::optional<std::vector<std::string>> snapshot;
  };
  Heard receive(Instant now, Peer from, const Envelope& envelope);

  void want_snapshot();
  /// Whether a SnapshotRequest is to go now: at most one a wall second, and again when parts stay
  /// away.
  bool take_request(Instant now);
  Instant next_deadline() const;

 private:
  Heard receive_published(const Envelope& envelope);
  void gather(Instant now, const SnapshotPart& part);
  std::optional<std::vector<std::string>> take_snapshot();

  Duration wall_;
  bool wanted_ = true;
  bool pending_ = false;  // asked, and not yet handed on
  Instant asked_ = Instant::min();
  std::uint64_t published_ = 0;    // sequence of the last published message; 0: none yet
  std::uint64_t at_sequence_ = 0;  // of the last snapshot
  std::uint64_t last_missing_ = 0;
  std::uint64_t gathering_ = 0;  // the number of the snapshot whose parts are being gathered
  std::uint64_t gathering_at_ = 0;
  std::vector<std::optional<std::vector<std::string>>> parts_;
  std::size_t parts_here_ = 0;
  std::vector<Envelope> held_;
  bool held_overflow_ = false;
};

}  // namespace drover
