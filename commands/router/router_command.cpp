// `drover router`: runs the router core between its endpoints and its ledger. The loop: wait,
// receive, take commits, tick, append writes, send the messages that need not wait for a commit.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/connection/fleet_time_bounds.h"
#include "commands/connection/router_start.h"
#include "commands/connection/session.h"
#include "commands/estimate/catalogue_files.h"
#include "commands/record/record_options.h"
#include "commands/router/access_control.h"
#include "commands/router/alert_hook.h"
#include "commands/router/ingress.h"
#include "commands/router/ledger_clock.h"
#include "commands/router/metrics.h"
#include "commands/router/options.h"
#include "commands/router/publications.h"
#include "commands/router/recording.h"
#include "commands/shell/clock.h"
#include "commands/shell/files.h"
#include "commands/shell/journal_file.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/subcommands.h"
#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "fleet/outbox.h"
#include "fleet/socket/socket.h"
#include "router/ledger/compaction.h"
#include "router/ledger/failpoints.h"
#include "router/ledger/store.h"
#include "router/policy/policy.h"
#include "router/router.h"

namespace drover::commands {

namespace {

/// An idle loop turns this often, so that a missed wake-up has no lasting effect.
constexpr std::chrono::milliseconds router_wait_max{500};

/// Rows of the ledger in one record of the journal.
constexpr std::size_t journalled_rows = 10'000;

class RouterShell {
 public:
  RouterShell(RouterOptions options, const devices::Catalogue& catalogue)
      : options_(std::move(options)),
        catalogue_(catalogue),
        signals_(options_.keys.empty() && options_.start.policy_place.empty()),
        clock_(Instant{}, options_.start.speed) {}

  Status open() {
    DROVER_TRY(router::arm_failpoint(std::getenv("DROVER_FAIL_AT")));
    DROVER_ASSIGN(
        auto store,
        router::LedgerStore::open(
            options_.ledger, std::make_unique<router::LedgerCompaction>(options_.start.retention)));
    store_ = std::move(store);
    DROVER_TRY(hook_.open(options_.on_alert));
    DROVER_TRY(guard_.open(options_.keys, sockets_));
    DROVER_TRY(bind());
    DROVER_ASSIGN(const auto start, resume_ledger_clock(store_->path(), store_->last_at(),
                                                        system_now(), options_.start.speed));
    clock_ = Clock(start, options_.start.speed);
    DROVER_ASSIGN(journal_, JournalWriter::open(options_.journal));
    return begin(start);
  }

  CommandOutcome run() {
    StopSignals& signals = signals_;
    sockets_.watch(signals.descriptor());
    sockets_.watch(store_->ready_descriptor());
    write_stdout("router ready: control {} samples {} publish {}\n", bound_.control, bound_.samples,
                 bound_.publish);
    if (options_.metrics.server) write_stdout("metrics: {}\n", metrics_->url());
    DROVER_TRY(flush_output());
    while (!signals.stopped()) {
      reload_files();
      out_of_time_ = clock_.now() >= fleet_time_end;
      if (out_of_time_) break;
      read_endpoints();
      check_subscribers();
      take_commits();
      take_viewers_messages();
      if (hook_.on()) run_hook();
      const Instant now = clock_.now();
      journal_.write(JournalTick{now});
      core_->tick(now);
      Outbox outbox = core_->take_outbox();
      if (journal_.on() && !outbox.empty()) journal_.write(outbox_digest(outbox));
      act(std::move(outbox));
      publications_.send_due(clock_.now());
      DROVER_TRY(store_->failure());
      DROVER_TRY(journal_.flush());
    }
    leave();
    DROVER_TRY(store_->flush());
    take_commits();
    CommandOutcome ended = recording_ ? recording_->end() : CommandOutcome::done();
    return out_of_time_ ? CommandOutcome(end_of_time()) : std::move(ended);
  }

 private:
  /// The ledger is complete, but no router can start with it again.
  Error end_of_time() const {
    return error(
        ErrorKind::io,
        "fleet time has reached {}, the end of its range; ledger {} is kept: start a new one with "
        "--ledger",
        instant_text(fleet_time_end), store_->path());
  }

  Instant next_deadline() const {
    Instant next = core_->next_deadline();
    if (recording_) next = std::min(next, recording_->next_deadline());
    if (metrics_) next = std::min(next, metrics_->next_deadline());
    return next;
  }

  Status bind() {
    DROVER_ASSIGN(const auto endpoints, endpoints_of(options_.listen));
    DROVER_ASSIGN(bound_, sockets_.bind_router(endpoints[0], endpoints[1], endpoints[2]));
    return {};
  }

  Status begin(Instant now) {
    RouterStart& start = options_.start;
    start.start = now;
    start.samples_endpoint = bound_.samples;
    start.publish_endpoint = bound_.publish;
    DROVER_ASSIGN(core_, make_router(start, catalogue_));
    journal_.write(JournalStart{"router", to_text(start)});
    if (options_.record) {
      DROVER_ASSIGN(recording_, RouterRecording::open(*options_.record, now, start.speed));
    }
    if (options_.metrics.any()) {
      const FleetAnchor anchor{now, wall_now(), start.speed};
      DROVER_ASSIGN(metrics_, RouterMetrics::open(options_.metrics, anchor));
    }
    // A replay of the journal compares all output, so everything must be published.
    watched_ = recording_ || metrics_ || journal_.on() || hook_.on();
    core_->set_has_subscribers(watched_);
    return restore();
  }

  Status absurd_row(const LedgerRow& row) const {
    return error(ErrorKind::io,
                 "{}: a row of job {}: found fleet time {}, expected a time in the years {}; "
                 "start a new ledger with --ledger",
                 store_->path(), to_text(row.job), instant_text(row.at), fleet_years);
  }

  Status restore() {
    JournalRestore restored;
    const Status read = store_->read([&](const LedgerRow& row) {
      if (journal_.on()) restored.rows.push_back(row);
      if (restored.rows.size() == journalled_rows) journal_.write(std::exchange(restored, {}));
      if (!is_fleet_time(row.at)) return absurd_row(row);
      return core_->restore_row(row);
    });
    if (!read) return read;
    const std::string started_with = core_->policy().text;
    if (const Status status = core_->restored(); !status) {
      return of_kind(ErrorKind::io, status.error());
    }
    if (const router::Policy& policy = core_->policy(); policy.text != started_with) {
      write_stderr(
          "drover router: restored the policy {} version {} that was applied before the restart\n",
          printable(policy.name), policy.version);
    }
    if (journal_.on()) journal_.write(restored);
    return {};
  }

  void read_endpoints() {
    const auto longest = publications_.wait(router_wait_max);
    const auto turn = ingress_.read(clock_.until(next_deadline(), longest),
                                    [&](const Peer& peer) { return core_->speaks_for_host(peer); });
    for (const Incoming& samples : turn.samples) receive(samples);
    for (const Dropped& dropped : turn.dropped) drop(dropped);
    ingress_.serve([&](const Incoming& incoming) { receive(incoming); },
                   [&](const Dropped& dropped) { drop(dropped); });
  }

  /// Reads the allow-list again if it has changed. On SIGHUP reads it and the policy again.
  void reload_files() {
    if (signals_.hung_up()) {
      guard_.reload(sockets_);
      if (!options_.start.policy_place.empty()) read_policy_again();
    }
    guard_.reload_if_changed(wall_now(), sockets_);
  }

  void read_policy_again() {
    const std::string& file = options_.start.policy_place;
    auto text = read_file(file, policy_bytes_max);
    if (text) {
      deliver("SIGHUP", ApplyPolicy{std::move(*text), file});
    } else {
      deliver("SIGHUP", Audit{"SIGHUP", "apply policy", file, false, text.error().message});
    }
  }

  void receive(const Incoming& incoming) {
    auto envelope = decode(incoming.bytes);
    if (!envelope) return reject_message(incoming, envelope.error().message, {});
    auto why = guard_.refuse(incoming, *envelope);
    if (!why) why = core_->refusal(incoming.from, *envelope);
    if (why) return reject_message(incoming, *std::move(why), kind_name(envelope->body));
    const std::string_view key =
        incoming.key == nullptr ? "" : std::string_view(incoming.key->name);
    const Instant now = clock_.now();
    if (journal_.on()) {
      journal_.write(JournalReceive{now, incoming.from, incoming.bytes, std::string(key)});
    }
    core_->receive(now, incoming.from, *envelope, key);
    if (incoming.from.channel == Channel::samples &&
        std::holds_alternative<SampleBatch>(envelope->body)) {
      publications_.publish_samples(incoming.bytes);
      pass_to_viewers(now, publish_peer, std::move(*envelope));
    }
  }

  /// Once a client has subscribed, everything is published.
  void check_subscribers() {
    if (watched_) return;
    watched_ = publications_.ever_watched();
    core_->set_has_subscribers(watched_);
  }

  /// The recording and the metrics act like viewers without a connection: they request snapshots.
  void take_viewers_messages() {
    if (recording_) {
      for (const auto& [from, envelope] : recording_->take_messages(clock_.now())) {
        deliver(clock_.now(), from, envelope);
      }
    }
    if (metrics_) {
      for (const Envelope& envelope : metrics_->take_messages(clock_.now())) {
        deliver(clock_.now(), RouterMetrics::peer, envelope);
      }
    }
  }

  /// `kind`: the kind of the rejected message; empty if it could not be decoded.
  void reject_message(const Incoming& incoming, std::string why, std::string_view kind) {
    const std::string key = incoming.key == nullptr ? "" : incoming.key->name;
    drop({incoming.from, sender_text(incoming.from, incoming.address, key), std::move(why), key,
          incoming.address, std::string(kind)});
  }

  void drop(const Dropped& dropped) {
    const Instant now = clock_.now();
    journal_.write(JournalDropped{now, dropped.from, dropped.why, dropped.sender, dropped.key,
                                  dropped.address, dropped.asked, dropped.retryable});
    core_->reject_message(now, dropped);
  }

  void take_commits() {
    const std::uint64_t committed = store_->committed();
    if (store_->log() != reported_wal_) report_wal();
    if (store_->full() != reported_full_) report_full();
    if (metrics_) metrics_->set_ledger(committed, store_->full());
    if (committed == committed_) return;
    committed_ = committed;
    const Instant now = clock_.now();
    journal_.write(JournalCommitted{now, committed});
    core_->committed(now, committed);
    send_all(pending_sends_.release_up_to(committed));
    router::pass(router::LedgerFailpoint::after_acknowledgement);
  }

  /// Reports once, as a published event and on stderr, that the ledger is full or writable again.
  void report_full() {
    reported_full_ = !reported_full_;
    Event event;
    event.severity = reported_full_ ? Severity::critical : Severity::info;
    event.subject = "ledger";
    event.text = !reported_full_ ? "writes succeed again"
                 : store_->log() == router::WalState::full
                     ? fmt::format("{}: nothing is acknowledged until that transaction ends",
                                   router::ledger_log_full)
                     : "its disk is full: nothing is acknowledged until there is space";
    write_stderr("drover router: ledger {}: {}\n", store_->path(), event.text);
    deliver("router", std::move(event));
  }

  /// Reports a growing log early, so that an operator can end the program that reads the ledger.
  void report_wal() {
    const bool was_short =
        std::exchange(reported_wal_, store_->log()) == router::WalState::short_enough;
    if (!was_short || reported_wal_ == router::WalState::short_enough) return;
    Event event{
        Severity::warning, "ledger log",
        "another program holds a long read transaction on the ledger: its log grows until the "
        "transaction ends"};
    write_stderr("drover router: ledger {}: {}\n", store_->path(), event.text);
    deliver("router", std::move(event));
  }

  void run_hook() {
    const WallTime now = wall_now();
    hook_.tick(now);
    if (const auto problems = hook_.take_problems(now)) {
      write_stderr("drover router: --on-alert {}\n", *problems);
      deliver("router", Event{Severity::warning, "on-alert", printable(*problems)});
    }
  }

  /// Passes a message of this process to the core.
  void deliver(Instant now, const Peer& from, const Envelope& envelope) {
    if (journal_.on()) journal_.write(JournalReceive{now, from, encode(envelope), {}});
    core_->receive(now, from, envelope);
  }
  void deliver(const char* sender, Message body) {
    const Instant now = clock_.now();
    deliver(now, publish_peer, {sender, 0, now, std::move(body)});
  }

  /// Writes pending counts to the ledger.
  void leave() {
    deliver("router", Leave{});
    act(core_->take_outbox());
    publications_.send_all(clock_.now());
  }

  void act(Outbox outbox) {
    if (!outbox.writes.empty()) store_->append(std::move(outbox.writes));
    send_all(pending_sends_.hold_or_pass(std::move(outbox.sends)));
  }

  void send_all(std::vector<Send> sends) {
    for (Send& send : sends) {
      if (send.to != RouterRecording::peer && send.to != RouterMetrics::peer) send_out(send);
      if (recording_ || metrics_) pass_to_viewers(clock_.now(), send.to, std::move(send.envelope));
    }
  }

  void send_out(const Send& send) {
    const auto* alert = std::get_if<Alert>(&send.envelope.body);
    if (alert != nullptr && !alert->text_only) hook_.add(*alert);
    if (send.to.channel != Channel::publish) {
      sockets_.send(send.to, encode(send.envelope));
    } else {
      publications_.publish(send.envelope);
    }
  }

  /// Passes what is published, or is for one of them, to the recording and the metrics.
  void pass_to_viewers(Instant now, const Peer& to, Envelope envelope) {
    const bool published = to.channel == Channel::publish;
    const bool recorded = recording_ && (published || to == RouterRecording::peer);
    if (metrics_ && (published || to == RouterMetrics::peer)) {
      if (!recorded) return metrics_->receive(now, to, std::move(envelope));
      metrics_->receive(now, to, envelope);  // the only copy, with both of them
    }
    if (recorded) recording_->receive(now, to, std::move(envelope));
  }

  RouterOptions options_;
  const devices::Catalogue& catalogue_;
  StopSignals signals_;  // before the sockets, whose threads must not take signals
  Sockets sockets_;
  RouterIngress ingress_{sockets_};
  Publications publications_{sockets_};
  RouterAccessControl guard_;
  AlertHook hook_;
  Sockets::Bound bound_;
  Clock clock_;
  JournalWriter journal_;
  std::unique_ptr<router::LedgerStore> store_;
  std::unique_ptr<router::Router> core_;
  PendingSends pending_sends_;
  std::unique_ptr<RouterRecording> recording_;  // null without --record
  std::unique_ptr<RouterMetrics> metrics_;      // null without --metrics and --remote-write
  std::uint64_t committed_ = 0;
  bool watched_ = true;
  bool reported_full_ = false;
  bool out_of_time_ = false;
  router::WalState reported_wal_ = router::WalState::short_enough;
};

}  // namespace

CommandOutcome run_router(Arguments& arguments) {
  RouterOptions options;
  if (const auto wrong = read_router_options(arguments, options)) return *wrong;
  DROVER_ASSIGN(const auto catalogue, load_catalogue(arguments.text("catalogue")));
  RouterShell shell(std::move(options), catalogue);
  DROVER_TRY(shell.open());
  return shell.run();
}

}  // namespace drover::commands
