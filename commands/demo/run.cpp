#include "commands/demo/run.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "commands/demo/demo_keys.h"
#include "commands/query/fleet_client.h"
#include "commands/query/reports.h"
#include "commands/shell/output.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds router_timeout{15'000};
/// For all agents to register; then the work begins without the missing ones.
constexpr WallSpan agents_timeout = std::chrono::seconds(15);
/// How long open work may take after feeding has stopped; the rest fails with reason `ended`.
constexpr WallSpan draining_max = std::chrono::seconds(30);
constexpr WallSpan summary_every = std::chrono::milliseconds(250);
constexpr std::chrono::milliseconds end_timeout{20'000};
constexpr std::chrono::milliseconds longest_turn{100};
/// The frame of --once is printed this long after the work began, when the fleet is busy.
constexpr WallSpan frame_after = std::chrono::seconds(4);

constexpr std::array work_sources{"story", "feeder"};

}  // namespace

CommandOutcome DemoRun::run() {
  begun_ = wall_now();
  // Its keys are those of --keys: without, it stays on this machine and needs none.
  unsetenv("DROVER_KEYS");
  DROVER_TRY(start());
  CommandOutcome outcome = loop();
  // The terminal is restored first, so that later messages appear on the normal screen.
  dashboard_.reset();
  terminal_.reset();
  children_->stop_all();
  if (plan_.output == DemoOutput::dashboard) {
    for (const std::string& failure : failures_) write_stderr("drover demo: {}\n", failure);
  }
  if (outcome.exit == Exit::failed && folder_) folder_->keep();
  return outcome;
}

Status DemoRun::start() {
  DROVER_ASSIGN(folder_, TemporaryFolder::make());
  children_.emplace(folder_->path());
  // The terminal is opened first: without a usable one no fleet is started.
  DROVER_TRY(open_terminal());
  DROVER_TRY(make_demo_keys(plan_.fleet));
  DROVER_TRY(start_router());
  auto session = Session::open({address(), Role::client, "demo", router_timeout});
  if (!session) return child_error("router", session.error().message);
  session_ = std::move(*session);
  session_->sockets().watch(signals_.descriptor());
  DROVER_TRY(start_agents());
  DROVER_TRY(open_dashboard());
  feeding_since_ = wall_now();
  DROVER_TRY(children_->start(demo_feeder(plan_.fleet, endpoint_)));
  return plan_.fleet.story ? children_->start(demo_story(plan_.fleet, endpoint_)) : Status{};
}

/// Uses the endpoint of --listen; without one the default ports, or free ones if one of them is in
/// use.
Status DemoRun::start_router() {
  std::vector<std::string> endpoints{plan_.listen};
  if (plan_.listen.empty()) endpoints = {default_endpoint, "tcp://127.0.0.1:0"};
  for (const std::string& listen : endpoints) {
    const Status started = children_->start(demo_router(plan_.fleet, listen, folder_->path()));
    if (!started) return started;
    const auto line = children_->read_line("router", router_timeout);
    if (!line) {
      const bool taken = children_->last_log_line("router").find("in use") != std::string::npos;
      if (taken && &listen != &endpoints.back()) continue;
      return child_error("router", "the router did not start");
    }
    DROVER_ASSIGN(const auto endpoint, control_endpoint_in(*line));
    endpoint_ = reachable(endpoint, default_endpoint);
    // A dashboard shows the endpoint in its title line.
    if (!terminal_) write_stderr("drover demo: router at {}\n", endpoint_);
    children_->reap();
    return {};
  }
  return child_error("router", "the router did not start");
}

RouterAddress DemoRun::address() const {
  RouterAddress address(endpoint_);
  address.keys = plan_.fleet.keys;
  if (!address.keys.empty()) address.key_name = demo_key;
  return address;
}

Status DemoRun::start_agents() {
  const auto agents = demo_agents(plan_.fleet, endpoint_);
  for (const ChildCommand& agent : agents) {
    DROVER_TRY(children_->start(agent));
  }
  // A connection of its own: without a dashboard, the demo need not hear all that is published.
  DROVER_ASSIGN(auto viewer, Session::open({address(), Role::viewer, "demo", router_timeout}));
  FleetClient fleet(*viewer);
  DROVER_TRY(fleet.subscribe());
  const WallTime end = wall_now() + agents_timeout;
  while (wall_now() < end && !signals_.stopped()) {
    if (fleet.model().hosts().size() >= agents.size() && fleet.has_synced()) break;
    for (const Ended& ended : children_->reap()) {
      return child_error(ended.name, fmt::format("{} ended with {}", ended.name, ended.how()));
    }
    DROVER_TRY(fleet.turn(std::chrono::milliseconds(50)));
  }
  return {};
}

Status DemoRun::open_terminal() {
  if (plan_.output != DemoOutput::dashboard) return {};
  DROVER_ASSIGN(terminal_, tui::Terminal::open(terminal_options(plan_.settings.in_force())));
  plan_.size = terminal_->size();
  return {};
}

Status DemoRun::open_dashboard() {
  if (plan_.output == DemoOutput::summary) return {};
  auto options = dashboard_options(plan_.settings.in_force(), terminal_.get());
  options.story = plan_.fleet.story;
  DROVER_ASSIGN(dashboard_, DashboardLoop::open(*session_, std::move(options), plan_.size));
  if (terminal_) dashboard_->attach(*terminal_, plan_.settings);
  dashboard_->on_story_toggle = [this] { children_->signal("story", SIGUSR1); };
  dashboard_->on_message = [this](Peer, const Envelope& envelope, const std::string&) {
    note_summary(envelope);
  };
  return {};
}

CommandOutcome DemoRun::loop() {
  while (phase_ != Phase::over) {
    turn();
    DROVER_TRY(watch_children());
    if (plan_.output == DemoOutput::frame && frame_settled()) return print_frame();
    if (dashboard_ && dashboard_->quit()) phase_ = Phase::over;
    if (signals_.stopped()) phase_ = Phase::over;
    advance();
  }
  return plan_.output == DemoOutput::frame ? CommandOutcome::done() : finish();
}

void DemoRun::turn() {
  if (dashboard_) {
    dashboard_->turn(longest_turn);
    return;
  }
  if (phase_ == Phase::draining && wall_now() - summary_asked_ >= summary_every) {
    summary_asked_ = wall_now();
    session_->send(SummaryRequest{});
  }
  for (const auto& [from, envelope] : session_->wait(longest_turn).messages) {
    note_summary(envelope);
  }
}

void DemoRun::note_summary(const Envelope& envelope) {
  const auto* summary = std::get_if<Summary>(&envelope.body);
  if (summary == nullptr) return;
  latest_ = *summary;
  latest_fresh_ = true;
}

/// If the router ends, the demo ends. The fleet survives the end of any other child.
Status DemoRun::watch_children() {
  for (const Ended& ended : children_->reap()) {
    if (ended.name == "router") {
      return child_error("router", fmt::format("the router ended with {}", ended.how()));
    }
    if (ended.name == "story" && phase_ == Phase::draining && ended.succeeded()) continue;
    if (ended.name == "feeder") {
      read_feeder();
      if (ended.succeeded()) {
        begin_draining();
        continue;
      }
    }
    report_child_failure(ended);
  }
  return {};
}

void DemoRun::report_child_failure(const Ended& ended) {
  std::string text = fmt::format("{} ended with {}", ended.name, ended.how());
  if (ended.name == "feeder") {
    text += ": no more work arrives";
    begin_draining();
  } else if (ended.name == "story") {
    text += ": the story has ended";
  } else {
    text += ": its work is requeued";
  }
  const std::string words = children_->last_log_line(ended.name);
  if (!words.empty()) text += fmt::format(" ({})", words);
  failures_.push_back(text);
  if (dashboard_) {
    dashboard_->show(Event{Severity::critical, ended.name, text});
  } else {
    write_stderr("drover demo: {}\n", text);
  }
}

void DemoRun::advance() {
  const WallTime now = wall_now();
  if (phase_ == Phase::feeding && plan_.feed_for && now - feeding_since_ >= *plan_.feed_for) {
    begin_draining();
  }
  if (phase_ != Phase::draining) return;
  if (children_->running("feeder") || children_->running("story")) {
    latest_fresh_ = false;  // it may still submit
  } else if (latest_fresh_ && latest_.queued + latest_.running == 0) {
    phase_ = Phase::over;
  }
  if (now - draining_since_ >= draining_max) phase_ = Phase::over;
}

void DemoRun::begin_draining() {
  if (phase_ != Phase::feeding) return;
  // Without --for the dashboard stays until the user quits.
  if (plan_.output == DemoOutput::dashboard && !plan_.feed_for) return;
  phase_ = Phase::draining;
  draining_since_ = wall_now();
  latest_fresh_ = false;
  for (const char* source : work_sources) children_->signal(source, SIGTERM);
}

void DemoRun::read_feeder() {
  if (!fed_.is_null()) return;
  const auto line = children_->read_line("feeder", std::chrono::milliseconds(500));
  if (!line) return;
  if (auto fed = Json::parse(*line)) fed_ = std::move(*fed);
}

bool DemoRun::frame_settled() const {
  const WallSpan shown_after = plan_.feed_for.value_or(frame_after);
  return wall_now() - feeding_since_ >= shown_after && dashboard_->core().has_synced();
}

CommandOutcome DemoRun::print_frame() {
  write_stdout_text(dashboard_->core().draw(session_->clock().now()).to_text());
  return CommandOutcome::done();
}

CommandOutcome DemoRun::finish() {
  for (const char* source : work_sources) children_->signal(source, SIGTERM);
  const auto summary = session_->ask<Summary>(EndRunRequest{}, end_timeout);
  std::string not_kept;
  if (dashboard_ && terminal_) not_kept = plan_.settings.finish(dashboard_->core());
  dashboard_.reset();
  terminal_.reset();
  if (!not_kept.empty()) write_stderr("drover demo: {}\n", not_kept);
  if (children_->running("feeder")) read_feeder();
  if (!summary) return child_error("router", summary.error().message);
  return print_summary(*summary);
}

CommandOutcome DemoRun::print_summary(const Summary& summary) {
  // Passes the feeder's messages about bad rows to the user.
  if (const auto log = read_file(children_->log_path("feeder")); log && !log->empty()) {
    write_stderr_text(*log);
  }
  const auto skipped = static_cast<std::uint64_t>(fed_["skipped_rows"].number());
  const double wall_s = to_seconds(wall_now() - begun_);
  if (plan_.json) {
    Json object = to_json(summary);
    object.set("skipped_rows", skipped).set("wall_s", wall_s);
    write_stdout("{}\n", object.dump());
  } else {
    std::string text = to_table(summary);
    if (!plan_.fleet.work.file.empty())
      text += fmt::format("{:<12} {} skipped\n", "trace", counted(skipped, "bad row"));
    text += fmt::format("{:<12} {:.1f} s", "wall time", wall_s);
    const double speed = plan_.fleet.speed;
    if (speed != 1) text += fmt::format(", fleet time {} times as fast", speed);
    write_stdout("{}\n", text);
  }
  if (skipped > 0)
    return CommandOutcome::partly(counted(skipped, "bad row was", "bad rows were") + " skipped");
  return CommandOutcome::done();
}

Error DemoRun::child_error(const std::string& name, const std::string& what) {
  folder_->keep();
  const std::string words = children_->last_log_line(name);
  return error(ErrorKind::lost, "{}{}{} (log: {})", what, words.empty() ? "" : ": ", words,
               children_->log_path(name));
}

}  // namespace drover::commands
