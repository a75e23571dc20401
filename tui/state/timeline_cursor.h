// The one time cursor: which moment is shown, and whether it moves. Live it stands at now; paused,
// stepped or gone back to, it shows the past while the live model goes on; in a replay there is
// only the past. Its own time is an argument, like everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tui/history/timeline.h"
#include "tui/state/keymap.h"

namespace drover::tui {

inline constexpr std::size_t bookmarks_max = 100;

class TimeCursor {
 public:
  /// `pace`: moments per unit of `now` at rate 1. Live, `now` is fleet time, and pace is 1.
  struct Start {
    bool replay = false;
    double pace = 1;
    double rate = 1;
    std::optional<Instant> at;  // replay: where to begin; none: at the first moment
    bool paused = false;
  };
  TimeCursor(const Timeline& timeline, const Start& start, Instant now);

  /// What is shown is now.
  bool live() const { return mode_ == Mode::live; }
  bool playing() const { return mode_ == Mode::playing; }
  bool replay() const { return start_.replay; }
  double rate() const { return rate_; }
  /// The instant that is shown, as of the last `move`.
  Instant shown() const { return shown_; }
  /// Why it stands, or does not do what a key asks: "end of the recording"; empty mostly.
  const std::string& note() const { return note_; }
  void forget_note() { note_.clear(); }
  /// The note that answers a key which is not of the cursor.
  void say(std::string note) { note_ = std::move(note); }
  const Timeline& timeline() const { return timeline_; }
  /// Up to when something can be shown: now, or the recording's end.
  Instant latest(Instant now) const { return start_.replay ? timeline_.last() : now; }

  /// Moves on to `now`, and the model with it.
  void move(Instant now);
  /// The model of shown(). REQUIRES !live().
  const Model& model() const { return moment_->model; }

  /// Counts up when model() is another one than before, whose rows mean other devices.
  std::uint64_t changes() const { return changes_; }

  /// Whether a command is one of the cursor's: from Command::pause to Command::slower.
  static bool takes(Command command);
  void take(Command command, Instant now);
  /// To a time, and stands there.
  void go_to(Instant at, Instant now);

  /// In order of time.
  const std::vector<Instant>& bookmarks() const { return bookmarks_; }
  /// Plays again and again from `begin` to `end`; until the end is set, `end` is `never`.
  struct Loop {
    Instant begin{}, end = never;
  };
  const std::optional<Loop>& loop() const { return loop_; }

 private:
  enum class Mode : std::uint8_t { live, paused, playing };
  void show(Instant at);
  void play(Instant now);
  void pause_or_go_on(Instant now);
  void jump(bool forward, Instant now);
  void go_live(Instant now);
  void change_rate(int step, Instant now);
  void toggle_bookmark();
  void begin_loop();
  void end_loop(Instant now);

  const Timeline& timeline_;
  Start start_;
  Mode mode_ = Mode::live;
  double rate_ = 1;
  Instant shown_{};
  Instant anchor_{};  // `now` when `anchor_shown_` was shown
  Instant anchor_shown_{};
  std::optional<Moment> moment_;  // of shown_; none: live
  std::vector<Instant> bookmarks_;
  std::optional<Loop> loop_;
  std::uint64_t changes_ = 0;
  std::string note_;
};

}  // namespace drover::tui
