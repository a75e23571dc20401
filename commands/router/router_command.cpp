// `drover router`: the router core between its doors and its ledger. The loop: wait, receive, hear
// what is on disk, tick, append the writes, send what waits for nothing.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "commands/connection/fleet_time_bounds.h"
#include "commands/connection/router_start.h"
#include "commands/connection/session.h"
#include "commands/estimate/catalogue_files.h"
#include "commands/record/record_options.h"
#include "commands/router/alert_hook.h"
#include "commands/router/ledger_clock.h"
#include "commands/router/router_guard.h"
#include "commands/router/router_intake.h"
#include "commands/router/router_options.h"
#include "commands/router/router_recording.h"
#include "commands/shell/clock.h"
#include "commands/shell/files.h"
#include "commands/shell/journal_file.h"
#include "commands/shell/lifeline.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/verbs.h"
#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "fleet/outbox.h"
#include "fleet/socket/socket.h"
#include "router/ledger/ledger_compaction.h"
#include "router/ledger/ledger_stages.h"
#include "router/ledger/ledger_store.h"
#include "router/policy/policy.h"
#include "router/router.h"

namespace drover::commands {

namespace {

/// A loop with nothing to do turns this often, so that no missed wake-up can last.
constexpr std::chrono::milliseconds longest_wait{500};

/// Of the ledger in one record of the journal.
constexpr std::size_t journalled_rows = 10'000;

class RouterShell {
 public:
  RouterShell(RouterOptions options, const devices::Catalogue& catalogue)
      : options_(std::move(options)),
        catalogue_(catalogue),
        signals_(options_.keys.empty() && options_.start.policy_place.empty()),
        clock_(Instant{}, options_.start.speed) {}

  Status open() {
    if (const Status asked = router::fail_at(std::getenv("DROVER_FAIL_AT")); !asked) return asked;
    auto store = router::LedgerStore::open(
        options_.ledger, std::make_unique<router::LedgerCompaction>(options_.start.retention));
    if (!store) return store.error();
    store_ = std::move(*store);
    if (const Status hooked = hook_.open(options_.on_alert); !hooked) return hooked;
    if (const Status guarded = guard_.open(options_.keys, sockets_); !guarded) return guarded;
    if (const Status bound = bind(); !bound) return bound.error();
    const auto start =
        resume_ledger_clock(store_->path(), store_->last_at(), system_now(), options_.start.speed);
    if (!start) return start.error();
    clock_ = Clock(*start, options_.start.speed);
    auto journal = JournalFile::open(options_.journal);
    if (!journal) return journal.error();
    journal_ = std::move(*journal);
    return begin(*start);
  }

  CommandOutcome run() {
    StopSignals& signals = signals_;
    sockets_.watch(signals.descriptor());
    sockets_.watch(store_->ready_descriptor());
    put("router ready: control {} samples {} publish {}\n", bound_.control, bound_.samples,
        bound_.publish);
    if (const Status said = flush_output(); !said) return CommandOutcome::failed(said.error());
    while (!signals.stopped()) {
      look_at_files();
      out_of_time_ = clock_.now() >= fleet_time_end;
      if (out_of_time_) break;
      read_doors();
      hear_watchers();
      hear_commits();
      if (recording_) hear_recording();
      if (hook_.on()) run_hook();
      const Instant now = clock_.now();
      journal_.write(JournalTick{now});
      core_->tick(now);
      Outbox outbox = core_->take_outbox();
      if (journal_.on() && !outbox.empty()) journal_.write(said(outbox));
      act(std::move(outbox));
      if (const Status failed = store_->failure(); !failed)
        return CommandOutcome::failed(failed.error());
      if (const Status failed = journal_.flush(); !failed)
        return CommandOutcome::failed(failed.error());
    }
    leave();
    if (const Status flushed = store_->flush(); !flushed)
      return CommandOutcome::failed(flushed.error());
    hear_commits();
    CommandOutcome ended = recording_ ? recording_->end() : CommandOutcome::done();
    return out_of_time_ ? CommandOutcome::failed(end_of_time()) : std::move(ended);
  }

 private:
  /// The ledger is whole, but no router can begin with it: nanoseconds end not long after.
  Error end_of_time() const {
    return error(
        "fleet time has come to {}, the last that a router runs at; ledger {} is kept: begin a new "
        "one with --ledger",
        instant_text(fleet_time_end), store_->path());
  }

  Instant next_deadline() const {
    return recording_ ? std::min(core_->next_deadline(), recording_->next_deadline())
                      : core_->next_deadline();
  }

  Status bind() {
    auto endpoint = parse_endpoint(options_.listen, "--listen");
    if (!endpoint) return endpoint.error();
    // Samples come in and publishing goes out at the next two ports, or at free ones.
    std::vector<std::string> doors;
    for (int offset = 0; offset < 3; ++offset) {
      Endpoint door = *endpoint;
      if (door.port != 0) {
        if (door.port > 65533)
          return error("--listen {}: no room for two more ports", options_.listen);
        door.port = static_cast<std::uint16_t>(door.port + offset);
      }
      doors.push_back(door.to_text());
    }
    auto bound = sockets_.bind_router(doors[0], doors[1], doors[2]);
    if (!bound) return bound.error();
    bound_ = std::move(*bound);
    return {};
  }

  Status begin(Instant now) {
    RouterStart& start = options_.start;
    start.start = now;
    start.samples_endpoint = bound_.samples;
    start.publish_endpoint = bound_.publish;
    auto core = make_router(start, catalogue_);
    if (!core) return core.error();
    core_ = std::move(*core);
    journal_.write(JournalStart{"router", to_text(start)});
    if (options_.record) {
      auto recording = RouterRecording::open(*options_.record, now, start.speed);
      if (!recording) return recording.error();
      recording_ = std::move(*recording);
    }
    // A journal compares all that is said.
    watched_ = recording_ || journal_.on() || hook_.on();
    core_->set_watched(watched_);
    return restore();
  }

  Status absurd_row(const LedgerRow& row) const {
    return error(
        "{}: a row of job {}: found fleet time {}, expected a time of the years {}; "
        "begin a new ledger with --ledger",
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
    if (const Status status = core_->restored(); !status) return status;
    if (const router::Policy& policy = core_->policy(); policy.text != started_with) {
      put_error("drover router: policy {} version {}, applied earlier, is in force again\n",
                printable(policy.name), policy.version);
    }
    if (journal_.on()) journal_.write(restored);
    return {};
  }

  void read_doors() {
    const auto turn = intake_.read(clock_.until(next_deadline(), longest_wait),
                                   [&](const Peer& peer) { return core_->speaks_for_host(peer); });
    for (const Incoming& samples : turn.samples) receive(samples);
    for (const Dropped& dropped : turn.dropped) drop(dropped);
    intake_.serve([&](const Incoming& incoming) { receive(incoming); },
                  [&](const Dropped& dropped) { drop(dropped); });
  }

  /// SIGHUP means that files are to be read again: the allow-list, and the policy.
  void look_at_files() {
    if (signals_.hung_up()) {
      guard_.reload(sockets_);
      if (!options_.start.policy_place.empty()) read_policy_again();
    }
    guard_.look(wall_now(), sockets_);
  }

  void read_policy_again() {
    const std::string& file = options_.start.policy_place;
    auto text = read_file(file, policy_bytes_max);
    const Instant now = clock_.now();
    Envelope told{"SIGHUP", 0, now, {}};
    if (text) {
      told.body = ApplyPolicy{std::move(*text), file};
    } else {
      told.body = Audit{"SIGHUP", "apply policy", file, false, text.error().message};
    }
    if (journal_.on()) journal_.write(JournalReceive{now, publish_peer, encode(told), {}});
    core_->receive(now, publish_peer, told);
  }

  void receive(const Incoming& incoming) {
    auto envelope = decode(incoming.bytes);
    if (!envelope) return turn_away(incoming, envelope.error().message, {});
    auto why = guard_.refuse(incoming, *envelope);
    if (!why) why = core_->refusal(incoming.from, *envelope);
    if (why) return turn_away(incoming, *std::move(why), kind_name(envelope->body));
    const std::string_view key =
        incoming.key == nullptr ? "" : std::string_view(incoming.key->name);
    const Instant now = clock_.now();
    if (journal_.on()) {
      journal_.write(JournalReceive{now, incoming.from, incoming.bytes, std::string(key)});
    }
    core_->receive(now, incoming.from, *envelope, key);
    // Subscribers get the very bytes that the agent sent: nothing is encoded twice.
    if (incoming.from.channel == Channel::samples &&
        std::holds_alternative<SampleBatch>(envelope->body)) {
      sockets_.send(publish_under(Topic::samples), incoming.bytes);
      if (recording_) recording_->hear(now, publish_peer, std::move(*envelope));
    }
  }

  /// Once anybody has subscribed, everything is published.
  void hear_watchers() {
    if (watched_) return;
    for (const Topic topic : {Topic::state, Topic::decisions, Topic::events}) {
      watched_ = watched_ || sockets_.has_been_asked_for(topic);
    }
    core_->set_watched(watched_);
  }

  /// Like a viewer that asks for a snapshot, only without a connection.
  void hear_recording() {
    for (const RouterRecording::Word& word : recording_->take_words(clock_.now())) {
      const Instant now = clock_.now();
      if (journal_.on()) {
        journal_.write(JournalReceive{now, word.from, encode(word.envelope), {}});
      }
      core_->receive(now, word.from, word.envelope);
    }
  }

  /// `kind`: of the message that its sender may not send; empty: it was no message.
  void turn_away(const Incoming& incoming, std::string why, std::string_view kind) {
    const std::string key = incoming.key == nullptr ? "" : incoming.key->name;
    drop({incoming.from, sender_text(incoming.from, incoming.address, key), std::move(why), key,
          incoming.address, std::string(kind)});
  }

  void drop(const Dropped& dropped) {
    const Instant now = clock_.now();
    journal_.write(JournalDropped{now, dropped.from, dropped.why, dropped.sender, dropped.key,
                                  dropped.address, dropped.asked, dropped.passing});
    core_->turn_away(now, dropped);
  }

  void hear_commits() {
    const std::uint64_t committed = store_->committed();
    if (store_->log() != told_log_) tell_log();
    if (store_->full() != told_full_) tell_full();
    if (committed == heard_commit_) return;
    heard_commit_ = committed;
    const Instant now = clock_.now();
    journal_.write(JournalCommitted{now, committed});
    core_->committed(now, committed);
    send_all(held_.committed(committed));
    router::pass(router::LedgerStage::after_acknowledgement);
  }

  /// As a published event and on stderr, once: whoever waits for an acknowledgement can wait on.
  void tell_full() {
    told_full_ = !told_full_;
    Event event;
    event.severity = told_full_ ? Severity::critical : Severity::info;
    event.subject = "ledger";
    event.text =
        !told_full_ ? "there is room for its writes again"
        : store_->log() == router::LedgerLog::full
            ? fmt::format("{}: nothing is acknowledged until that ends", router::ledger_log_full)
            : "its disk is full: nothing is acknowledged until there is room";
    put_error("drover router: ledger {}: {}\n", store_->path(), event.text);
    tell(std::move(event));
  }

  /// Before it is too long, so that somebody can end whoever reads it.
  void tell_log() {
    const bool was_short =
        std::exchange(told_log_, store_->log()) == router::LedgerLog::short_enough;
    if (!was_short || told_log_ == router::LedgerLog::short_enough) return;
    Event event{
        Severity::warning, "ledger log",
        "another program reads the ledger in one long transaction: its log grows until that "
        "ends"};
    put_error("drover router: ledger {}: {}\n", store_->path(), event.text);
    tell(std::move(event));
  }

  void run_hook() {
    const Wall now = wall_now();
    hook_.tick(now);
    if (const auto trouble = hook_.trouble(now)) {
      put_error("drover router: --on-alert {}\n", *trouble);
      tell({Severity::warning, "on-alert", printable(*trouble)});
    }
  }

  void tell(Event event) {
    const Instant now = clock_.now();
    const Envelope envelope{"router", 0, now, std::move(event)};
    if (journal_.on()) journal_.write(JournalReceive{now, publish_peer, encode(envelope), {}});
    core_->receive(now, publish_peer, envelope);
  }

  /// What is only counted so far goes on record.
  void leave() {
    const Instant now = clock_.now();
    const Envelope envelope{"router", 0, now, Leave{}};
    if (journal_.on()) journal_.write(JournalReceive{now, publish_peer, encode(envelope), {}});
    core_->receive(now, publish_peer, envelope);
    act(core_->take_outbox());
  }

  void act(Outbox outbox) {
    if (!outbox.writes.empty()) store_->append(std::move(outbox.writes));
    send_all(held_.take(std::move(outbox.sends)));
  }

  void send_all(const std::vector<Send>& sends) {
    for (const Send& send : sends) {
      if (recording_ && (send.to == RouterRecording::peer || send.to.channel == Channel::publish)) {
        recording_->hear(clock_.now(), send.to, send.envelope);
      }
      if (send.to == RouterRecording::peer) continue;
      const auto* alert = std::get_if<Alert>(&send.envelope.body);
      if (alert != nullptr && !alert->retold) hook_.hear(*alert);
      if (send.to.channel != Channel::publish) {
        sockets_.send(send.to, encode(send.envelope));
        continue;
      }
      const Topic topic = topic_of(send.envelope.body);
      if (sockets_.has_been_asked_for(topic)) {
        sockets_.send(publish_under(topic), encode(send.envelope));
      }
    }
  }

  RouterOptions options_;
  const devices::Catalogue& catalogue_;
  StopSignals signals_;  // before the sockets, whose threads must not take signals
  Sockets sockets_;
  RouterIntake intake_{sockets_};
  RouterGuard guard_;
  AlertHook hook_;
  Sockets::Bound bound_;
  Clock clock_;
  JournalFile journal_;
  std::unique_ptr<router::LedgerStore> store_;
  std::unique_ptr<router::Router> core_;
  HeldSends held_;
  std::unique_ptr<RouterRecording> recording_;  // none: nobody asked for one
  std::uint64_t heard_commit_ = 0;
  bool watched_ = true;
  bool told_full_ = false;
  bool out_of_time_ = false;
  router::LedgerLog told_log_ = router::LedgerLog::short_enough;
};

}  // namespace

CommandOutcome run_router(Arguments& arguments) {
  if (const Status held = hold_lifeline(arguments); !held)
    return CommandOutcome::usage(held.error());
  RouterOptions options;
  if (const auto wrong = read_router_options(arguments, options)) return *wrong;
  const auto catalogue = load_catalogue(arguments.text("catalogue"));
  if (!catalogue) return CommandOutcome::failed(catalogue.error());
  RouterShell shell(std::move(options), *catalogue);
  if (const Status opened = shell.open(); !opened) return CommandOutcome::failed(opened.error());
  return shell.run();
}

}  // namespace drover::commands
