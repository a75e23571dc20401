// The state of a Dashboard, for the source files that implement it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "tui/dashboard.h"
#include "tui/history/cursor_history.h"
#include "tui/history/device_history.h"
#include "tui/history/in_memory_timeline.h"
#include "tui/history/stream_subscriber.h"
#include "tui/history/timeline_series.h"
#include "tui/history/trend_backfill.h"
#include "tui/model/model.h"
#include "tui/state/actions.h"
#include "tui/state/command_line.h"
#include "tui/state/frame_context.h"
#include "tui/state/playback_cursor.h"

namespace drover::tui {

/// One wall second in fleet time.
inline Duration fleet_second(const DashboardOptions& options) {
  return from_seconds(options.speed);
}

struct Dashboard::State {
  State(DashboardOptions chosen, Size size, Instant start);

  bool replay() const { return options.replay.timeline != nullptr; }
  const Model& model() const { return cursor.live() ? live_model : cursor.model(); }
  void changed() { dirty = true; }
  /// When the next wall second begins: the clock in the title moves and values age.
  Instant next_second() const;
  FrameContext frame() {
    return {.model = model(),
            .ui = ui,
            .subscriber = subscriber,
            .options = options,
            .now = cursor.shown(),
            .connected = connected,
            .connection_since = connection_since,
            .connect_refusal = connect_refusal,
            .cursor = cursor,
            .series = *series,
            .fleet_trend = fleet_trend,
            .live_now = now,
            .recent = *recent,
            .history = history,
            .click_targets = click_targets,
            .shell = shell};
  }
  CommandContext context() { return {model(), ui, cursor, options, now, proposed, effects}; }
  bool is_raised(const Alert& alert) const {
    return live_model.alerts().contains({alert.rule, alert.subject});
  }
  /// Rings once, however many alerts were raised since the effects were taken.
  void ring() {
    const auto rings = [](const Effect& effect) {
      return std::holds_alternative<RingBell>(effect);
    };
    if (std::ranges::none_of(effects, rings)) effects.push_back(RingBell{});
  }
  void arrange_now();
  void find_recent();
  void find_curves(int columns);
  void take(Command command);
  void take_text(const Key& key);
  bool enter(const Prompt& prompt);
  Completions completions_at_cursor(const Prompt& prompt);
  void take_answer(const Key& key);
  void ask_for_yes();
  void say_note();
  void start_prompt(PromptKind kind, std::string text);
  void begin_prompt(Command command);
  void begin_change(Command command);
  void click(const Key& key);

  DashboardOptions options;
  InMemoryTimeline memory;
  DeviceHistory history;
  CursorHistory cursor_history;
  PlaybackCursor cursor;
  Model live_model;
  StreamSubscriber subscriber;
  UiState ui;
  Canvas canvas;
  std::vector<Effect> effects;
  SeriesReader reader;
  Series nothing;  // when no device is shown
  const Series* series = &nothing;
  const DeviceHistory* recent = &history;
  TrendBackfill trend_past;
  std::vector<TrendPoint> fleet_trend;
  ClickTargets click_targets;
  std::pair<std::uint64_t, std::uint64_t> click_targets_model{};  // of the model they refer to
  ShellStats shell;
  std::optional<FleetAction> proposed;
  PendingAction pending_action;
  std::uint64_t asked_count = 0;
  Instant now;
  Instant drawn_at = Instant::min();  // before the first frame
  Instant connection_since;
  std::uint64_t cursor_changes = 0;
  bool connected = true;
  std::string connect_refusal;  // why the router refuses us; empty if it does not
  bool dirty = true;            // a frame is due at the next frame interval
  bool pressed = true;          // a frame is due at once
};

}  // namespace drover::tui
