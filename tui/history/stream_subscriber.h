// Applies envelopes to the model in order: it follows the router's published stream, requests a
// snapshot at the start and after every gap, and merges the two (fleet/socket/published_stream.h).
// Messages are applied at once, also while a snapshot is on its way, so the screen never waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"
#include "fleet/socket/published_stream.h"
#include "tui/history/device_history.h"
#include "tui/history/in_memory_timeline.h"
#include "tui/model/model.h"

namespace drover::tui {

class StreamSubscriber {
 public:
  /// `wall` is one wall second in fleet time. The first snapshot is requested at once. Everything
  /// applied to the model is added to `memory`, and samples of known hosts to `history`, if given.
  explicit StreamSubscriber(Duration wall, InMemoryTimeline* memory = nullptr,
                            DeviceHistory* history = nullptr)
      : stream_(wall), memory_(memory), history_(history) {}

  /// Applies the envelope to the model and returns whether something visible changed. `encoded`: as
  /// it came, so that the memory need not encode it again.
  bool receive(Instant now, Peer from, const Envelope& envelope, Model& model,
               std::string_view encoded = {});
  /// Called after a reconnect, as messages may have been missed.
  void request_snapshot() { stream_.request_snapshot(); }
  /// A request that is due now: at most one per wall second, repeated while parts are missing.
  std::optional<Envelope> take_snapshot_request(Instant now);
  Instant next_deadline() const { return stream_.next_deadline(); }

  bool has_snapshot() const { return snapshots_ > 0; }
  std::uint64_t gaps() const { return gaps_; }  // published envelopes that never arrived
  std::uint64_t undecodable() const { return undecodable_; }

 private:
  bool take(Instant now, Peer from, const Envelope& envelope, Model& model,
            std::string_view encoded);
  bool apply(Instant now, const Envelope& envelope, Model& model, std::string_view encoded);
  void take_snapshot(Instant now, const std::vector<std::string>& messages, Model& model);

  PublishedStream stream_;
  InMemoryTimeline* memory_;
  DeviceHistory* history_;
  std::uint64_t asked_count_ = 0;
  std::uint64_t snapshots_ = 0;
  std::uint64_t gaps_ = 0;
  std::uint64_t undecodable_ = 0;
};

}  // namespace drover::tui
