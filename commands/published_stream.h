// What the router publishes, in order and joined with its snapshots: the client side of "first
// subscribe, then ask for a snapshot, then go on with the rest" (docs/protocol.md).
//
// News is handed on at once, also while a snapshot is on its way. What a snapshot could set back is
// kept until the snapshot is whole, and then stands behind the snapshot's own messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "fleet/outbox.h"
#include "fleet/time.h"

namespace drover::commands {

class PublishedStream {
 public:
  /// `wall` is one wall second in fleet time. The first snapshot is wanted at once.
  explicit PublishedStream(Duration wall) : wall_(wall) {}

  struct Heard {
    bool news = false;       // the message itself is to be taken in
    std::uint64_t lost = 0;  // published messages before it that never came
    /// The whole state anew, what came since included.
    std::optional<std::vector<Envelope>> snapshot;
  };
  Heard receive(Instant now, Peer from, const Envelope& envelope);

  void want_snapshot();
  /// Whether a SnapshotRequest is to go now: at most one a wall second, and again when parts stay
  /// away.
  bool take_request(Instant now);
  Instant next_deadline() const;
  std::uint64_t undecodable() const { return undecodable_; }

 private:
  Heard receive_published(const Envelope& envelope);
  Heard receive_part(Instant now, const SnapshotPart& part);
  std::vector<Envelope> joined();

  Duration wall_;
  bool wanted_ = true;
  bool pending_ = false;  // asked, and not all parts are here
  Instant asked_ = Instant::min();
  std::uint64_t published_ = 0;    // sequence of the last published message; 0: none yet
  std::uint64_t at_sequence_ = 0;  // of the last snapshot
  std::uint64_t last_missing_ = 0;
  std::uint64_t gathering_ = 0;  // the number of the snapshot whose parts are being gathered
  std::uint64_t gathering_at_ = 0;
  std::uint64_t undecodable_ = 0;
  std::vector<std::optional<std::vector<std::string>>> parts_;
  std::vector<Envelope> held_;
  bool held_overflow_ = false;
};

}  // namespace drover::commands
