// `drover agent`: the agent core, which emulates the devices of one host, and its connection to the
// router. The router is found again whenever it was away; the core keeps working under its lease.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agents/agent.h"
#include "commands/agent/agent_options.h"
#include "commands/agent/agent_start.h"
#include "commands/agent/host_claim.h"
#include "commands/connection/fleet_time_bounds.h"
#include "commands/connection/session.h"
#include "commands/estimate/catalogue_files.h"
#include "commands/shell/clock.h"
#include "commands/shell/journal_file.h"
#include "commands/shell/kept_log.h"
#include "commands/shell/lifeline.h"
#include "commands/shell/output.h"
#include "commands/shell/silence.h"
#include "commands/shell/stop_signals.h"
#include "commands/verbs.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/codec/codec.h"
#include "fleet/outbox.h"
#include "fleet/socket/socket.h"
#include "fleet/text/json.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds longest_wait{500};
/// Without a word from the router for so long, the agent introduces itself anew.
constexpr Wall silence_max = std::chrono::seconds(3);
constexpr Wall join_again = std::chrono::seconds(1);
constexpr Wall room_again = std::chrono::seconds(5);  // a router without room for this host
/// So long an agent that ends waits for the router to store what it gave back.
constexpr Wall farewell_max = std::chrono::seconds(1);
/// So long one that starts waits for an earlier one of its name, which may be saying farewell.
constexpr Wall claim_max = std::chrono::seconds(3);

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
    if (const Status kept = log_.open(options_.log); !kept) return kept.error();
    if (const Status told = put_file(options_.state, "waiting"); !told) return told.error();
    if (const Status claimed = claim(); !claimed) return claimed;
    auto journal = JournalFile::open(options_.journal);
    if (!journal) return journal.error();
    journal_ = std::move(*journal);
    const Status keyed = use_keys_of(options_.endpoint, options_.settings.host, sockets_);
    return keyed ? sockets_.connect_control(options_.endpoint) : keyed;
  }

  CommandOutcome run() {
    last_heard_ = connected_ = wall_now();
    while (!signals_.stopped()) {
      knock();
      if (const Status fine = turn(wait()); !fine) return CommandOutcome::failed(fine.error());
      log_.keep_short();
      if (orphaned()) {
        (void)leave();
        return CommandOutcome::failed(error("no word from a router at {} for {}: this agent ends",
                                            options_.endpoint.endpoint,
                                            duration_text(to_seconds(options_.orphan_after))));
      }
      if (core_ && core_->superseded()) {
        return CommandOutcome::failed(
            error("another agent named {} has registered since: this one ends; when both are "
                  "wanted, give one another --name",
                  options_.settings.host));
      }
    }
    if (const Status fine = leave(); !fine) return CommandOutcome::failed(fine.error());
    return CommandOutcome::done();
  }

 private:
  /// One of a name on this machine; a restart waits for the old process to end.
  Status claim() {
    const Wall end = wall_now() + claim_max;
    bool told = false;
    while (!signals_.stopped()) {
      const auto taken = claim_.take();
      if (!taken) return taken.error();
      if (*taken) break;
      if (wall_now() >= end) {
        return error("another agent named {} runs on this machine: give this one another --name",
                     options_.settings.host);
      }
      if (!std::exchange(told, true)) {
        put_error("drover agent: another agent named {} runs on this machine; waiting\n",
                  options_.settings.host);
      }
      sockets_.wait(std::chrono::milliseconds(100));
    }
    for (const std::string& why : claim_.passed_over()) {
      put_error("drover agent: {}; a second agent of this name may go unnoticed\n", why);
    }
    return {};
  }

  /// The one word that a launcher reads. On a full disk the agent works on, and says so once.
  void tell(const char* word) {
    const Status told = put_file(options_.state, word);
    if (told || std::exchange(untold_, true)) return;
    put_error("drover agent: --state: {}\n", told.error().message);
  }

  bool orphaned() const {
    return options_.orphan_after.count() > 0 && wall_now() - last_heard_ > options_.orphan_after;
  }

  /// Waits, receives, lets the core act, sends.
  Status turn(std::chrono::milliseconds longest) {
    auto turn = sockets_.wait(longest);
    if (core_) end_after_pause();
    for (const Incoming& incoming : turn.messages) {
      if (const Status fine = receive(incoming); !fine) return fine;
    }
    if (core_) {
      const Instant now = clock_.now();
      lived_to_ = now;
      journal_.write(JournalTick{now});
      core_->tick(now);
      for (const Send& send : core_->take_outbox().sends) {
        sockets_.send(send.to, encode(send.envelope));
      }
    }
    return journal_.flush();
  }

  /// A process that was stopped for long does not go through what it has missed: the router has
  /// given up its work, as after a leap of the router's own time.
  void end_after_pause() {
    const Instant now = clock_.now();
    if (const auto leap = leap_between(lived_to_, now, lease_)) end_life(*leap);
  }

  /// Of this incarnation: the next Welcome begins another at the time that it tells. Its work is
  /// given up as that of an agent that was killed.
  void end_life(const TimeLeap& leap) {
    put_error("drover agent: {}: {} begins anew there, and what it ran is given up\n",
              to_text(leap), options_.settings.host);
    core_.reset();
    options_.settings.incarnation = fresh_incarnation();
    join_wanted_ = true;
    last_join_ = Wall{0};
  }

  /// Gives back all work and says Leave. What is sent last goes out while the sockets close; what
  /// the router is to store is waited for, a moment, as long as there is a router.
  Status leave() {
    if (core_) end_after_pause();
    if (!core_) return {};
    const Instant now = clock_.now();
    const std::string why = signals_.name();
    journal_.write(JournalLeave{now, why});
    core_->leave(now, why);
    const Wall end = wall_now() + farewell_max;
    Status fine = turn(std::chrono::milliseconds(0));
    while (fine && core_->unstored() > 0 && sockets_.control_connected() && wall_now() < end) {
      fine = turn(std::chrono::milliseconds(20));
    }
    return fine;
  }

  std::chrono::milliseconds wait() const {
    if (!core_) return std::chrono::milliseconds(100);
    return clock_.until(core_->next_deadline(), longest_wait);
  }

  /// Says Join until there is a Welcome, and again when the router has been silent.
  void knock() {
    if (core_ && core_->silent()) {
      // The emulated host is lost, and its agent with it: whom nobody knows, nobody talks to.
      last_heard_ = wall_now();
      return;
    }
    tell_barred();
    const Wall now = wall_now();
    if (sockets_.control_connections() != connections_) {
      // A connection that came back may lead to a new life of the router.
      connections_ = sockets_.control_connections();
      join_wanted_ = true;
      if (connections_ > 1) last_join_ = Wall{0};
    }
    const bool silent = now - last_heard_ > silence_max;
    if (!(join_wanted_ || silent) || now - last_join_ < join_again) return;
    if (silent && !std::exchange(told_, true)) {
      put_error("drover agent: cannot reach the router at {}, retrying\n",
                options_.endpoint.endpoint);
      tell("waiting");
    }
    if (now - std::max(last_heard_, connected_) > agent_connection_silence_max) {
      connected_ = now;
      if (const Status again = sockets_.reconnect_control(); !again) {
        put_error("drover agent: {}\n", again.error().message);
      }
    }
    last_join_ = now;
    Envelope envelope;
    envelope.sender = options_.settings.host;
    envelope.sequence = ++joins_;
    envelope.at = core_ ? clock_.now() : Instant{};
    envelope.body = Join{Role::agent, options_.settings.host, software_name};
    sockets_.send(router_peer, encode(envelope));
  }

  /// Once a connection, and when the router is heard again after a silence that was told.
  void tell_connected() {
    const bool silent = std::exchange(told_, false);
    if (std::exchange(connected_told_, connections_) == connections_ && !silent) return;
    put_error("drover agent: connected to {} as {}: {}\n", options_.endpoint.endpoint,
              options_.settings.host, devices_text(options_.settings));
  }

  /// Each reason once; the sockets try on by themselves.
  void tell_barred() {
    const auto barred = sockets_.barred();
    if (barred == barred_) return;
    barred_ = barred;
    if (!barred) return;
    put_error("drover agent: {}; retrying\n",
              barred_text(*barred, options_.endpoint, options_.settings.host));
    told_ = true;
    tell("waiting");
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
    last_heard_ = wall_now();
    if (const auto* refusal = std::get_if<Unwelcome>(&envelope->body)) {
      if (refusal->passing) return wait_for_room(refusal->why);
      return error("the router at {} does not take {}: {}", options_.endpoint.endpoint,
                   options_.settings.host, printable(refusal->why));
    }
    if (const auto* welcome = std::get_if<Welcome>(&envelope->body)) {
      return be_welcomed(*welcome, incoming);
    }
    if (!core_) return {};
    // A router that does not know us has a new life: its speed, lease and doors may be others.
    if (std::holds_alternative<HelloWanted>(envelope->body)) {
      join_wanted_ = true;
      return {};
    }
    const Instant now = clock_.now();
    if (journal_.on()) journal_.write(JournalReceive{now, incoming.from, incoming.bytes, {}});
    core_->receive(now, *envelope);
    return {};
  }

  /// The fleet's tables are full; others may leave. Told once a reason.
  Status wait_for_room(const std::string& why) {
    join_wanted_ = true;
    last_join_ = wall_now() + room_again - join_again;
    if (std::exchange(no_room_, why) == why) return {};
    put_error("drover agent: the router at {} has no room for {} now, retrying: {}\n",
              options_.endpoint.endpoint, options_.settings.host, printable(why));
    tell("waiting");
    return {};
  }

  Status be_welcomed(const Welcome& welcome, const Incoming& incoming) {
    if (const Status sensible = check_welcome(welcome); !sensible) {
      return error("the router at {} tells a time that cannot be: {}", options_.endpoint.endpoint,
                   sensible.error().message);
    }
    if (core_) {
      if (const auto leap = leap_to(welcome, clock_.now())) end_life(*leap);
    }
    join_wanted_ = false;
    if (welcome.lease.count() > 0) lease_ = welcome.lease;
    if (!core_) {
      clock_ = Clock(welcome.fleet_time, welcome.speed);
      options_.settings.sample_every = from_seconds(1.0 / options_.rate_hz);
      options_.settings.sample_every_min = wall_span(0.05, welcome.speed);
      const AgentStart start{options_.settings, clock_.now()};
      journal_.write(JournalStart{"agent", to_text(start)});
      core_.emplace(start.settings, catalogue_, start.start);
      lived_to_ = start.start;
    } else {
      clock_.anchor_again(welcome.fleet_time, welcome.speed);
    }
    const std::string samples = reachable(welcome.samples_endpoint, options_.endpoint);
    if (samples != samples_endpoint_) {
      if (const Status connected = sockets_.connect_samples(samples); !connected) {
        return connected.error();
      }
      samples_endpoint_ = samples;
    }
    const Instant now = clock_.now();
    if (journal_.on()) journal_.write(JournalReceive{now, incoming.from, incoming.bytes, {}});
    core_->welcomed(now, welcome);
    tell_connected();
    tell("joined");
    return {};
  }

  AgentOptions options_;
  const devices::Catalogue& catalogue_;
  HostClaim claim_;
  StopSignals signals_;  // before the sockets, whose threads must not take signals
  Sockets sockets_;
  KeptLog log_;
  JournalFile journal_;
  Clock clock_{Instant{}, 1};
  Instant lived_to_{};  // the core's last tick
  Duration lease_ = std::chrono::seconds(10);
  std::optional<agents::Agent> core_;
  std::string samples_endpoint_;
  bool join_wanted_ = true;
  bool told_ = false;
  bool untold_ = false;
  std::optional<Barred> barred_;
  std::string no_room_;  // why, as told last
  Wall last_heard_{0};
  Wall last_join_{0};
  Wall connected_{0};
  std::uint64_t joins_ = 0;
  std::uint64_t connections_ = 0;
  std::optional<std::uint64_t> connected_told_;  // of which connection
};

}  // namespace

CommandUsage agent_usage() {
  return {
      "usage: drover agent --devices LIST [options]",
      "Emulates the devices of one host: their speed, memory, power and heat. It connects to the\n"
      "router, reports samples and runs what the router assigns; it keeps trying while no router\n"
      "is there. `drover catalogue devices` and `drover catalogue models` list the names.",
      {connect_option(),
       {"devices", "LIST", "DEVICE:COUNT[@TOPOLOGY], joined by commas; each entry one group"},
       {"replicas", "LIST", "MODEL:FIRST[-LAST][@PRECISION]: copies loaded from the start"},
       {"name", "HOST", "the host's name (default: this machine's)"},
       {"rack", "R", "its rack (default rack-1)"},
       {"site", "S", "its site (default local)"},
       {"label", "K=V", "a label for policies; may be given several times", false, true},
       {"ambient", "C", "temperature of the inlet air (default 22)"},
       {"rate", "HZ", "samples per fleet second (default 1)"},
       {"seed", "N", "draws the differences between its devices, and its faults (default 1)"},
       {"faults", "RATE",
        "faults that come by themselves: RATE times as often as published\n"
        "(default 0: none)"},
       {"sample-loss", "SHARE", "of its devices' reports that get lost (default 0)"},
       {"sample-delay", "T", "its reports come so much later, in fleet time (default 0s)"},
       {"catalogue", "DIR", "more device and model specs, *.toml"},
       {"journal", "FILE", "write every input there, to replay this agent"},
       {"orphan-after", "T", "end when no router has been heard for so long (default never)"},
       {"log", "FILE", "append messages there, and keep it short (one older part, FILE.1)"},
       {"state", "FILE", "keep one word there: joined or waiting"},
       lifeline_option()},
      {},
      "  drover agent --devices h100-sxm:8\n"
      "      eight H100, nothing loaded\n"
      "  drover agent --name h100-1 --devices h100-sxm:8 --replicas "
      "llama-3.1-70b:0-3,llama-3.1-8b:4\n"
      "      a 70B model over devices 0 to 3, an 8B model on device 4\n"
      "  drover agent --name v5e-1 --devices tpu-v5e:8@2x4 --replicas llama-3.1-70b:0-7@int8"};
}

CommandOutcome run_agent(Arguments& arguments) {
  if (const Status held = hold_lifeline(arguments); !held)
    return CommandOutcome::usage(held.error());
  auto catalogue = load_catalogue(arguments.text("catalogue"));
  if (!catalogue) return CommandOutcome::failed(catalogue.error());
  auto options = read_agent_options(arguments, *catalogue);
  if (!options) return CommandOutcome::usage(options.error());
  if (const Status fine = check_connect(options->endpoint, "DROVER_CONNECT"); !fine) {
    return CommandOutcome::failed(fine.error());
  }
  AgentShell shell(std::move(*options), *catalogue);
  if (const Status opened = shell.open(); !opened) return CommandOutcome::failed(opened.error());
  return shell.run();
}

}  // namespace drover::commands
