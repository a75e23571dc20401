// `drover watch`: real devices, live, without a router or an agent.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "commands/connection/filter_option.h"
#include "commands/dashboard/dashboard_loop.h"
#include "commands/dashboard/dashboard_settings.h"
#include "commands/dashboard/history_client.h"
#include "commands/dashboard/local_viewer.h"
#include "commands/dashboard/user_effects.h"
#include "commands/query/device_reports.h"
#include "commands/readings/reading_loop.h"
#include "commands/record/record_options.h"
#include "commands/router/recording.h"
#include "commands/shell/files.h"
#include "commands/shell/host_name.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/subcommands.h"
#include "fleet/base/overloaded.h"
#include "fleet/base/text.h"

namespace drover::commands {
namespace {

constexpr std::chrono::milliseconds watch_wait_max{250};

struct WatchOptions {
  SourceOptions sources;
  RouterStart start;
  agents::WatchedHostSettings hosts;
  std::optional<RecorderOptions> record;
  WallSpan duration = WallSpan::max();
  bool json = false;
  bool text = false;
};

/// What the dashboard and the lines for programs have in common: the fleet, its readings, and its
/// recording.
class Watch {
 public:
  static Result<std::unique_ptr<Watch>> open(const WatchOptions& options) {
    std::unique_ptr<Watch> watch(new Watch(options));
    watch->options_.start.start = watch->clock_.now();
    DROVER_ASSIGN(watch->fleet_, LocalFleet::make(watch->options_.start, options.hosts,
                                                  devices::Catalogue::embedded()));
    watch->loop_.emplace(options.sources, *watch->fleet_, watch->clock_);
    watch->loop_->watch(watch->signals_.descriptor());
    return watch;
  }

  /// Makes the file, if one was asked for. Call it last, when all else works, and before messages
  /// are taken: --force discards a file that is there.
  Status start_recording() {
    if (!options_.record) return {};
    DROVER_ASSIGN(recording_, RouterRecording::open(*options_.record, options_.start.start, 1));
    return {};
  }

  LocalFleet& fleet() { return *fleet_; }
  ReadingLoop& loop() { return *loop_; }
  Instant now() { return clock_.now(); }
  bool over() {
    return signals_.stopped() || wall_now() - begun_ >= options_.duration || nothing_there();
  }

  void record(Peer to, const Envelope& envelope) {
    const bool published = to.channel == Channel::publish;
    if (recording_ && (published || to == RouterRecording::peer))
      recording_->receive(now(), to, envelope);
  }
  /// Returns why the bookmark is not recorded; empty: it is, or nothing is recorded.
  std::string mark(const Bookmark& bookmark) {
    return recording_ ? recording_->mark(now(), bookmark) : std::string();
  }
  void turn(std::chrono::milliseconds longest) {
    loop_->turn(std::min<std::chrono::milliseconds>(longest, watch_wait_max));
    if (!recording_) return;
    for (const auto& [from, envelope] : recording_->take_messages(now())) {
      fleet_->receive(now(), from, envelope);
    }
  }

  CommandOutcome end() {
    fleet_->leave(now(), signals_.stopped() ? signals_.name() : "watch has ended");
    loop_->settle_caps();
    CommandOutcome recorded = recording_ ? recording_->end() : CommandOutcome::done();
    if (nothing_there())
      return error(ErrorKind::not_found, "{}", nothing_found_text(*loop_->drivers()));
    return recorded;
  }

 private:
  explicit Watch(const WatchOptions& options)
      : options_(options), clock_(system_now(), 1), begun_(wall_now()) {}

  /// Whether this machine alone was to be read, and has no devices.
  bool nothing_there() const {
    if (options_.sources.elsewhere() || loop_->drivers() == nullptr) return false;
    return !nothing_found_text(*loop_->drivers()).empty();
  }

  WatchOptions options_;
  StopSignals signals_;  // before the threads that read
  Clock clock_;
  WallTime begun_;
  std::unique_ptr<LocalFleet> fleet_;
  std::unique_ptr<RouterRecording> recording_;
  std::optional<ReadingLoop> loop_;
};

void apply_policy(LocalFleet& fleet, Instant now, const std::string& file) {
  auto text = read_file(file, policy_bytes_max);
  const Message message =
      text ? Message(ApplyPolicy{std::move(*text), file})
           : Message(Event{Severity::warning, "policy", printable(text.error().message)});
  fleet.receive(now, text ? LocalFleet::dashboard : publish_peer, {"here", 0, now, message});
}

CommandOutcome show(const WatchOptions& options, const std::string& device,
                    DashboardSettings& settings, HistoryClient* history) {
  DROVER_ASSIGN(auto watch, Watch::open(options));
  auto terminal = tui::Terminal::open(terminal_options(settings.in_force()));
  if (!terminal) return of_kind(ErrorKind::io, terminal.error());
  auto view = dashboard_options(settings.in_force(), terminal->get(), device);
  view.connected_to = sources_text(options.sources);
  view.place = "watch " + printable(view.connected_to);
  view.control = options.hosts.control;
  if (history != nullptr) view.history_server = history->name();
  tui::Dashboard core(std::move(view), (*terminal)->size(), watch->now());
  core.set_connected(watch->now(), true);
  settings.restore(core);
  DROVER_TRY(watch->start_recording());
  LocalViewer viewer(watch->fleet(), core);
  viewer.on_message = [&](Peer to, const Envelope& envelope) { watch->record(to, envelope); };
  viewer.join(watch->now());
  watch->loop().watch((*terminal)->descriptor());
  FrameStats frames;
  bool quit = false;
  const auto act = [&](const tui::Effect& effect) {
    std::visit(Overloaded{[&](const tui::Quit&) { quit = true; },
                          [&](const tui::RingBell&) { (*terminal)->ring(); },
                          [&](const tui::SettingsChange& change) {
                            settings.apply(change, core, **terminal);
                          },
                          [&](const tui::KeepChoices& kept) { settings.keep(kept.choices); },
                          [&](const tui::MarkMoment& moment) {
                            const std::string problem = watch->mark(moment.mark);
                            if (!problem.empty()) core.say(problem);
                          },
                          [&](const tui::ReadPolicy& policy) {
                            apply_policy(watch->fleet(), watch->now(), policy.file);
                          },
                          [&](const tui::HistoryQuestion& question) {
                            if (history == nullptr) return;
                            history->ask(question, {watch->now(), system_now(), 1});
                          },
                          [&](const auto&) { perform_for_user(effect, core, **terminal); }},
               effect);
  };
  while (!quit && !watch->over()) {
    if (history != nullptr) history->pass_answer(core, watch->now());
    for (const tui::Effect& effect : viewer.exchange(watch->now())) act(effect);
    show_frame(**terminal, core, frames, watch->now());
    const FleetAnchor anchor{watch->now(), wall_now(), 1};
    watch->turn(
        frame_wait(**terminal, anchor.until(core.next_deadline(), wall_now(), watch_wait_max)));
    forward_keys(**terminal, core, watch->now());
    settings.follow(core, **terminal, watch->now());
  }
  const std::string not_kept = settings.finish(core);
  const Status there = (*terminal)->status();
  terminal->reset();
  if (!not_kept.empty()) write_stderr("drover watch: {}\n", not_kept);
  CommandOutcome ended = watch->end();
  return there ? std::move(ended) : CommandOutcome(of_kind(ErrorKind::io, there.error()));
}

/// Failed when nothing was ever read, partly done when a target fails at the end. Why each fails
/// was printed when it began to.
CommandOutcome targets_outcome(Watch& watch) {
  if (watch.loop().readings().failing().empty()) return CommandOutcome::done();
  if (watch.fleet().hosts() == 0) return error(ErrorKind::lost, "no target answered");
  return CommandOutcome::partly({});
}

/// Prints each reading as a line until a signal, for --for, or until the output is closed.
CommandOutcome print(const WatchOptions& options, filter::Filter filter) {
  DROVER_ASSIGN(auto watch, Watch::open(options));
  DROVER_TRY(watch->start_recording());
  tui::Model model(wall_span(1, 1));
  DeviceReports reports(options.json, std::move(filter));
  while (!watch->over() && !output_closed()) {
    watch->turn(watch_wait_max);
    const Instant now = watch->now();
    for (const auto& [to, envelope] : watch->fleet().take_messages()) {
      watch->record(to, envelope);
      if (to.channel != Channel::publish) continue;
      model.apply(now, envelope);
      if (const auto* batch = std::get_if<SampleBatch>(&envelope.body))
        reports.print(model, now, envelope.at, *batch);
      const auto* event = std::get_if<Event>(&envelope.body);
      if (event != nullptr && event->severity > Severity::info)
        write_stderr("drover watch: {}: {}\n", event->subject, event->text);
    }
    DROVER_TRY(flush_output());
  }
  CommandOutcome ended = watch->end();
  return ended.exit == Exit::done ? targets_outcome(*watch) : ended;
}

}  // namespace

CommandUsage watch_usage() {
  CommandUsage usage{
      "usage: drover watch [--real] [--scrape URL,..] [--ssh HOSTS] [options]",
      "Shows real devices live in the dashboard, without a router and without agents: those of "
      "this machine, or those of other hosts from their pages of metrics or through ssh. Without "
      "--real, --scrape and --ssh it shows this machine. With --json or --text it prints a line "
      "for each reading instead. With --ssh the program is copied to each host, and is gone when "
      "the "
      "command ends; where it cannot run, nvidia-smi or amd-smi is read there.",
      {},
      {},
      "  drover watch\n"
      "  drover watch --scrape http://node-7:9400/metrics,http://node-8:9400/metrics\n"
      "  drover watch --ssh node[1-8]\n"
      "  drover watch --prometheus http://prometheus:9090 --every 15s\n"
      "  drover watch --real --record today.mcap\n"
      "  drover watch --json --filter 'temp>80' | jq .id"};
  usage.add(source_options());
  usage.add(ssh_source_options());
  usage.add({filter_option(),
             device_option(),
             history_from_option(),
             {"policy", "FILE", "alert rules and pools (default: the built-in policy)"},
             {"record", "FILE", "record what is shown to FILE, for drover top --replay"},
             {"force", "", "with --record: overwrite an existing FILE"},
             min_free_option(),
             {"control", "", "allow power caps to be set on this machine's devices"},
             {"json", "", "print each reading of each device as a line of JSON"},
             {"text", "", "print each reading of each device as a line of text"},
             {"for", "DURATION", "stop after this time"}});
  usage.add(settings_options());
  return usage;
}

CommandOutcome run_watch(Arguments& arguments) {
  auto settings = DashboardSettings::open(arguments);
  WatchOptions options;
  options.sources = read_source_options(arguments, true);
  options.hosts.host = own_host_name();
  options.hosts.read_every = options.sources.every;
  options.hosts.control = options.start.control = arguments.has("control");
  options.json = arguments.has("json");
  options.text = arguments.has("text");
  options.duration = arguments.duration("for", WallSpan::max());
  if (options.json && options.text) {
    arguments.add_problem(error("--json and --text exclude each other"));
  }
  const auto history = read_history_from(arguments);
  if (history != nullptr && (options.json || options.text)) {
    arguments.add_problem(error("--history-from works only with the dashboard"));
  }
  if (arguments.has("record")) {
    options.record = read_recorder(arguments, arguments.text("record"), arguments.has("force"));
  } else if (arguments.has("force") || arguments.has("min-free")) {
    arguments.add_problem(error("--force and --min-free work only with --record"));
  }
  filter::Filter filter = read_filter(arguments, filter::devices);
  const std::string device = read_device(arguments);
  DROVER_TRY(arguments.status());
  if (!settings) return settings.error();
  if (const std::string file = arguments.text("policy"); !file.empty()) {
    DROVER_ASSIGN(options.start.policy_text, read_file(file, policy_bytes_max));
    options.start.policy_place = file;
  }
  DROVER_TRY(read_policy(options.start));
  const bool lines = options.json || options.text;
  return lines ? print(options, std::move(filter))
               : show(options, device, *settings, history.get());
}

}  // namespace drover::commands
