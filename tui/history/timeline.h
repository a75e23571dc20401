// The past of a fleet: the received messages with their times, and models of some instants
// (keyframes). The dashboard's memory of its own stream is one (in_memory_timeline.h), a recording
// is another.
//
// The model at an instant is built from the instant's keyframe and all messages from there up to
// the instant. The result does not depend on earlier queries.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/sample/sample.h"
#include "tui/model/model.h"

namespace drover::tui {

/// A recorded message or boundary of the stream. The messages between `snapshot_begins` and
/// `snapshot_ends` are the complete state of that moment: whatever they do not contain is gone.
struct StreamRecord {
  enum class Kind : std::uint8_t { message, snapshot_begins, snapshot_ends, router_restarts };
  Kind kind = Kind::message;
  Instant at{};                // when it arrived, not when it was sent
  Envelope envelope{};         // of a message
  bool snapshot_part = false;  // a message of a snapshot
  bool operator==(const StreamRecord&) const = default;
};

/// Applies a record, of the live stream or of a timeline.
void apply(Model& model, const StreamRecord& record);

/// The model of one instant, and its position in the timeline.
struct ModelSnapshot {
  Instant at{};
  std::uint64_t position = 0;  // of the first record not applied
  Model model;
  Instant keyframe{};  // that it was built from
};

/// A moment to jump to and to show on a time axis.
struct TimelineMarker {
  // alert: raised; bookmark: one that was recorded
  enum class Kind : std::uint8_t { alert, event, caption, bookmark };
  Instant at{};
  Kind kind = Kind::event;
  Severity severity = Severity::info;
  std::string subject;
  std::string text;
  bool operator==(const TimelineMarker&) const = default;
};

/// A time span in which messages are missing. From `end` on the state is complete again.
struct Gap {
  Instant from{};
  Instant end{};
  bool operator==(const Gap&) const = default;
};

/// The marker of a record, if it has one: a raised alert, a warning or critical event, a caption.
std::optional<TimelineMarker> timeline_marker_of(const StreamRecord& record);

class Timeline {
 public:
  using Visit = std::function<void(const StreamRecord&)>;
  using VisitBatch = std::function<void(Instant at, const SampleBatch&)>;

  virtual ~Timeline() = default;
  /// The covered time, both ends included; equal if there is none.
  virtual Instant first() const = 0;
  virtual Instant last() const = 0;

  /// The last keyframe at or before `at`; the first one if there is none before.
  virtual ModelSnapshot keyframe(Instant at) const = 0;
  /// The time of keyframe(at), without the cost of building it.
  virtual Instant keyframe_before(Instant at) const = 0;
  /// How far back from a moment all messages can be read while the user waits.
  virtual Duration reach() const { return Duration::max(); }
  /// Whether advancing `moment` to `to` gives the same model as starting from keyframe(to).
  virtual bool can_advance_to(const ModelSnapshot& moment, Instant to) const = 0;
  /// Visits in order all records from `position` up to the time `to` (included) and returns the
  /// position after them. REQUIRES that all records from `position` on are still kept.
  virtual std::uint64_t visit(std::uint64_t position, Instant to, const Visit& visit) const = 0;
  /// Visits in order the stream's batches of a host, or of all if `host` is empty, in (from, to].
  /// Batches of snapshots are left out.
  virtual void visit_batches(const std::string& host, Instant from, Instant to,
                             const VisitBatch& visit) const = 0;
  /// In order of time, at most some thousands.
  virtual const std::vector<TimelineMarker>& markers() const = 0;
  /// In order, without overlaps; usually none.
  virtual const std::vector<Gap>& gaps() const;
};

/// The gap that contains the moment, both ends excluded; null if there is none.
const Gap* gap_at(const Timeline& timeline, Instant at);

/// Moves a snapshot of `timeline` to `to`, forward or back, from a keyframe if that is nearer.
/// Returns whether its model was replaced, so that its rows may refer to other devices.
bool seek(const Timeline& timeline, ModelSnapshot& moment, Instant to);
/// The snapshot at `at`, built from a keyframe.
ModelSnapshot model_snapshot_at(const Timeline& timeline, Instant at);

}  // namespace drover::tui
