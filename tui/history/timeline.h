// Past moments of a fleet: what was heard, when, and models of some instants to start from. The
// dashboard's own memory of its stream is one (timeline_memory.h), a recording another.
//
// The model at an instant is made of the instant's keyframe and all that was heard from there up to
// it. Whoever asks twice gets the same, whatever was asked for between.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/sample/sample.h"
#include "tui/model/model.h"

namespace drover::tui {

/// One thing that was heard. What stands between `snapshot_begins` and `snapshot_ends` is all there
/// was at that moment: what it does not name is gone.
struct Heard {
  enum class Kind : std::uint8_t { news, snapshot_begins, snapshot_ends, router_restarts };
  Kind kind = Kind::news;
  Instant at{};                // when it arrived, not when it was sent
  Envelope envelope{};         // of news
  bool snapshot_part = false;  // news between the two
  bool operator==(const Heard&) const = default;
};

/// The same for a live stream and for a moment made anew.
bool apply(Model& model, const Heard& heard);

/// A model of one instant, and where in its timeline it stands.
struct Moment {
  Instant at{};
  std::uint64_t position = 0;  // of the first thing that it does not know
  Model model;
  Instant keyframe{};  // of the one that it was made from
};

/// Something that a person may want to jump to, or see on a time axis.
struct Mark {
  enum class Kind : std::uint8_t { alert, event, caption };  // alert: raised
  Instant at{};
  Kind kind = Kind::event;
  Severity severity = Severity::info;
  std::string subject;
  std::string text;
  bool operator==(const Mark&) const = default;
};

/// A time of which not everything is known: what was heard is missing. From `end` on the state is
/// whole again.
struct Gap {
  Instant from{};
  Instant end{};
  bool operator==(const Gap&) const = default;
};

/// The mark that news is, if it is one: a raised alert, a warning or critical event, a caption.
bool is_mark(const Heard& heard, Mark& mark);

class Timeline {
 public:
  using Visit = std::function<void(const Heard&)>;
  using VisitBatch = std::function<void(Instant at, const SampleBatch&)>;

  virtual ~Timeline() = default;
  /// What is covered, both ends included. Equal when nothing is.
  virtual Instant first() const = 0;
  virtual Instant last() const = 0;

  /// The keyframe of `at`: one at or before it; the first one where none is.
  virtual Moment keyframe(Instant at) const = 0;
  /// Where the keyframe of `at` stands; cheap, to see whether it lies ahead.
  virtual Instant keyframe_before(Instant at) const = 0;
  /// How far back from a moment all that was heard may be read while a person waits.
  virtual Duration reach() const { return Duration::max(); }
  /// Whether going on from `moment` to a later instant gives what its keyframe would.
  virtual bool leads_to(const Moment& moment, Instant to) const = 0;
  /// Shows, in order, what was heard from `position` on up to `to` (included), and answers the
  /// position behind it. REQUIRES that all from `position` on is still there.
  virtual std::uint64_t visit(std::uint64_t position, Instant to, const Visit& visit) const = 0;
  /// The stream's batches of one host in (from, to], in order; those of snapshots are left out.
  /// Without a host's name: those of all.
  virtual void visit_batches(const std::string& host, Instant from, Instant to,
                             const VisitBatch& visit) const = 0;
  /// In order of time, at most some thousands.
  virtual const std::vector<Mark>& marks() const = 0;
  /// In order, apart from one another; mostly none.
  virtual const std::vector<Gap>& gaps() const;
};

/// The one that the moment lies in. What it begins with was heard; what it ends with is known.
const Gap* gap_at(const Timeline& timeline, Instant at);

/// Brings a moment of `timeline` to `to`, forward or back: over keyframes where that is nearer.
/// Then its model is another one, whose rows may mean other devices; answers whether that is so.
bool seek(const Timeline& timeline, Moment& moment, Instant to);
/// The moment at `at`, from a keyframe.
Moment moment_at(const Timeline& timeline, Instant at);

}  // namespace drover::tui
