// `drover agent --devices`: runs the agent core, which emulates the devices of one host, and
// connects it to the router. It reconnects whenever the router was away; meanwhile the core works
// under its lease.
#include "commands/agent/emulated_agent.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "agents/agent.h"
#include "agents/fake_nvml/records.h"
#include "commands/agent/fake_nvml_file.h"
#include "commands/agent/host_name_lock.h"
#include "commands/agent/metrics.h"
#include "commands/agent/options.h"
#include "commands/connection/fleet_time_bounds.h"
#include "commands/connection/router_connection.h"
#include "commands/connection/session.h"
#include "commands/shell/clock.h"
#include "commands/shell/journal_file.h"
#include "commands/shell/output.h"
#include "commands/shell/rotating_log.h"
#include "commands/shell/stop_signals.h"
#include "fleet/base/overloaded.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/base/version.h"
#include "fleet/codec/codec.h"
#include "fleet/outbox.h"
#include "fleet/socket/socket.h"
#include "fleet/text/json.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds agent_wait_max{500};
/// How often the devices are published to readers of NVML.
constexpr std::chrono::milliseconds nvml_every{50};
/// How long an agent that exits waits for the router to store the work that it gave back.
constexpr WallSpan leave_max = std::chrono::seconds(1);
/// "8 x h100-sxm, 4 x tpu-v5e".
std::string devices_text(const agents::AgentSettings& settings) {
  std::string text;
  for (const agents::GroupRequest& group : settings.groups) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", group.count, group.device);
  }
  return text;
}

class AgentShell {
 public:
  AgentShell(AgentOptions options, const devices::Catalogue& catalogue)
      : options_(std::move(options)),
        catalogue_(catalogue),
        claim_(options_.settings.host, options_.endpoint) {}

  Status open() {
    sockets_.watch(signals_.descriptor());
    DROVER_TRY(log_.open(options_.log));
    DROVER_TRY(write_state_file(options_.state, "waiting"));
    DROVER_TRY(claim_host_name(claim_, options_.settings.host, signals_));
    if (options_.fake_nvml) {
      const std::size_t devices = fake_nvml::device_count(options_.settings, catalogue_);
      DROVER_ASSIGN(nvml_, FakeNvmlFile::open(*options_.fake_nvml, devices));
      write_stderr("drover agent: NVML is served to this machine from {}\n", nvml_->path());
    }
    DROVER_ASSIGN(journal_, JournalWriter::open(options_.journal));
    DROVER_ASSIGN(metrics_, AgentMetrics::open(options_.metrics, options_.settings.host));
    const Status keyed = use_keys_of(options_.endpoint, options_.settings.host, sockets_);
    return keyed ? sockets_.connect_control(options_.endpoint) : keyed;
  }

  CommandOutcome run() {
    connection_.expect_messages(wall_now());
    while (!signals_.stopped()) {
      keep_joined();
      DROVER_TRY(turn(wait()));
      log_.rotate_when_large();
      if (orphaned()) {
        (void)leave();
        return error(ErrorKind::lost, "no answer from a router at {} for {}: this agent exits",
                     options_.endpoint.endpoint,
                     duration_text(to_seconds(options_.exit_after_silence)));
      }
      if (replaced_) {
        return error(
            ErrorKind::refused,
            "another agent named {} has registered: this one exits; to run both, give one of "
            "them another --name",
            options_.settings.host);
      }
    }
    DROVER_TRY(leave());
    return CommandOutcome::done();
  }

 private:
  /// Writes the state file, which a launcher reads. On a full disk the agent continues and reports
  /// the problem once.
  void write_state(const char* state) {
    const Status written = write_state_file(options_.state, state);
    if (written || std::exchange(state_problem_reported_, true)) return;
    write_stderr("drover agent: --state: {}\n", written.error().message);
  }

  bool orphaned() const {
    return options_.exit_after_silence.count() > 0 &&
           connection_.silence(wall_now()) > options_.exit_after_silence;
  }

  /// One turn: waits, receives, runs the core, sends.
  Status turn(std::chrono::milliseconds longest) {
    auto turn = sockets_.wait(longest);
    if (core_) end_after_pause();
    for (const Incoming& incoming : turn.messages) {
      DROVER_TRY(receive(incoming));
    }
    if (core_) {
      const Instant now = clock_.now();
      lived_to_ = now;
      journal_.write(JournalTick{now});
      core_->tick(now);
      for (const agents::Effect& effect : core_->take_effects()) {
        std::visit([this](const auto& wanted) { perform(wanted); }, effect);
      }
    }
    publish_nvml();
    return journal_.flush();
  }

  void publish_nvml() {
    const WallTime now = wall_now();
    if (!nvml_ || now < nvml_due_) return;
    nvml_due_ = now + nvml_every;
    if (core_ && !host_down_) {
      nvml_->publish(fake_nvml::records(options_.settings.host, *core_, lived_to_));
    } else {
      nvml_->publish_absence();
    }
  }

  void perform(const Send& send) {
    if (metrics_) metrics_->receive(send.envelope);
    sockets_.send(send.to, encode(send.envelope));
  }
  void perform(agents::HostDown) { host_down_ = true; }
  void perform(agents::HostUp) { host_down_ = false; }
  void perform(agents::Replaced) { replaced_ = true; }
  void perform(agents::Left) { left_ = true; }

  /// A process that was stopped for long does not catch up: the router has given up its work, as
  /// after a jump of the router's own clock.
  void end_after_pause() {
    const Instant now = clock_.now();
    const auto clock_jump = clock_jump_between(lived_to_, now, lease_);
    if (!clock_jump) return;
    end_life(*clock_jump);
    connection_.restart();
  }

  /// Ends this incarnation. Its work is dropped like that of an agent that was killed. The next
  /// JoinAccepted starts a new incarnation at the time that it reports.
  void end_life(const ClockJump& clock_jump) {
    write_stderr("drover agent: {}: {} restarts at the new time, and its running work is dropped\n",
                 to_text(clock_jump), options_.settings.host);
    core_.reset();
    host_down_ = false;
    options_.settings.incarnation = fresh_incarnation();
  }

  /// Gives back all work and sends Leave. Waits up to `leave_max` for the router to store the
  /// results, as long as it is connected. The last messages are sent while the sockets close.
  Status leave() {
    if (core_) end_after_pause();
    if (!core_) return {};
    const Instant now = clock_.now();
    const std::string why = signals_.name();
    journal_.write(JournalLeave{now, why});
    core_->leave(now, why);
    const WallTime end = wall_now() + leave_max;
    Status fine = turn(std::chrono::milliseconds(0));
    while (fine && !left_ && sockets_.control_connected() && wall_now() < end) {
      fine = turn(std::chrono::milliseconds(20));
    }
    return fine;
  }

  std::chrono::milliseconds wait() const {
    if (!core_) return std::chrono::milliseconds(100);
    return clock_.until(core_->next_deadline(), nvml_ ? nvml_every : agent_wait_max);
  }

  /// Sends Join when it is due, and replaces a connection that is silent for long.
  void keep_joined() {
    const WallTime now = wall_now();
    // The emulated host is lost, and its agent with it: no message from the router is expected.
    if (host_down_) return connection_.received(now);
    report_refusal();
    connection_.established(sockets_.control_connections());
    if (!connection_.take_join(now)) return;
    if (connection_.silent(now) && !std::exchange(silence_reported_, true)) {
      write_stderr("drover agent: cannot reach the router at {}, retrying\n",
                   options_.endpoint.endpoint);
      write_state("waiting");
    }
    if (connection_.take_replacement(now)) {
      if (const Status again = sockets_.reconnect_control(); !again) {
        write_stderr("drover agent: {}\n", again.error().message);
      }
    }
    const std::string& host = options_.settings.host;
    const Instant at = core_ ? clock_.now() : Instant{};
    sockets_.send(router_peer,
                  encode({host, ++joins_, at, Join{Role::agent, host, software_name}}));
  }

  /// Reports the connection once, and again when the router answers after a reported silence.
  void report_connected() {
    const bool silent = std::exchange(silence_reported_, false);
    const std::uint64_t connections = sockets_.control_connections();
    if (std::exchange(reported_connection_, connections) == connections && !silent) return;
    write_stderr("drover agent: connected to {} as {}: {}\n", options_.endpoint.endpoint,
                 options_.settings.host, devices_text(options_.settings));
  }

  /// Reports each reason once; the sockets retry by themselves.
  void report_refusal() {
    const auto connect_refusal = sockets_.connect_refusal();
    if (connect_refusal == connect_refusal_) return;
    connect_refusal_ = connect_refusal;
    if (!connect_refusal) return;
    write_stderr("drover agent: {}; retrying\n",
                 connect_refusal_text(*connect_refusal, options_.endpoint, options_.settings.host));
    silence_reported_ = true;
    write_state("waiting");
  }

  Status receive(const Incoming& incoming) {
    const auto envelope = decode(incoming.bytes);
    if (!envelope) {
      if (!core_) return {};
      if (journal_.on())
        journal_.write(JournalReceive{clock_.now(), incoming.from, incoming.bytes, {}});
      core_->count_undecodable();
      return {};
    }
    connection_.received(wall_now());
    return std::visit(
        Overloaded{
            [&](const JoinRejected& rejection) { return handle_join_rejected(rejection); },
            [&](const JoinAccepted& welcome) { return handle_join_accepted(welcome, incoming); },
            [&](const Reregister&) -> Status {
              // The router has restarted: its speed, lease and endpoints may have changed.
              if (core_) connection_.forgotten();
              return {};
            },
            [&](const auto&) -> Status {
              if (!core_) return {};
              const Instant now = clock_.now();
              if (journal_.on())
                journal_.write(JournalReceive{now, incoming.from, incoming.bytes, {}});
              core_->receive(now, *envelope);
              return {};
            }},
        envelope->body);
  }

  Status handle_join_rejected(const JoinRejected& rejection) {
    if (!rejection.retryable) {
      return error(ErrorKind::refused, "the router at {} refused {}: {}",
                   options_.endpoint.endpoint, options_.settings.host, printable(rejection.why));
    }
    // The fleet's tables are full, but other hosts may leave. Each reason is reported once.
    connection_.rejected_for_now(wall_now());
    if (std::exchange(no_capacity_, rejection.why) == rejection.why) return {};
    write_stderr("drover agent: the router at {} has no capacity for {} now, retrying: {}\n",
                 options_.endpoint.endpoint, options_.settings.host, printable(rejection.why));
    write_state("waiting");
    return {};
  }

  Status handle_join_accepted(const JoinAccepted& welcome, const Incoming& incoming) {
    if (const Status sensible = check_join_accepted(welcome); !sensible) {
      return error(ErrorKind::io, "the router at {} reports an invalid time: {}",
                   options_.endpoint.endpoint, sensible.error().message);
    }
    const auto joined = connection_.accepted(welcome, clock_.now());
    if (joined.clock_jump) end_life(*joined.clock_jump);
    if (welcome.lease.count() > 0) lease_ = welcome.lease;
    if (joined.starts_clock) {
      clock_ = Clock(welcome.fleet_time, welcome.speed);
      options_.settings.sample_every = from_seconds(1.0 / options_.rate_hz);
      options_.settings.sample_every_min = wall_span(0.05, welcome.speed);
      const AgentStart start{options_.settings, clock_.now()};
      journal_.write(JournalStart{"agent", to_text(start)});
      core_.emplace(start.settings, catalogue_, start.start);
      lived_to_ = start.start;
    } else {
      clock_.reanchor(welcome.fleet_time, welcome.speed);
    }
    if (metrics_) metrics_->set_clock({clock_.now(), wall_now(), welcome.speed});
    const std::string samples = reachable(welcome.samples_endpoint, options_.endpoint);
    if (samples != samples_endpoint_) {
      DROVER_TRY(sockets_.connect_samples(samples));
      samples_endpoint_ = samples;
    }
    const Instant now = clock_.now();
    if (journal_.on()) journal_.write(JournalReceive{now, incoming.from, incoming.bytes, {}});
    core_->handle_join_accepted(now, welcome);
    report_connected();
    write_state("joined");
    return {};
  }

  AgentOptions options_;
  const devices::Catalogue& catalogue_;
  HostNameLock claim_;
  StopSignals signals_;  // before the sockets, whose threads must not take signals
  Sockets sockets_;
  RotatingLog log_;
  JournalWriter journal_;
  std::unique_ptr<AgentMetrics> metrics_;  // null without --metrics and --remote-write
  std::optional<FakeNvmlFile> nvml_;
  WallTime nvml_due_{};
  Clock clock_{Instant{}, 1};
  Instant lived_to_{};  // the core's last tick
  Duration lease_ = std::chrono::seconds(10);
  std::optional<agents::Agent> core_;
  bool host_down_ = false, replaced_ = false, left_ = false;  // as the core says
  std::string samples_endpoint_;
  bool silence_reported_ = false;
  bool state_problem_reported_ = false;
  std::optional<ConnectRefusal> connect_refusal_;
  std::string no_capacity_;  // the last reported reason
  RouterConnection connection_{agent_connection_timeout};
  std::uint64_t joins_ = 0;
  std::optional<std::uint64_t> reported_connection_;
};

}  // namespace

CommandOutcome run_emulated_agent(AgentOptions options, const devices::Catalogue& catalogue) {
  AgentShell shell(std::move(options), catalogue);
  DROVER_TRY(shell.open());
  return shell.run();
}

}  // namespace drover::commands
