// `drover story` (hidden): the client that plays the demo's story. SIGUSR1 pauses it.
#include <signal.h>

#include <algorithm>

#include "commands/connection/session.h"
#include "commands/demo/story.h"
#include "commands/shell/output.h"
#include "commands/shell/parent_watchdog.h"
#include "commands/shell/stop_signals.h"
#include "commands/subcommands.h"
#include "commands/submit/job_submitter.h"
#include "fleet/base/overloaded.h"
#include "fleet/base/text.h"
#include "fleet/text/json.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds story_wait_max{200};
/// The caption is repeated for a router that has restarted or has forgotten silent clients.
constexpr WallSpan caption_every = std::chrono::seconds(5);
constexpr WallSpan ask_every = std::chrono::seconds(1);
/// The maximum number of unacknowledged requests.
constexpr std::size_t open_requests_max = 65'536;

class StoryPlayer {
 public:
  StoryPlayer(Session& session, Story& story, StopSignals& stop, const FileDescriptor& pause)
      : session_(session), story_(story), stop_(stop), pause_(pause) {
    session_.sockets().watch(stop_.descriptor());
    session_.sockets().watch(pause_.get());
  }

  void run() {
    while (!stop_.stopped() && !over_) turn();
    session_.send(Caption{});
  }
  const JobSubmitter::Counts& counts() const { return delivery_.counts(); }

 private:
  void turn() {
    const Instant now = session_.clock().now();
    while (take_signal(pause_) != 0) story_.toggle(now);
    // A slow router slows the story's bursts, as it does every feeder.
    const std::size_t room = open_requests_max - std::min(delivery_.open(), open_requests_max);
    Story::StoryActions actions = story_.due(now, room);
    for (Message& message : actions.messages) session_.send(std::move(message));
    for (Job& job : actions.jobs) delivery_.add(std::move(job));
    const WallTime wall = wall_now();
    for (Submit& submit : delivery_.due(wall)) session_.send(std::move(submit));
    send_caption(wall);
    const Session::PollResult turn = session_.wait(wait());
    if (turn.clock_jump) {
      write_stderr("drover story: {}: the story ends\n", to_text(*turn.clock_jump));
      over_ = true;
    }
    for (const auto& [from, envelope] : turn.messages) receive(envelope.body);
    session_.keep_joined();  // a request for the totals is always open
    connect_refusal_.update(session_);
  }

  std::chrono::milliseconds wait() {
    // At the limit only the router's answers matter, and they end the wait.
    if (delivery_.open() >= open_requests_max) return story_wait_max;
    const auto wait = session_.clock().until(story_.next_deadline(), story_wait_max);
    return std::max(wait, std::chrono::milliseconds(1));
  }

  void send_caption(WallTime wall) {
    const Caption caption = story_.caption();
    if (!(caption == sent_) || wall >= send_again_) {
      session_.send(caption);
      sent_ = caption;
      send_again_ = wall + caption_every;
    }
    if (wall >= ask_again_) {
      session_.send(SummaryRequest{});
      ask_again_ = wall + ask_every;
    }
  }

  void receive(const Message& message) {
    std::visit(
        Overloaded{[&](const SubmitReply& reply) { delivery_.receive(reply); },
                   [&](const Summary& summary) { story_.receive(session_.clock().now(), summary); },
                   [](const ActionReply& reply) {
                     if (reply.applied) return;
                     write_stderr("drover story: {}\n", printable(reply.problem));
                   },
                   [](const auto&) {}},
        message);
  }

  Session& session_;
  Story& story_;
  StopSignals& stop_;
  const FileDescriptor& pause_;  // SIGUSR1
  JobSubmitter delivery_;
  ConnectRefusalNotice connect_refusal_{"drover story"};
  Caption sent_;
  bool over_ = false;
  WallTime send_again_{}, ask_again_{};
};

}  // namespace

CommandUsage story_usage() {
  return {"usage: drover story [options]",
          "Plays the demo's story on the demo's fleet until SIGTERM; SIGUSR1 pauses and continues "
          "it. At the end it prints how many jobs it has submitted, as JSON.",
          {connect_option(),
           {"load", "X", "multiplies the requests of its bursts (default 1)"},
           {"seed", "N", "seed of its jobs (default 1)"},
           parent_pipe_option()},
          {},
          "  drover story --seed 7"};
}

CommandOutcome run_story(Arguments& arguments) {
  const double load = arguments.number("load", 0.001, 100'000, 1);
  const auto seed = static_cast<std::uint64_t>(arguments.integer("seed", 0, INT64_MAX, 1));
  DROVER_TRY(arguments.status());
  StopSignals stop;
  const FileDescriptor pause = signal_descriptor({SIGUSR1});
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::client, "story"}));
  Story story(seed, load, session->clock().now());
  StoryPlayer player(*session, story, stop, pause);
  player.run();
  write_stdout("{}\n", Json::object()
                           .set("rows", player.counts().given)
                           .set("accepted", player.counts().accepted + player.counts().existed)
                           .set("refused", player.counts().refused)
                           .dump());
  return CommandOutcome::done();
}

}  // namespace drover::commands
