// Connects the dashboard core to a session and, if there is one, a terminal. Used by top, frame and
// demo.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "commands/connection/session.h"
#include "commands/dashboard/dashboard_settings.h"
#include "commands/dashboard/history_client.h"
#include "commands/shell/clock.h"
#include "commands/shell/options.h"
#include "fleet/base/result.h"
#include "tui/dashboard.h"
#include "tui/history/router_history.h"
#include "tui/terminal/terminal.h"

namespace drover::commands {

/// Statistics of the frames, which the telemetry view shows.
class FrameStats {
 public:
  /// Records the time that drawing one frame took.
  void record_frame(WallSpan took);
  /// The statistics at `now`; rates are over about the last second.
  tui::ShellStats shell_stats(const tui::TerminalStats& stats, WallTime now);

 private:
  double draw_s_ = absent;
  double bytes_per_s_ = absent;
  std::optional<WallTime> window_;  // its start; no value: none yet
  std::uint64_t window_bytes_ = 0;
};

/// The option `--device`, and its value; empty if it is not given.
Option device_option();
std::string read_device(Arguments& arguments);

/// The option `--size`, "120x40", with the smallest size that the dashboard can be drawn in.
Option size_option();
tui::Size read_size(Arguments& arguments);

/// Passes typed keys to the dashboard. Called before a frame is drawn: keys must not wait.
void forward_keys(tui::Terminal& terminal, tui::Dashboard& core, Instant now);
/// Draws a frame if one is due and the terminal has accepted the previous one.
void show_frame(tui::Terminal& terminal, tui::Dashboard& core, FrameStats& stats, Instant now);
/// Extends the wait if the terminal has not accepted the previous frame: its descriptor becomes
/// ready when it has.
std::chrono::milliseconds frame_wait(const tui::Terminal& terminal, std::chrono::milliseconds wait);

class DashboardLoop {
 public:
  /// Subscribes to the published stream of the session's router. The session must outlive the loop.
  /// What the session knows is set in `options`.
  static Result<std::unique_ptr<DashboardLoop>> open(Session& session,
                                                     tui::DashboardOptions options, tui::Size size);

  /// Reads keys from this terminal and draws frames on it from now on. Settings that the user or
  /// the settings file changes are followed.
  void attach(tui::Terminal& terminal, DashboardSettings& settings);
  /// Asks this client for the history before memory. The options must name it.
  void attach(HistoryClient& history) { history_ = &history; }

  /// One turn: waits at most `longest` for messages, keys, a watched descriptor of the session's
  /// sockets or a deadline. Then handles them and shows a frame if one is due.
  void turn(std::chrono::milliseconds longest);

  /// Shows a message of this process to the user, like one of the router.
  void show(Message message);

  tui::Dashboard& core() { return core_; }
  /// Whether the user asked to quit.
  bool quit() const { return quit_; }
  /// Called with every message before the dashboard receives it.
  std::function<void(Peer, const Envelope&, const std::string& encoded)> on_message;
  /// Called when the user has bookmarked a moment.
  std::function<void(const Bookmark&)> on_bookmark;
  /// Called when the user asks to pause or resume the story.
  std::function<void()> on_story_toggle;

 private:
  DashboardLoop(Session& session, tui::DashboardOptions options, tui::Size size);
  void check_connection();
  void follow_time(const std::optional<ClockJump>& clock_jump);
  void act(const tui::Effect& effect);
  void ask(const tui::HistoryQuestion& question);
  void take_history(const HistoryReply& reply);
  void apply_policy(const std::string& file);
  void publish(const Bookmark& mark);
  void say_not_published(const std::string& why);
  void give_up_bookmarks();

  Session& session_;
  tui::Dashboard core_;
  double speed_;  // of fleet time, as set in the core
  tui::Terminal* terminal_ = nullptr;
  DashboardSettings* settings_ = nullptr;         // as terminal_: null until one is attached
  HistoryClient* history_ = nullptr;              // null: there is none
  std::optional<tui::HistoryQuestion> question_;  // to the router, not yet answered
  std::size_t bookmarks_sent_ = 0;                // not yet answered
  bool quit_ = false;
  bool connected_ = true;
  std::optional<ConnectRefusal> connect_refusal_;
  FrameStats frames_;
  std::uint64_t sequence_ = 0;  // of the messages that this process makes itself
};

}  // namespace drover::commands
