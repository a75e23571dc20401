// `drover devices`: prints one row per device, once or with every report.
#include <algorithm>
#include <utility>

#include "commands/connection/filter_option.h"
#include "commands/connection/session.h"
#include "commands/query/device_filter.h"
#include "commands/query/device_rows.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/subcommands.h"
#include "fleet/base/text.h"
#include "fleet/socket/published_stream.h"
#include "tui/model/model.h"

namespace drover::commands {

namespace {

constexpr WallSpan snapshot_timeout = std::chrono::seconds(5);

/// Requests snapshots, which contain the last samples, until every host has reported samples or the
/// time is over.
Result<FleetView> read_fleet(Session& session) {
  const WallTime end = wall_now() + snapshot_timeout;
  WallTime ask_again{};
  FleetView fleet;
  while (wall_now() < end && !(fleet.whole() && fleet.all_hosts_sampled())) {
    if (wall_now() >= ask_again) {
      session.send(SnapshotRequest{});
      ask_again = wall_now() + std::chrono::seconds(1);
    }
    for (const auto& [from, envelope] : session.wait(std::chrono::milliseconds(100)).messages) {
      fleet.receive(envelope);
    }
  }
  if (!fleet.whole()) return error("the router sent no complete snapshot within 5 s");
  return fleet;
}

CommandOutcome show_once(Session& session, bool json, filter::Filter filter) {
  const auto fleet = read_fleet(session);
  if (!fleet) return CommandOutcome::failed(fleet.error());
  const Duration second = wall_span(1, session.welcome().speed);
  const std::string filtered = filter.text();
  std::vector<DeviceRow> rows =
      rows_of(*fleet, {session.clock().now(), to_seconds(tui::stale_after(second))});
  DeviceFilter(std::move(filter)).narrow(rows, *fleet);
  if (json) {
    write_stdout("{}\n", to_json(rows).dump());
  } else {
    write_stdout_text(to_table(rows));
    if (rows.empty() && !filtered.empty())
      write_stderr("no device matches {}\n", printable(filtered));
  }
  return CommandOutcome::done();
}

constexpr std::chrono::milliseconds follow_wait_max{250};

/// The lines are printed batch by batch, so the columns have fixed minimum widths.
std::vector<Heading> follow_headings() {
  std::vector<Heading> headings = device_headings(true);
  headings.insert(headings.begin(), {"TIME", Align::left, 8});
  return headings;
}

class Following {
 public:
  Following(Session& session, bool json, filter::Filter filter)
      : session_(session),
        json_(json),
        stream_(wall_span(1, session.welcome().speed)),
        filter_(std::move(filter)),
        stale_after_s_(to_seconds(tui::stale_after(wall_span(1, session.welcome().speed)))) {}

  Status turn(std::chrono::milliseconds longest) {
    const Instant now = session_.clock().now();
    if (stream_.take_snapshot_request(now)) session_.send(SnapshotRequest{});
    const auto wait = session_.clock().until(stream_.next_deadline(), longest);
    const Session::PollResult turn = session_.wait(wait);
    for (const auto& [from, envelope] : turn.messages) {
      if (std::holds_alternative<JoinAccepted>(envelope.body)) {
        if (Status subscribed = session_.subscribe(); !subscribed) return subscribed;
        if (turn.clock_jump) {
          stream_ = PublishedStream(wall_span(1, session_.welcome().speed));
          fleet_ = FleetView();
        }
        stream_.request_snapshot();
      }
      take(from, envelope);
    }
    // It continues, as it does without a router: a program that reads the lines may not expect an
    // end.
    connect_refusal_.update(session_);
    return flush_output();
  }

 private:
  void take(Peer from, const Envelope& envelope) {
    auto update = stream_.receive(session_.clock().now(), from, envelope);
    if (update.is_new) {
      fleet_.receive(envelope);
      const auto* batch = std::get_if<SampleBatch>(&envelope.body);
      if (batch != nullptr && check(*batch)) show(envelope.at, *batch);
    }
    if (update.snapshot) {
      fleet_ = FleetView();
      fleet_.receive({"", 0, envelope.at, SnapshotPart{0, 0, 1, 0, std::move(*update.snapshot)}});
    }
  }

  void show(Instant at, const SampleBatch& batch) {
    std::vector<DeviceRow> rows = rows_of(fleet_, batch, {session_.clock().now(), stale_after_s_});
    filter_.narrow(rows, fleet_);
    if (rows.empty()) return;
    if (json_) {
      for (const DeviceRow& row : rows) {
        Json line = Json::object().set("time", to_iso8601(at)).set("host", batch.host);
        const Json fields = to_json(row);
        for (const std::string& key : fields.keys()) line.set(key, fields[key]);
        write_stdout("{}\n", line.dump());
      }
      return;
    }
    std::vector<std::vector<std::string>> cells;
    for (const DeviceRow& row : rows) {
      cells.push_back({to_clock_text(at)});
      for (std::string& cell : device_cells(row)) cells.back().push_back(std::move(cell));
    }
    const std::string text = table_text(headings_, cells);
    write_stdout_text(std::exchange(headed_, true) ? text.substr(text.find('\n') + 1) : text);
  }

  Session& session_;
  bool json_;
  PublishedStream stream_;
  ConnectRefusalNotice connect_refusal_{"drover devices"};
  DeviceFilter filter_;
  double stale_after_s_;  // used until the router has reported the policy
  FleetView fleet_;
  std::vector<Heading> headings_ = follow_headings();
  bool headed_ = false;
};

/// Prints every report of every device as it arrives, until a signal, for `duration`, or until the
/// output is closed.
CommandOutcome follow_devices(const RouterAddress& endpoint, bool json, WallSpan duration,
                              filter::Filter filter) {
  StopSignals signals;
  auto session = Session::open({endpoint, Role::viewer, "devices"});
  if (!session) return CommandOutcome::failed(session.error());
  (*session)->sockets().watch(signals.descriptor());
  Following following(**session, json, std::move(filter));
  if (const Status subscribed = (*session)->subscribe(); !subscribed) {
    return CommandOutcome::failed(subscribed.error());
  }
  const WallTime begun = wall_now();
  while (!signals.stopped() && !output_closed() && wall_now() - begun < duration) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(duration - (wall_now() - begun));
    const auto wait = std::clamp(left, std::chrono::milliseconds(1), follow_wait_max);
    if (const Status done = following.turn(wait); !done)
      return CommandOutcome::failed(done.error());
  }
  return CommandOutcome::done();
}

}  // namespace

CommandUsage devices_usage() {
  return {"usage: drover devices [options]",
          "Prints one row per device: its state, the age of its last report (fleet time), "
          "utilization, memory, power, temperature, clock, running requests and loaded models. N/A "
          "means not reported, for example because the device is lost, has left, or is not in the "
          "samples. With --follow, prints one line per device and report until Ctrl-C or until the "
          "output is closed. With --filter, prints only the devices that match (docs/filters.md).",
          {connect_option(),
           filter_option(),
           {"json", "", "a JSON array on stdout; with --follow one object per line"},
           {"follow", "", "print every report, with its time, as it arrives"},
           {"for", "DURATION", "with --follow: stop after this time (wall time)"}},
          {},
          "  drover devices\n"
          "  drover devices --filter 'kind==tpu & temp>70 | job~llama'\n"
          "  drover devices --json\n"
          "  drover devices --follow --json | jq 'select(.temperature_c > 80)'"};
}

CommandOutcome run_devices(Arguments& arguments) {
  const bool follow = arguments.has("follow");
  filter::Filter filter = read_filter(arguments, filter::devices);
  const WallSpan duration = arguments.duration("for", WallSpan::max());
  if (!follow && arguments.has("for")) {
    arguments.add_problem(error("--for works only with --follow"));
  }
  if (const Status fine = arguments.status(); !fine) return CommandOutcome::usage(fine.error());
  if (follow) {
    return follow_devices(endpoint_of(arguments), arguments.has("json"), duration,
                          std::move(filter));
  }
  // A client may request one snapshot; to subscribe, as --follow does, takes a viewer's key.
  auto session = Session::open({endpoint_of(arguments), Role::client, "devices"});
  if (!session) return CommandOutcome::failed(session.error());
  return show_once(**session, arguments.has("json"), std::move(filter));
}

}  // namespace drover::commands
