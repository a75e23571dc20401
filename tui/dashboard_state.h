// The state of a Dashboard, on which keys and commands act.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "tui/actions.h"
#include "tui/command_line.h"
#include "tui/dashboard.h"
#include "tui/destinations.h"
#include "tui/explain/idle_device.h"
#include "tui/explain/why_answers.h"
#include "tui/history/cursor_history.h"
#include "tui/history/device_history.h"
#include "tui/history/in_memory_timeline.h"
#include "tui/history/server_history.h"
#include "tui/history/stream_subscriber.h"
#include "tui/history/timeline_series.h"
#include "tui/history/trend_backfill.h"
#include "tui/model/model.h"
#include "tui/saved/choices.h"
#include "tui/state/frame_context.h"
#include "tui/state/playback_cursor.h"
#include "tui/views/views.h"

namespace drover::tui {

/// One wall second in fleet time.
inline Duration fleet_second(const DashboardOptions& options) {
  return from_seconds(options.speed);
}

/// The same in the time of `now`, which is wall time in a replay.
inline Duration wall_second(const DashboardOptions& options) {
  return options.replay.timeline != nullptr ? std::chrono::seconds(1) : fleet_second(options);
}

struct DashboardState {
  DashboardState(DashboardOptions chosen, Size size, Instant start);

  bool replay() const { return options.replay.timeline != nullptr; }
  const Model& model() const { return cursor.live() ? live_model : cursor.model(); }
  void changed() { dirty = true; }
  /// When the next wall second begins: the clock in the title moves and values age.
  Instant next_second() const;
  FrameContext frame() {
    return {.model = model(),
            .ui = views->ui,
            .subscriber = subscriber,
            .options = options,
            .now = cursor.shown(),
            .connected = connected,
            .connection_since = connection_since,
            .connect_refusal = connect_refusal,
            .cursor = cursor,
            .series = *series,
            .compared = compared,
            .fleet_trend = fleet_trend,
            .live_now = now,
            .recent = *recent,
            .history = history,
            .server_history = server_history,
            .click_targets = click_targets,
            .shell = shell,
            .breadcrumb = breadcrumb(),
            .first_hint = now < first_hint_end};
  }
  UiState& ui() { return views->ui; }
  const UiState& ui() const { return views->ui; }
  KeyContext key_context() { return {model(), cursor, now}; }
  std::optional<DeviceTable::Row> selected_row() const {
    return ui().device ? model().find(*ui().device) : std::nullopt;
  }
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
  /// Lays out the screen for the moment shown as of `now`.
  void arrange_now();
  /// Lays out the screen only if the rows of the last frame are out of date: keys act on what the
  /// user saw.
  void arrange_if_changed() {
    cursor.move(now);
    if (arranged != std::pair(model().structure(), cursor.changes())) arrange_now();
  }
  void find_recent();
  void find_curves();
  void find_series();
  void ask_for_older();
  void ask_for_older_curves();
  // Navigation (navigation.cpp).
  /// Shows a view. A device and the help lead back to where the user was; any other view is a new
  /// beginning.
  void show(ViewId next);
  /// Opens the selected item.
  void open();
  /// Closes what is open, else goes back to where the user came from, else clears the selection,
  /// then the filter.
  void back();
  /// The path to what is shown: "fleet", "gpu-a/3", "power".
  std::vector<std::string> breadcrumb() const;
  TrailStep step_here() const;
  std::vector<std::string> place_names() const;
  /// Compares the tagged devices, or goes back from there.
  void compare();
  /// Keeps the moment shown, with which others are compared.
  void keep_moment();
  /// The same in words.
  void mark_moment();
  /// Shows what is different from the marked moment, or goes back from there; without a mark, marks
  /// this moment.
  void show_changes();
  /// Of the selected host or device.
  std::optional<std::string> selected_host() const;
  /// Shows how the devices of a host are connected.
  void show_topology(const std::string& host);
  // Explanations (explaining.cpp).
  /// Explains the selected job, decision's job or idle device, or goes back from there.
  Status explain_selected();
  /// `subject`: a device, the first digits of a job's id, or nothing for the selection.
  Status explain(std::string_view subject);
  void explain_job(const JobId& job);
  Status explain_device(const DeviceId& device);
  /// Null while the past is shown: the router knows only the present.
  const WhyAnswers* answers_now() const;
  void ask_why();
  void go_deeper(TrailStep from, ViewId next);
  /// REQUIRES that there is a place to go back to.
  void go_back();
  void untag_all();
  // The selection and its table (selection.cpp).
  TableRows shown_table(std::string_view name);
  void copy_selection();
  void copy_as_json();
  /// `file`: empty for a name made of view and time.
  Status export_table(std::string_view file);
  /// Shows what the story's chapter is about, once for each chapter, while the screen follows it.
  void follow_story();
  /// Whether there is a story that the screen could follow.
  bool can_follow_story() const { return !replay() && live_model.caption().has_value(); }
  void take_text(const Key& key);
  bool enter(const Prompt& prompt);
  Completions completions_at_cursor(const Prompt& prompt);
  void take_answer(const Key& key);
  void ask_for_yes();
  void start_prompt(PromptKind kind, std::string text);
  std::string unfinished_word(const Prompt& prompt);
  /// Applies the filter or theme that is being typed as far as it is one.
  void follow_prompt();
  /// Closes the prompt; of a filter, the one before it applies again.
  void leave_prompt();
  // What is kept for the next start, bookmarks, and themes that are tried (kept_choices.cpp).
  void choices_may_differ();
  void keep_choices();
  void toggle_bookmark();
  void set_bookmark(std::string_view text);
  void tell_of(const std::optional<Bookmark>& mark);
  void follow_theme();
  // The search (search.cpp).
  void start_search();
  void find_destinations();
  void take_search(const Key& key);
  void take_found();
  /// An error that says why the fleet cannot be changed from here now, or success.
  Status check_can_control() const;
  /// Proposes a change of the fleet, which the user must confirm.
  Status propose(ActionFunction* action, std::string_view words);
  void propose_and_ask(ActionFunction* action, std::string_view words);
  /// Begins the line of a change that the user completes.
  void start_change(const std::string& line);
  void click(const Key& key);

  DashboardOptions options;
  InMemoryTimeline memory;
  DeviceHistory history;
  ServerHistory server_history;
  bool asked_for_curves = false, has_older_curves = false;  // of the router
  CursorHistory cursor_history;
  PlaybackCursor cursor;
  Model live_model;
  StreamSubscriber subscriber;
  std::unique_ptr<Views> views;
  Canvas canvas;
  Rect body;  // of the view
  /// The model of the layout: its structure, and the cursor's changes. No value: something else
  /// has changed since.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> arranged;
  std::uint64_t layouts = 0;
  std::vector<Effect> effects;
  Choices kept;             // as of the last effect
  Instant keep_at = never;  // when to look for changes of them
  std::string shown_theme;  // that of the settings, or one that is being typed
  SeriesReader reader;
  std::array<SeriesReader, compared_max> compared_readers;
  std::vector<const Series*> compared;
  Series nothing;  // when no device is shown
  const Series* series = &nothing;
  const DeviceHistory* recent = &history;
  TrendBackfill trend_past;
  std::vector<TrendPoint> fleet_trend;
  ClickTargets click_targets;
  /// What they refer to: as `arranged`, and the view.
  std::tuple<std::uint64_t, std::uint64_t, ViewId> click_targets_of{};
  ShellStats shell;
  std::vector<Destination> destinations;  // that the open search looks through
  std::optional<FleetAction> proposed;
  PendingAction pending_action;
  std::uint64_t asked_count = 0;
  WhyAnswers why_answers;
  IdleSubjects idle_subjects;
  Instant begun;  // when memory began
  /// Until then, or until the user has pressed a few keys, the hint row says how to begin.
  Instant first_hint_end = Instant::min();
  int first_keys = 0;
  std::optional<std::uint32_t> followed_chapter;  // shown last
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
