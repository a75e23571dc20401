#include "commands/dashboard/dashboard_loop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "commands/dashboard/user_effects.h"
#include "commands/shell/files.h"
#include "fleet/base/overloaded.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/screen.h"

namespace drover::commands {

namespace {

constexpr double newest_share = 0.2;  // weight of the newest frame in the moving mean
constexpr WallSpan window_min = std::chrono::seconds(1);

constexpr std::chrono::milliseconds headless_wait{20};
constexpr std::chrono::milliseconds blocked_wait{50};
constexpr tui::Size largest_size{1000, 500};

tui::DashboardOptions with_session(tui::DashboardOptions options, const Session& session) {
  const JoinAccepted& welcome = session.welcome();
  options.connected_to = session.router().endpoint;
  options.speed = welcome.speed;
  options.insecure = session.insecure();
  options.router_keeps_history = welcome.bundles;
  options.clock_differs = differs_from_system_clock(welcome.fleet_time, welcome.speed);
  return options;
}

bool fits(std::int64_t value, int low, int high) { return value >= low && value <= high; }

}  // namespace

void FrameStats::record_frame(WallSpan took) {
  const double s = to_seconds(took);
  draw_s_ = std::isnan(draw_s_) ? s : draw_s_ + newest_share * (s - draw_s_);
}

tui::ShellStats FrameStats::shell_stats(const tui::TerminalStats& stats, WallTime now) {
  if (!window_) {
    window_ = now;
    window_bytes_ = stats.bytes;
  } else if (now - *window_ >= window_min) {
    bytes_per_s_ = static_cast<double>(stats.bytes - window_bytes_) / to_seconds(now - *window_);
    window_ = now;
    window_bytes_ = stats.bytes;
  }
  return {.draw_s = draw_s_,
          .bytes_per_s = bytes_per_s_,
          .drawn = stats.frames_drawn,
          .skipped = stats.frames_skipped,
          .backlog_s = to_seconds(stats.backlog_age)};
}

Option device_option() {
  return {"device", "HOST/N", "select this device; tables list only its rows"};
}

std::string read_device(Arguments& arguments) {
  if (!arguments.has("device")) return {};
  const auto id = parse_device_id(arguments.text("device"));
  if (id) return to_text(*id);
  arguments.add_problem(error("--device: {}", id.error().message));
  return {};
}

Option size_option() {
  return {"size", "WxH",
          fmt::format("columns and rows of the frame (default 120x40, from {}x{})",
                      tui::smallest_size.columns, tui::smallest_size.rows)};
}

tui::Size read_size(Arguments& arguments) {
  constexpr tui::Size otherwise{120, 40};
  if (!arguments.has("size")) return otherwise;
  const auto parts = split(arguments.text("size"), 'x');
  if (parts.size() == 2) {
    const auto columns = parse_integer(parts[0], "--size");
    const auto rows = parse_integer(parts[1], "--size");
    if (columns && rows && fits(*columns, tui::smallest_size.columns, largest_size.columns) &&
        fits(*rows, tui::smallest_size.rows, largest_size.rows)) {
      return {static_cast<int>(*columns), static_cast<int>(*rows)};
    }
  }
  arguments.add_problem(error("--size: found '{}', expected COLUMNSxROWS from {}x{} to {}x{}",
                              excerpt(arguments.text("size")), tui::smallest_size.columns,
                              tui::smallest_size.rows, largest_size.columns, largest_size.rows));
  return otherwise;
}

void forward_keys(tui::Terminal& terminal, tui::Dashboard& core, Instant now) {
  for (const tui::Key& key : terminal.keys()) {
    if (key.name == "Resize") {
      core.resize(now, terminal.size());
    } else {
      core.press(now, key);
    }
  }
}

void show_frame(tui::Terminal& terminal, tui::Dashboard& core, FrameStats& stats, Instant now) {
  if (!core.needs_frame() && !terminal.wants_rest()) return;
  if (terminal.ready()) {
    const WallTime before = wall_now();
    core.set_shell_stats(stats.shell_stats(terminal.stats(), before));
    const tui::Canvas& canvas = core.draw(now);
    stats.record_frame(wall_now() - before);
    terminal.show(canvas);
  } else {
    terminal.skip();
  }
}

std::chrono::milliseconds frame_wait(const tui::Terminal& terminal,
                                     std::chrono::milliseconds wait) {
  return terminal.ready() ? wait : std::max(wait, blocked_wait);
}

Result<std::unique_ptr<DashboardLoop>> DashboardLoop::open(Session& session,
                                                           tui::DashboardOptions options,
                                                           tui::Size size) {
  std::unique_ptr<DashboardLoop> loop(new DashboardLoop(session, std::move(options), size));
  DROVER_TRY(session.subscribe());
  return loop;
}

DashboardLoop::DashboardLoop(Session& session, tui::DashboardOptions options, tui::Size size)
    : session_(session),
      core_(with_session(std::move(options), session), size, session.clock().now()),
      speed_(session.welcome().speed) {
  core_.set_connected(session_.clock().now(), true);
}

void DashboardLoop::attach(tui::Terminal& terminal, DashboardSettings& settings) {
  terminal_ = &terminal;
  settings_ = &settings;
  session_.sockets().watch(terminal.descriptor());
  core_.resize(session_.clock().now(), terminal.size());
  settings.restore(core_);
}

void DashboardLoop::turn(std::chrono::milliseconds longest) {
  auto wait = session_.clock().until(core_.next_deadline(), longest);
  // Without a terminal no frame is shown, so a due frame stays due and must not end the wait.
  if (terminal_ == nullptr) wait = std::max(wait, std::min(longest, headless_wait));
  if (terminal_ != nullptr) wait = frame_wait(*terminal_, wait);
  const Session::PollResult turn = session_.wait(wait);
  for (std::size_t i = 0; i < turn.messages.size(); ++i) {
    const auto& [from, envelope] = turn.messages[i];
    if (on_message) on_message(from, envelope, turn.encoded[i]);
    if (std::holds_alternative<JoinAccepted>(envelope.body)) {
      // The router may have restarted, and its endpoints may have changed.
      if (const Status subscribed = session_.subscribe(); !subscribed) {
        show(Event{Severity::critical, "router", subscribed.error().message});
      }
      follow_time(turn.clock_jump);
      if (question_) ask(*question_);  // the answer may be lost
      give_up_bookmarks();
      continue;
    }
    if (const auto* reply = std::get_if<HistoryReply>(&envelope.body);
        reply != nullptr && !reply->host.empty()) {
      take_history(*reply);
      continue;
    }
    if (const auto* reply = std::get_if<BookmarkReply>(&envelope.body)) {
      if (bookmarks_sent_ > 0) --bookmarks_sent_;
      if (!reply->problem.empty()) say_not_published(printable(reply->problem));
      continue;
    }
    core_.receive(session_.clock().now(), from, envelope, turn.encoded[i]);
  }
  if (terminal_ != nullptr) forward_keys(*terminal_, core_, session_.clock().now());
  check_connection();
  if (history_ != nullptr) history_->pass_answer(core_, session_.clock().now());
  core_.tick(session_.clock().now());
  for (const tui::Effect& effect : core_.take_effects()) act(effect);
  if (terminal_ == nullptr) return;
  show_frame(*terminal_, core_, frames_, session_.clock().now());
  settings_->follow(core_, *terminal_, session_.clock().now());
}

void DashboardLoop::act(const tui::Effect& effect) {
  std::visit(Overloaded{[&](const Send& send) { session_.send(send.envelope.body); },
                        [&](const tui::ReadPolicy& policy) { apply_policy(policy.file); },
                        [&](const tui::ToggleStory&) {
                          if (on_story_toggle) on_story_toggle();
                        },
                        [&](const tui::RingBell&) {
                          if (terminal_ != nullptr) terminal_->ring();
                        },
                        [&](const tui::SettingsChange& change) {
                          if (terminal_ != nullptr) settings_->apply(change, core_, *terminal_);
                        },
                        [&](const tui::HistoryQuestion& question) { ask(question); },
                        [&](const tui::KeepChoices& kept) {
                          if (settings_ != nullptr) settings_->keep(kept.choices);
                        },
                        [&](const tui::MarkMoment& moment) {
                          publish(moment.mark);
                          if (on_bookmark) on_bookmark(moment.mark);
                        },
                        [&](const tui::Quit&) { quit_ = true; },
                        [&](const auto&) {
                          if (terminal_ != nullptr) perform_for_user(effect, core_, *terminal_);
                        }},
             effect);
}

/// A server of metrics knows more of the past than the router.
void DashboardLoop::ask(const tui::HistoryQuestion& question) {
  if (history_ != nullptr) {
    return history_->ask(question, {session_.clock().now(), system_now(), speed_});
  }
  question_ = question;
  session_.send(HistoryRequest{question.device.host, question.device.index});
}

void DashboardLoop::take_history(const HistoryReply& reply) {
  if (!question_ || question_->device != DeviceId{reply.host, reply.device}) return;
  core_.take_history(session_.clock().now(), tui::answer_from(*question_, reply));
  question_.reset();
}

/// Restarts the core after a jump or a change of speed: its history would be wrong.
void DashboardLoop::follow_time(const std::optional<ClockJump>& clock_jump) {
  const JoinAccepted& welcome = session_.welcome();
  if (!clock_jump && welcome.speed == std::exchange(speed_, welcome.speed)) return;
  speed_ = welcome.speed;
  core_.restart(session_.clock().now(), welcome.speed,
                differs_from_system_clock(welcome.fleet_time, welcome.speed));
  core_.say(clock_jump ? to_text(*clock_jump) + ": the history before it was dropped"
                       : fmt::format("fleet time now runs {:g} times as fast as wall time",
                                     welcome.speed));
}

void DashboardLoop::apply_policy(const std::string& file) {
  auto text = read_file(file, policy_bytes_max);
  if (!text) return show(ActionReply{false, {}, text.error().message});
  session_.send(ApplyPolicy{std::move(*text), file});
}

/// For other recorders of the router.
void DashboardLoop::publish(const Bookmark& mark) {
  if (!session_.welcome().bookmarks) return say_not_published("the router does not know bookmarks");
  if (connected_ && session_.send(mark)) {
    ++bookmarks_sent_;
  } else {
    say_not_published("the router is not connected");
  }
}

void DashboardLoop::say_not_published(const std::string& why) {
  core_.say("the bookmark is only kept here: " + why);
}

/// Their answers no longer come.
void DashboardLoop::give_up_bookmarks() {
  if (std::exchange(bookmarks_sent_, 0) == 0) return;
  core_.say("the bookmark may only be kept here: the connection to the router was lost");
}

void DashboardLoop::check_connection() {
  session_.keep_joined();
  const auto connect_refusal = session_.sockets().connect_refusal();
  const bool connected = !connect_refusal && !session_.silent();
  if (!connected) give_up_bookmarks();
  if (connected != connected_ || connect_refusal != connect_refusal_) {
    connected_ = connected;
    connect_refusal_ = connect_refusal;
    core_.set_connected(session_.clock().now(), connected,
                        connect_refusal
                            ? connect_refusal_summary(*connect_refusal, session_.router())
                            : std::string());
  }
}

void DashboardLoop::show(Message message) {
  const Instant now = session_.clock().now();
  core_.receive(now, router_peer, {"here", ++sequence_, now, std::move(message)});
}

}  // namespace drover::commands
