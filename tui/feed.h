// From envelopes to the model, in order: follows the router's published stream, asks for a snapshot
// at the start and after every gap, and joins the two.
//
// News is applied to the model at once, also while a snapshot is on its way, so the screen never
// waits. What a snapshot could set back (hosts, replicas, jobs) is kept until the snapshot is whole
// and then applied again on top of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "fleet/outbox.h"
#include "fleet/time.h"
#include "tui/model.h"
#include "tui/timeline_memory.h"

namespace drover::tui {

inline constexpr std::size_t held_envelopes_max = 20'000;   // about a minute of a busy router
inline constexpr std::uint32_t snapshot_parts_max = 4'096;  // of 256 KiB: one GiB

class Feed {
 public:
  /// `wall` is one wall second in fleet time. The first snapshot is wanted at once. What is done to
  /// the model is told to `memory`, if there is one.
  explicit Feed(Duration wall, MemoryTimeline* memory = nullptr) : wall_(wall), memory_(memory) {}

  /// Applies to the model what may be applied; answers whether something to see changed.
  bool receive(Instant now, Peer from, const Envelope& envelope, Model& model);
  /// The connection came back: what was missed is unknown.
  void want_snapshot();
  /// A request that is due now; at most one a wall second, and again when parts stay away.
  std::optional<Envelope> take_request(Instant now);
  Instant next_deadline() const;

  bool has_snapshot() const { return snapshots_ > 0; }
  std::uint64_t gaps() const { return gaps_; }  // published envelopes that never arrived
  std::uint64_t undecodable() const { return undecodable_; }

 private:
  bool take(Instant now, Peer from, const Envelope& envelope, Model& model);
  bool apply(Instant now, const Envelope& envelope, Model& model);
  bool receive_published(Instant now, const Envelope& envelope, Model& model);
  bool receive_part(Instant now, const SnapshotPart& part, Model& model);
  void finish_snapshot(Instant now, Model& model);

  Duration wall_;
  MemoryTimeline* memory_;
  bool wanted_ = true;
  bool pending_ = false;  // asked, and not all parts are here
  Instant asked_ = Instant::min();
  std::uint64_t asked_count_ = 0;
  std::uint64_t published_ = 0;  // sequence of the last published envelope; 0: none yet
  std::uint64_t snapshots_ = 0;
  std::uint64_t gaps_ = 0;
  std::uint64_t undecodable_ = 0;
  std::uint64_t part_snapshot_ = 0;  // whose parts are being gathered
  std::uint64_t at_sequence_ = 0;    // of the last snapshot
  std::uint64_t last_missing_ = 0;   // last published envelope known to be lost
  std::vector<std::optional<std::vector<std::string>>> parts_;
  std::uint32_t parts_here_ = 0;
  std::vector<Envelope> held_;
  bool held_overflow_ = false;
};

}  // namespace drover::tui
