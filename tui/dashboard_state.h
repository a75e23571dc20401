// What a dashboard holds, for the files that make it up.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "tui/dashboard.h"
#include "tui/history/feed.h"
#include "tui/history/history.h"
#include "tui/history/history_moment.h"
#include "tui/history/timeline_memory.h"
#include "tui/history/timeline_series.h"
#include "tui/history/trend_past.h"
#include "tui/model/model.h"
#include "tui/state/actions.h"
#include "tui/state/command_line.h"
#include "tui/state/scene.h"
#include "tui/state/timeline_cursor.h"

namespace drover::tui {

/// A wall second in fleet time.
inline Duration fleet_second(const DashboardOptions& options) {
  return from_seconds(options.speed);
}

struct Dashboard::State {
  State(DashboardOptions chosen, Size size, Instant start);

  bool replay() const { return options.replay.timeline != nullptr; }
  const Model& model() const { return cursor.live() ? live_model : cursor.model(); }
  void changed() { dirty = true; }
  /// The clock in the title moves and values age once a wall second.
  Instant next_second() const;
  Scene scene() {
    return {.model = model(),
            .choices = choices,
            .feed = feed,
            .options = options,
            .now = cursor.shown(),
            .connected = connected,
            .connection_since = connection_since,
            .barred = barred,
            .cursor = cursor,
            .series = *series,
            .curves = curves,
            .live_now = now,
            .recent = *recent,
            .history = history,
            .hits = hits,
            .shell = shell};
  }
  Desk desk() { return {model(), choices, cursor, options, now, proposed, settings_wish}; }
  bool is_raised(const Alert& alert) const {
    return live_model.alerts().contains({alert.rule, alert.subject});
  }
  void arrange_now();
  void find_recent();
  void find_curves(int columns);
  void take(Command command);
  void take_text(const Key& key);
  bool enter(const Prompt& prompt);
  Offers offers_at_cursor(const Prompt& prompt);
  void take_answer(const Key& key);
  void ask_for_yes();
  void say_note();
  void start_prompt(PromptKind kind, std::string text);
  void begin_prompt(Command command);
  void begin_change(Command command);
  void click(const Key& key);

  DashboardOptions options;
  MemoryTimeline memory;
  History history;
  MomentHistory moment_history;
  TimeCursor cursor;
  Model live_model;
  Feed feed;
  Choices choices;
  Canvas canvas;
  Outbox outbox;
  SeriesReader reader;
  Series nothing;  // of no device
  const Series* series = &nothing;
  const History* recent = &history;
  TrendPast trend_past;
  std::vector<TrendPoint> curves;
  Hits hits;
  std::pair<std::uint64_t, std::uint64_t> hits_of{};  // the model whose rows they mean
  ShellFacts shell;
  std::optional<Action> proposed;
  AskedAction asked;
  std::uint64_t asked_count = 0;
  std::optional<std::string> policy_file;
  std::optional<SettingsWish> settings_wish;
  Instant now;
  Instant drawn_at = Instant::min();  // before the first frame
  Instant connection_since;
  std::uint64_t cursor_changes = 0;
  bool connected = true;
  std::string barred;  // why the router refuses us; empty: it does not
  bool story_toggled = false;
  bool bell = false;
  bool dirty = true;    // a frame is wanted, at the pace of frames
  bool pressed = true;  // a frame is wanted at once
};

}  // namespace drover::tui
