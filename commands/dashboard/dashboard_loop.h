// The dashboard core between a session and, perhaps, a terminal: shared by top, frame and demo.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "commands/connection/session.h"
#include "commands/dashboard/frame_watch.h"
#include "commands/shell/options.h"
#include "fleet/base/result.h"
#include "tui/dashboard.h"
#include "tui/terminal/terminal.h"

namespace drover::commands {

struct DashboardView {
  tui::Settings settings;
  bool ascii = false;
  bool story = false;           // there is one that can be paused
  bool steady_colours = false;  // for a terminal: frame follows frame
  bool control = false;         // the fleet may be changed from here
  std::string device{};         // "host/3", or empty
};

/// How a dashboard of a fleet at this speed is made.
tui::DashboardOptions dashboard_options(const DashboardView& view, const std::string& endpoint,
                                        double speed);

/// `--device`, for the verbs that have it; empty where it is not given.
Option device_option();
std::string read_device(Arguments& arguments);

/// `--size`, "120x40"; from the least that the dashboard can be drawn on.
Option size_option();
tui::Size read_size(Arguments& arguments, tui::Size otherwise);

/// What was typed goes to the dashboard; it comes before frames, which can wait.
void take_keys(tui::Terminal& terminal, tui::Dashboard& core, Instant now);
/// Draws a frame where one is due and the terminal has taken the one before.
void show_frame(tui::Terminal& terminal, tui::Dashboard& core, FrameWatch& watch, Instant now);
/// How long to wait: a frame that is due cannot go while the terminal has not taken the last one,
/// and it says when it has.
std::chrono::milliseconds wait_with(const tui::Terminal& terminal, std::chrono::milliseconds wait);

class DashboardLoop {
 public:
  /// Subscribes to what the session's router publishes. The session must outlive the loop.
  static Result<std::unique_ptr<DashboardLoop>> open(Session& session, const DashboardView& view,
                                                     const std::string& endpoint, tui::Size size);

  /// Keys come from this terminal and frames go to it, from now on.
  void attach(tui::Terminal& terminal);

  /// One turn: waits for messages, keys, a watched descriptor of the session's sockets or a
  /// deadline, at most so long; then works them off and shows a frame where one is due.
  void turn(std::chrono::milliseconds longest);

  /// Something that this process wants its user to see, like an event of the router.
  void tell(Severity severity, const std::string& subject, const std::string& text);

  tui::Dashboard& core() { return core_; }
  /// Sees every message before the dashboard does.
  std::function<void(Peer, const Envelope&)> on_message;

 private:
  DashboardLoop(Session& session, const DashboardView& view, const std::string& endpoint,
                tui::Size size);
  static tui::DashboardOptions options_of(const Session& session, const DashboardView& view,
                                          const std::string& endpoint);
  void watch_silence();
  void follow_time(const std::optional<TimeLeap>& leap);
  void apply_policy(const std::string& file);

  Session& session_;
  tui::Dashboard core_;
  double speed_;  // of fleet time, as the core knows it
  tui::Terminal* terminal_ = nullptr;
  bool connected_ = true;
  std::optional<Barred> barred_;
  FrameWatch frames_;
  Wall last_heard_{0};
  Wall last_join_{0};
  std::uint64_t told_ = 0;
};

}  // namespace drover::commands
