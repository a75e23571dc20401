// The playback cursor: which moment is shown, and whether it moves. In live mode it shows the
// current time. Paused, stepped or moved back, it shows the past while the live model continues. A
// replay has only the past. The current time is an argument of each call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tui/history/timeline.h"
#include "tui/state/bookmark.h"
#include "tui/state/dashboard_options.h"

namespace drover::tui {

class PlaybackCursor {
 public:
  /// `memory`: the timeline if this is no replay. `replay_speed`: how fast a replay's time passes
  /// relative to `now` at rate 1; in live mode, `now` is fleet time.
  PlaybackCursor(const Timeline& memory, const Replay& replay, double replay_speed, Instant now);

  /// Whether the current time is shown.
  bool live() const { return mode_ == Mode::live; }
  bool playing() const { return mode_ == Mode::playing; }
  bool replay() const { return replay_; }
  double rate() const { return rate_; }
  /// The instant shown, as of the last `move`.
  Instant shown() const { return shown_; }
  /// Why it stopped, or why a key had no effect: "end of the recording"; usually empty.
  const std::string& note() const { return note_; }
  void forget_note() { note_.clear(); }
  /// Sets the note, in reply to a key that is no cursor command.
  void say(std::string note) { note_ = std::move(note); }
  const Timeline& timeline() const { return timeline_; }
  /// The latest moment that can be shown: now, or the recording's end.
  Instant latest(Instant now) const { return replay_ ? timeline_.last() : now; }

  /// Advances to `now`, and the model with it.
  void move(Instant now);
  /// The model of shown(). REQUIRES !live().
  const Model& model() const { return moment_->model; }

  /// Incremented when model() is replaced: its rows then refer to other devices.
  std::uint64_t changes() const { return changes_; }

  // What keys do. Each of these forgets the note of the one before.

  void pause_or_go_on(Instant now);
  /// Moves this many seconds and pauses there.
  void step(int seconds, Instant now);
  /// Moves to the next alert, warning or bookmark that can be reached, or to the one before.
  void jump(bool forward, Instant now);
  void go_live(Instant now);
  /// Bookmarks the moment shown, or removes its bookmark. Returns the new bookmark.
  std::optional<Bookmark> toggle_bookmark(Instant now);
  /// Bookmarks the moment shown with this text, or gives its bookmark the text. Returns it.
  std::optional<Bookmark> set_bookmark(std::string text, Instant now);
  void begin_loop(Instant now);
  void end_loop(Instant now);
  /// Plays faster or slower by this many steps.
  void change_rate(int steps, Instant now);
  /// Moves to a time and pauses there.
  void go_to(Instant at, Instant now);

  /// In order of time.
  const std::vector<Bookmark>& bookmarks() const { return bookmarks_; }
  /// Replaces them by those of an earlier run. REQUIRES the order of time, at most bookmarks_max.
  void restore_bookmarks(std::vector<Bookmark> bookmarks) { bookmarks_ = std::move(bookmarks); }
  /// Playback repeats from `begin` to `end`, which is `never` until it is set.
  struct Loop {
    Instant begin{}, end = never;
  };
  const std::optional<Loop>& loop() const { return loop_; }

 private:
  enum class Mode : std::uint8_t { live, paused, playing };
  void show(Instant at);
  void play(Instant now);
  void catch_up(Instant now);
  /// Advances to `now` and forgets the note.
  void begin_key(Instant now);
  /// The first bookmark that is not before the moment shown.
  std::vector<Bookmark>::iterator bookmark_from_here();
  std::optional<Bookmark> add_bookmark(std::vector<Bookmark>::iterator place, std::string text);

  const Timeline& timeline_;
  bool replay_;
  double replay_speed_;
  Mode mode_ = Mode::live;
  double rate_ = 1;
  Instant shown_{};
  Instant anchor_{};  // the `now` at which `anchor_shown_` was shown
  Instant anchor_shown_{};
  std::optional<ModelSnapshot> moment_;  // of shown_; none when live
  std::vector<Bookmark> bookmarks_;
  std::optional<Loop> loop_;
  std::uint64_t changes_ = 0;
  std::string note_;
};

}  // namespace drover::tui
