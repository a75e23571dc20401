#include "tui/state/playback_cursor.h"

#include <algorithm>
#include <array>

namespace drover::tui {
namespace {

constexpr std::array rates = {0.1,  0.25, 0.5,   1.0,   2.0,   5.0,   10.0,
                              20.0, 50.0, 100.0, 200.0, 500.0, 1000.0};
constexpr Duration step_length = std::chrono::seconds(1);  // fleet time: the sample interval

bool is_stop(const TimelineMarker& mark) { return mark.kind != TimelineMarker::Kind::caption; }

}  // namespace

PlaybackCursor::PlaybackCursor(const Timeline& memory, const Replay& replay, double replay_speed,
                               Instant now)
    : timeline_(replay.timeline == nullptr ? memory : *replay.timeline),
      replay_(replay.timeline != nullptr),
      replay_speed_(replay_ ? replay_speed : 1),
      shown_(now) {
  if (!replay_) return;
  rate_ = std::clamp(replay.rate, rates.front(), rates.back());
  mode_ = Mode::paused;
  show(std::clamp(replay.at.value_or(timeline_.first()), timeline_.first(), timeline_.last()));
  if (!replay.paused) play(now);
}

void PlaybackCursor::move(Instant now) {
  if (mode_ == Mode::live) shown_ = now;
  if (mode_ != Mode::playing) return;
  const double passed_s = to_seconds(now - anchor_) * rate_ * replay_speed_;
  const Instant to = saturating_add(anchor_shown_, from_seconds(passed_s));
  if (loop_ && to >= loop_->end) {
    show(loop_->begin);
    return play(now);
  }
  if (!replay_ && rate_ > 1 && to >= now) return catch_up(now);
  show(std::min(to, latest(now)));
  if (shown_ > to) play(now);  // the moment is no longer kept
  if (replay_ && to >= timeline_.last()) {
    mode_ = Mode::paused;
    note_ = "end of the recording";
  }
}

/// Shows the instant, or the nearest one available.
void PlaybackCursor::show(Instant at) {
  if (moment_ && moment_->at == at) {
    shown_ = at;
    return;
  }
  if (!moment_) {
    moment_ = model_snapshot_at(timeline_, at);
    ++changes_;
  } else if (seek(timeline_, *moment_, at)) {
    ++changes_;
  }
  shown_ = moment_->at;
}

void PlaybackCursor::play(Instant now) {
  mode_ = Mode::playing;
  anchor_ = now;
  anchor_shown_ = shown_;
}

void PlaybackCursor::begin_key(Instant now) {
  move(now);
  note_.clear();
}

void PlaybackCursor::step(int seconds, Instant now) {
  begin_key(now);
  if (live() && seconds > 0) return;
  go_to(saturating_add(shown_, seconds * step_length), now);
}

void PlaybackCursor::pause_or_go_on(Instant now) {
  begin_key(now);
  if (mode_ == Mode::paused) {
    if (replay_ && shown_ >= timeline_.last()) {
      note_ = "end of the recording";
    } else {
      play(now);
    }
    return;
  }
  show(shown_);
  mode_ = Mode::paused;
}

void PlaybackCursor::go_to(Instant at, Instant now) {
  note_.clear();
  const Instant least = timeline_.first();
  const Instant most = std::max(least, latest(now));
  if (at < least) note_ = replay_ ? "beginning of the recording" : "nothing older is kept";
  if (at > most) note_ = replay_ ? "end of the recording" : "already live";
  mode_ = Mode::paused;
  // If the shown moment is no longer kept, stepping back must not move forward.
  show(std::clamp(at, std::min(least, shown_), most));
}

void PlaybackCursor::jump(bool forward, Instant now) {
  begin_key(now);
  std::optional<Bookmark> found;  // or an alert or warning, without a text
  const Instant first = timeline_.first(), last = latest(now);
  // The nearest in the direction of the jump. At one moment, a text is worth more than none.
  const auto consider = [&](Instant at, const std::string& text) {
    if (forward ? at <= shown_ : at >= shown_) return;
    if (found && found->at == at && found->text.empty()) found->text = text;
    if (!found || (forward ? at < found->at : at > found->at)) found = Bookmark{at, text};
  };
  for (const TimelineMarker& mark : timeline_.markers()) {
    const bool recorded = mark.kind == TimelineMarker::Kind::bookmark;
    if (is_stop(mark)) consider(mark.at, recorded ? mark.text : std::string());
  }
  for (const Bookmark& mark : bookmarks_) {
    if (mark.at >= first && mark.at <= last) consider(mark.at, mark.text);
  }
  if (!found) {
    // There may have been older ones, which a snapshot contained.
    note_ = forward   ? "no later alert or warning"
            : replay_ ? "no older alert is recorded"
                      : "no older alert is kept";
    return;
  }
  go_to(found->at, now);
  if (!found->text.empty() && note_.empty()) note_ = to_text(*found);
}

std::vector<Bookmark>::iterator PlaybackCursor::bookmark_from_here() {
  return std::ranges::lower_bound(bookmarks_, shown_, {}, &Bookmark::at);
}

std::optional<Bookmark> PlaybackCursor::add_bookmark(std::vector<Bookmark>::iterator place,
                                                     std::string text) {
  if (bookmarks_.size() >= bookmarks_max) {
    note_ = "too many bookmarks: press m on one to remove it";
    return {};
  }
  const Bookmark mark{shown_, std::move(text)};
  bookmarks_.insert(place, mark);
  note_ = mark.text.empty() ? "bookmark at " + to_clock_text(shown_) + ": { and } jump to it"
                            : to_text(mark);
  return mark;
}

std::optional<Bookmark> PlaybackCursor::toggle_bookmark(Instant now) {
  begin_key(now);
  const auto place = bookmark_from_here();
  if (place == bookmarks_.end() || place->at != shown_) return add_bookmark(place, {});
  bookmarks_.erase(place);
  note_ = "bookmark at " + to_clock_text(shown_) + " removed";
  return {};
}

std::optional<Bookmark> PlaybackCursor::set_bookmark(std::string text, Instant now) {
  begin_key(now);
  const auto place = bookmark_from_here();
  if (place == bookmarks_.end() || place->at != shown_) return add_bookmark(place, std::move(text));
  place->text = std::move(text);
  note_ = to_text(*place);
  return *place;
}

void PlaybackCursor::begin_loop(Instant now) {
  begin_key(now);
  if (loop_ && loop_->begin == shown_) {
    loop_.reset();
    note_ = "loop removed";
    return;
  }
  loop_ = Loop{shown_, never};
  note_ = "loop begins at " + to_clock_text(shown_) + ": press ) at its end";
}

void PlaybackCursor::end_loop(Instant now) {
  begin_key(now);
  if (live() || !loop_ || shown_ <= loop_->begin) {
    note_ = live() ? "loops need a past moment: press Space or [ first"
                   : "set the start of the loop first, with (";
    return;
  }
  loop_->end = shown_;
  show(loop_->begin);
  play(now);
}

void PlaybackCursor::go_live(Instant now) {
  begin_key(now);
  if (!replay_) return catch_up(now);
  go_to(timeline_.last(), now);
  note_ = "end of the recording";
}

/// Shows the current time from now on.
void PlaybackCursor::catch_up(Instant now) {
  if (moment_) ++changes_;
  mode_ = Mode::live;
  shown_ = now;
  rate_ = 1;
  loop_.reset();
  moment_.reset();
}

void PlaybackCursor::change_rate(int steps, Instant now) {
  begin_key(now);
  if (live()) {
    note_ = "live speed cannot change: press Space or [ first";
    return;
  }
  const auto at = std::lower_bound(rates.begin(), rates.end(), rate_) - rates.begin();
  const auto next = std::clamp<std::ptrdiff_t>(at + steps, 0, std::ssize(rates) - 1);
  rate_ = rates[static_cast<std::size_t>(next)];
  if (mode_ == Mode::playing) play(now);
}

}  // namespace drover::tui
