// `drover story`, hidden: the client that makes the demo's story happen. SIGUSR1 pauses it.
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>

#include "commands/connection/barred_notice.h"
#include "commands/connection/session.h"
#include "commands/demo/story.h"
#include "commands/shell/lifeline.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/submit/delivery.h"
#include "commands/verbs.h"
#include "fleet/base/text.h"
#include "fleet/text/json.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds longest_wait{200};
/// A router that lives anew, and one that forgets silent clients, hear the caption again.
constexpr Wall caption_every = std::chrono::seconds(5);
constexpr Wall ask_every = std::chrono::seconds(1);
/// So many requests wait for the router's acknowledgements at most.
constexpr std::size_t open_max = 65'536;

/// SIGUSR1 as something to read.
class PauseSignal {
 public:
  PauseSignal() {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    DROVER_REQUIRE(pthread_sigmask(SIG_BLOCK, &wanted, nullptr) == 0);
    descriptor_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    DROVER_REQUIRE(descriptor_ >= 0);
  }
  ~PauseSignal() { close(descriptor_); }
  PauseSignal(const PauseSignal&) = delete;
  PauseSignal& operator=(const PauseSignal&) = delete;

  int descriptor() const { return descriptor_; }
  bool take() {
    signalfd_siginfo taken{};
    return read(descriptor_, &taken, sizeof taken) == static_cast<ssize_t>(sizeof taken);
  }

 private:
  int descriptor_ = -1;
};

class Teller {
 public:
  Teller(Session& session, Story& story, StopSignals& stop, PauseSignal& pause)
      : session_(session), story_(story), stop_(stop), pause_(pause) {
    session_.sockets().watch(stop_.descriptor());
    session_.sockets().watch(pause_.descriptor());
  }

  void run() {
    while (!stop_.stopped() && !over_) turn();
    session_.send(Caption{});
  }
  const Delivery::Counts& counts() const { return delivery_.counts(); }

 private:
  void turn() {
    const Instant now = session_.clock().now();
    while (pause_.take()) story_.toggle(now);
    // A router that is behind slows the story's bursts down, as it does every feeder.
    const std::size_t room = open_max - std::min(delivery_.open(), open_max);
    Story::Doings doings = story_.due(now, room);
    for (Message& message : doings.messages) session_.send(std::move(message));
    for (Job& job : doings.jobs) delivery_.add(std::move(job));
    const Wall wall = wall_now();
    for (Submit& submit : delivery_.due(wall)) session_.send(std::move(submit));
    say(wall);
    const Session::Turn turn = session_.wait(wait());
    if (turn.leap) {
      put_error("drover story: {}: the story ends there\n", to_text(*turn.leap));
      over_ = true;
    }
    for (const auto& [from, envelope] : turn.messages) hear(envelope.body);
    session_.knock();  // there is always a question for the site's sums
    barred_.look(session_);
  }

  std::chrono::milliseconds wait() {
    // Without room its answers wake us, and what is due can wait.
    if (delivery_.open() >= open_max) return longest_wait;
    const auto wait = session_.clock().until(story_.next_deadline(), longest_wait);
    return std::max(wait, std::chrono::milliseconds(1));
  }

  void say(Wall wall) {
    const Caption caption = story_.caption();
    if (!(caption == said_) || wall >= say_again_) {
      session_.send(caption);
      said_ = caption;
      say_again_ = wall + caption_every;
    }
    if (wall >= ask_again_) {
      session_.send(SummaryRequest{});
      ask_again_ = wall + ask_every;
    }
  }

  void hear(const Message& message) {
    if (const auto* reply = std::get_if<SubmitReply>(&message)) delivery_.receive(*reply);
    if (const auto* summary = std::get_if<Summary>(&message)) {
      story_.heard(session_.clock().now(), *summary);
    }
    const auto* reply = std::get_if<ActionReply>(&message);
    if (reply != nullptr && !reply->applied) {
      put_error("drover story: {}\n", printable(reply->problem));
    }
  }

  Session& session_;
  Story& story_;
  StopSignals& stop_;
  PauseSignal& pause_;
  Delivery delivery_;
  BarredNotice barred_{"drover story"};
  Caption said_;
  bool over_ = false;
  Wall say_again_{0}, ask_again_{0};
};

}  // namespace

CommandUsage story_usage() {
  return {
      "usage: drover story [options]",
      "Makes the demo's story happen to the demo's fleet, until SIGTERM; SIGUSR1 pauses it, and\n"
      "again lets it go on. At the end it prints how many jobs it submitted, as JSON.",
      {connect_option(),
       {"load", "X", "multiplies the requests of its bursts (default 1)"},
       {"seed", "N", "draws its jobs (default 1)"},
       lifeline_option()},
      {},
      "  drover story --seed 7"};
}

CommandOutcome run_story(Arguments& arguments) {
  if (const Status held = hold_lifeline(arguments); !held)
    return CommandOutcome::usage(held.error());
  const double load = arguments.number("load", 0.001, 100'000, 1);
  const auto seed = static_cast<std::uint64_t>(arguments.integer("seed", 0, INT64_MAX, 1));
  if (const Status status = arguments.status(); !status)
    return CommandOutcome::usage(status.error());
  StopSignals stop;
  PauseSignal pause;
  auto session = Session::open({endpoint_of(arguments), Role::client, "story"});
  if (!session) return CommandOutcome::failed(session.error());
  Story story(seed, load, (*session)->clock().now());
  Teller teller(**session, story, stop, pause);
  teller.run();
  put("{}\n", Json::object()
                  .set("rows", teller.counts().given)
                  .set("accepted", teller.counts().accepted + teller.counts().existed)
                  .set("refused", teller.counts().refused)
                  .dump());
  return CommandOutcome::done();
}

}  // namespace drover::commands
