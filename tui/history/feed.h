// From envelopes to the model, in order: follows the router's published stream, asks for a snapshot
// at the start and after every gap, and joins the two (fleet/socket/published_stream.h). News is
// applied to the model at once, also while a snapshot is on its way, so the screen never waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"
#include "fleet/socket/published_stream.h"
#include "tui/history/history.h"
#include "tui/history/timeline_memory.h"
#include "tui/model/model.h"

namespace drover::tui {

class Feed {
 public:
  /// `wall` is one wall second in fleet time. The first snapshot is wanted at once. What is done to
  /// the model is told to `memory`, and samples of hosts that it knows to `history`, if there are.
  explicit Feed(Duration wall, MemoryTimeline* memory = nullptr, History* history = nullptr)
      : stream_(wall), memory_(memory), history_(history) {}

  /// Applies to the model what may be applied; answers whether something to see changed.
  bool receive(Instant now, Peer from, const Envelope& envelope, Model& model);
  /// The connection came back: what was missed is unknown.
  void want_snapshot() { stream_.want_snapshot(); }
  /// A request that is due now; at most one a wall second, and again when parts stay away.
  std::optional<Envelope> take_request(Instant now);
  Instant next_deadline() const { return stream_.next_deadline(); }

  bool has_snapshot() const { return snapshots_ > 0; }
  std::uint64_t gaps() const { return gaps_; }  // published envelopes that never arrived
  std::uint64_t undecodable() const { return undecodable_; }

 private:
  bool take(Instant now, Peer from, const Envelope& envelope, Model& model);
  bool apply(Instant now, const Envelope& envelope, Model& model);
  void take_snapshot(Instant now, const std::vector<std::string>& messages, Model& model);

  PublishedStream stream_;
  MemoryTimeline* memory_;
  History* history_;
  std::uint64_t asked_count_ = 0;
  std::uint64_t snapshots_ = 0;
  std::uint64_t gaps_ = 0;
  std::uint64_t undecodable_ = 0;
};

}  // namespace drover::tui
