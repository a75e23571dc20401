// The router's published messages in order, combined with its snapshots: the client side of "first
// subscribe, then request a snapshot, then apply the updates" (docs/protocol.md).
//
// Updates are passed on at once, even while a snapshot is on its way. A snapshot arrives on another
// connection and may overtake updates, so it is passed on only when the updates have reached its
// sequence number. Applying it would undo updates that are newer than the snapshot, so these are
// also kept and passed on again after the snapshot's own messages.
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
  /// `wall` is one wall second in fleet time. The first snapshot is requested at once.
  explicit PublishedStream(Duration wall) : wall_(wall) {}

  /// To be applied in the order of the fields.
  struct StreamUpdate {
    bool restarted = false;  // the router restarted before this message
    std::uint64_t lost = 0;  // published messages before this one that were lost
    bool is_new = false;     // apply the message itself
    /// Encoded envelopes: the whole state up to this message.
    std::optional<std::vector<std::string>> snapshot;
  };
  StreamUpdate receive(Instant now, Peer from, const Envelope& envelope);

  void request_snapshot();
  /// Whether to send a SnapshotRequest now: at most one per wall second, and again when parts do
  /// not arrive.
  bool take_snapshot_request(Instant now);
  Instant next_deadline() const;

 private:
  StreamUpdate receive_published(const Envelope& envelope);
  void gather(Instant now, const SnapshotPart& part);
  std::optional<std::vector<std::string>> take_snapshot();

  Duration wall_;
  bool wanted_ = true;
  bool pending_ = false;  // requested and not yet passed on
  Instant asked_ = Instant::min();
  std::uint64_t published_ = 0;    // sequence of the last published message; 0: none yet
  std::uint64_t at_sequence_ = 0;  // of the last snapshot
  std::uint64_t last_missing_ = 0;
  std::uint64_t gathering_ = 0;  // number of the snapshot whose parts are being collected
  std::uint64_t gathering_at_ = 0;
  std::vector<std::optional<std::vector<std::string>>> parts_;
  std::size_t parts_here_ = 0;
  std::vector<Envelope> held_;
  bool held_overflow_ = false;
};

}  // namespace drover
