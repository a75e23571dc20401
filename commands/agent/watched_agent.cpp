#include "commands/agent/watched_agent.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "agents/watch/watched_hosts.h"
#include "commands/agent/host_name_lock.h"
#include "commands/connection/fleet_time_bounds.h"
#include "commands/connection/router_connection.h"
#include "commands/connection/session.h"
#include "commands/readings/readings.h"
#include "commands/shell/files.h"
#include "commands/shell/output.h"
#include "commands/shell/rotating_log.h"
#include "commands/shell/stop_signals.h"
#include "fleet/base/overloaded.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/base/version.h"
#include "fleet/codec/codec.h"
#include "fleet/socket/socket.h"

namespace drover::commands {
namespace {

constexpr std::chrono::milliseconds wait_max{250};

/// Its line carries no number where there is one host only: this machine.
Peer line_of_host(std::size_t host) { return {Channel::control, host + 1}; }

class WatchedAgentShell {
 public:
  WatchedAgentShell(WatchedAgentOptions options, const devices::Catalogue& catalogue)
      : options_(std::move(options)),
        claim_(options_.settings.host, options_.endpoint.endpoint),
        hosts_(options_.settings, catalogue),
        readings_(options_.sources) {}

  Status open() {
    sockets_.watch(signals_.descriptor());
    for (const int descriptor : readings_.descriptors()) sockets_.watch(descriptor);
    DROVER_TRY(log_.open(options_.log));
    DROVER_ASSIGN(metrics_, AgentMetrics::open(options_.metrics, options_.settings.host));
    write_state("waiting");
    if (options_.sources.real) {
      DROVER_TRY(claim_host_name(claim_, options_.settings.host, signals_));
    }
    DROVER_TRY(use_keys_of(options_.endpoint, options_.settings.host, sockets_));
    return sockets_.connect_control(options_.endpoint.endpoint);
  }

  CommandOutcome run() {
    while (!signals_.stopped()) {
      DROVER_TRY(turn());
      log_.rotate_when_large();
      if (orphaned()) {
        leave();
        return error(ErrorKind::lost, "no answer from a router at {} for {}: this agent exits",
                     options_.endpoint.endpoint,
                     duration_text(to_seconds(options_.exit_after_silence)));
      }
    }
    leave();
    return CommandOutcome::done();
  }

 private:
  /// The instant of the cores: unknown until a router has said what time it is. Hosts keep their
  /// readings until then.
  Instant now() { return clock_ ? clock_->now() : Instant{}; }

  Status turn() {
    readings_.request_when_due(wall_now());
    keep_joined();
    auto arrived = sockets_.wait(wait());
    for (const Incoming& incoming : arrived.messages) {
      DROVER_TRY(receive(incoming));
    }
    for (const agents::TargetNews& news : readings_.take(wall_now())) {
      hosts_.take(now(), news, [&](std::size_t host) { send_join(host); });
      joined_.resize(hosts_.size());
    }
    if (const std::string note = hosts_.take_note(); !note.empty())
      write_stderr("drover agent: {}\n", note);
    report();
    for (const CapAnswer& answer : readings_.take_cap_answers()) {
      for (std::size_t host = 0; host < hosts_.size(); ++host)
        hosts_.host(host).cap_set(now(), answer.asked, answer.status);
    }
    hosts_.tick(now());
    return act();
  }

  std::chrono::milliseconds wait() {
    WallTime next = std::min(readings_.next_deadline(), wall_now() + wait_max);
    if (hosts_.size() > 0) next = std::min(next, next_join_);
    const auto left = std::max(std::chrono::ceil<std::chrono::milliseconds>(next - wall_now()),
                               std::chrono::milliseconds(0));
    return clock_ ? clock_->until(hosts_.next_deadline(), left) : left;
  }

  /// What sources say, and once that this machine has no devices.
  void report() {
    for (const Readings::Notice& notice : readings_.take_notices())
      write_stderr("drover agent: {}: {}\n", notice.about, notice.text);
    if (nothing_reported_ || readings_.drivers() == nullptr) return;
    const std::string nothing = nothing_found_text(*readings_.drivers());
    if (nothing.empty()) return;
    nothing_reported_ = true;
    write_stderr("drover agent: {}; looking again every minute\n", nothing);
  }

  Status act() {
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
      for (const agents::WatchEffect& effect : hosts_.host(host).take_effects()) {
        if (const auto* send = std::get_if<Send>(&effect)) {
          const bool samples = send->to.channel == Channel::samples;
          if (metrics_) metrics_->receive(send->envelope);
          sockets_.send(samples ? samples_peer : line_of_host(host), encode(send->envelope));
        } else if (const auto* cap = std::get_if<agents::CapBoard>(&effect)) {
          readings_.set_power_cap(*cap);
        } else if (std::holds_alternative<agents::Replaced>(effect)) {
          return error(ErrorKind::refused, "another agent named {} has registered: this one exits",
                       hosts_.host(host).settings().host);
        }
      }
    }
    return {};
  }

  // The connection. Each host joins on its own line.

  void keep_joined() {
    const WallTime at = wall_now();
    report_refusal();
    if (connection_.established(sockets_.control_connections()))
      joined_.assign(hosts_.size(), false);
    if (connection_.silent(at) && !std::exchange(silence_reported_, true)) {
      write_stderr("drover agent: cannot reach the router at {}, retrying\n",
                   options_.endpoint.endpoint);
      write_state("waiting");
      joined_.assign(hosts_.size(), false);
    }
    if (connection_.take_replacement(at)) {
      if (const Status again = sockets_.reconnect_control(); !again)
        write_stderr("drover agent: {}\n", again.error().message);
    }
    if (at < next_join_) return;
    next_join_ = at + join_interval;
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
      if (!joined_[host]) send_join(host);
    }
  }

  void send_join(std::size_t host) {
    const std::string& name = hosts_.host(host).settings().host;
    connection_.sent(wall_now());
    sockets_.send(line_of_host(host),
                  encode({name, ++joins_, now(), Join{Role::agent, name, software_name}}));
  }

  Status receive(const Incoming& incoming) {
    if (incoming.from.number == 0 || incoming.from.number > hosts_.size()) return {};
    const std::size_t host = incoming.from.number - 1;
    const auto envelope = decode(incoming.bytes);
    if (!envelope) {
      hosts_.host(host).count_undecodable();
      return {};
    }
    connection_.received(wall_now());
    if (const auto* rejection = std::get_if<JoinRejected>(&envelope->body))
      return handle_join_rejected(host, *rejection);
    if (const auto* welcome = std::get_if<JoinAccepted>(&envelope->body))
      return handle_join_accepted(host, *welcome);
    // The router has restarted: its time may have changed.
    if (std::holds_alternative<Reregister>(envelope->body)) joined_[host] = false;
    hosts_.host(host).receive(now(), *envelope);
    return {};
  }

  Status handle_join_rejected(std::size_t host, const JoinRejected& rejection) {
    const std::string& name = hosts_.host(host).settings().host;
    if (rejection.retryable) next_join_ = wall_now() + room_interval;
    if (rejection.retryable && rejected_ == rejection.why) return {};
    rejected_ = rejection.why;
    const Error refused = error(ErrorKind::refused, "the router at {} refused {}: {}",
                                options_.endpoint.endpoint, name, printable(rejection.why));
    // Other hosts may still be accepted.
    if (rejection.retryable || hosts_.size() > 1) {
      write_stderr("drover agent: {}\n", refused.message);
      return {};
    }
    return refused;
  }

  Status handle_join_accepted(std::size_t host, const JoinAccepted& welcome) {
    if (const Status sensible = check_join_accepted(welcome); !sensible) {
      return error(ErrorKind::io, "the router at {} reports an invalid time: {}",
                   options_.endpoint.endpoint, sensible.error().message);
    }
    if (welcome.speed != 1) {
      return error(ErrorKind::refused,
                   "the router at {} runs {:g} times as fast as wall time: real devices cannot; "
                   "start a router without --speed for them",
                   options_.endpoint.endpoint, welcome.speed);
    }
    (void)connection_.accepted(welcome, now());
    if (clock_) {
      clock_->reanchor(welcome.fleet_time, 1);
    } else {
      clock_.emplace(welcome.fleet_time, 1);
      connection_.expect_messages(wall_now());
    }
    if (metrics_) metrics_->set_clock({clock_->now(), wall_now(), 1});
    const std::string samples = reachable(welcome.samples_endpoint, options_.endpoint.endpoint);
    if (std::exchange(samples_endpoint_, samples) != samples) {
      DROVER_TRY(sockets_.connect_samples(samples));
    }
    // Its first reading came before it could be sent.
    if (!joined_[host]) readings_.request_soon(wall_now());
    joined_[host] = true;
    hosts_.host(host).handle_join_accepted(now(), welcome);
    report_connected();
    return {};
  }

  void report_connected() {
    const bool silent = std::exchange(silence_reported_, false);
    if (std::ranges::count(joined_, false) > 0) return;
    write_state("joined");
    if (std::exchange(reported_hosts_, hosts_.size()) == hosts_.size() && !silent) return;
    std::size_t devices = 0;
    for (std::size_t host = 0; host < hosts_.size(); ++host)
      devices += hosts_.host(host).device_count();
    const std::string what =
        hosts_.size() == 1 ? hosts_.host(0).settings().host : counted(hosts_.size(), "host");
    write_stderr("drover agent: connected to {} as {}: {} of {}\n", options_.endpoint.endpoint,
                 what, counted(devices, "real device"), sources_text(options_.sources));
  }

  /// Reports each reason once; the sockets retry by themselves.
  void report_refusal() {
    const auto connect_refusal = sockets_.connect_refusal();
    if (std::exchange(connect_refusal_, connect_refusal) == connect_refusal || !connect_refusal)
      return;
    write_stderr("drover agent: {}; retrying\n",
                 connect_refusal_text(*connect_refusal, options_.endpoint, options_.settings.host));
    silence_reported_ = true;
    write_state("waiting");
  }

  void write_state(const char* state) {
    const Status written = write_state_file(options_.state, state);
    if (written || std::exchange(state_problem_reported_, true)) return;
    write_stderr("drover agent: --state: {}\n", written.error().message);
  }

  bool orphaned() const {
    return options_.exit_after_silence.count() > 0 &&
           connection_.silence(wall_now()) > options_.exit_after_silence;
  }

  /// Says goodbye for each host, and restores the power caps.
  void leave() {
    std::vector<agents::CapBoard> caps;
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
      hosts_.host(host).leave(now(), signals_.stopped() ? signals_.name() : "no router");
      for (agents::WatchEffect& effect : hosts_.host(host).take_effects()) {
        if (auto* cap = std::get_if<agents::CapBoard>(&effect)) caps.push_back(std::move(*cap));
        const auto* send = std::get_if<Send>(&effect);
        if (send != nullptr) sockets_.send(line_of_host(host), encode(send->envelope));
      }
    }
    readings_.set_power_caps_now(caps);
  }

  WatchedAgentOptions options_;
  HostNameLock claim_;
  StopSignals signals_;  // before the sockets and the readings, whose threads must not take signals
  Sockets sockets_;
  RotatingLog log_;
  std::unique_ptr<AgentMetrics> metrics_;  // null without --metrics and --remote-write
  agents::WatchedHosts hosts_;
  Readings readings_;
  std::optional<Clock> clock_;
  std::vector<bool> joined_;  // by host
  RouterConnection connection_{agent_connection_timeout};
  std::string samples_endpoint_;
  WallTime next_join_{};
  std::uint64_t joins_ = 0;
  bool silence_reported_ = false, state_problem_reported_ = false, nothing_reported_ = false;
  std::optional<ConnectRefusal> connect_refusal_;
  std::string rejected_;  // the last reported reason
  std::size_t reported_hosts_ = 0;
};

}  // namespace

CommandOutcome run_watched_agent(const WatchedAgentOptions& options,
                                 const devices::Catalogue& catalogue) {
  WatchedAgentShell shell(options, catalogue);
  DROVER_TRY(shell.open());
  return shell.run();
}

}  // namespace drover::commands
