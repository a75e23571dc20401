#include "commands/query/follow_devices.h"

#include <algorithm>
#include <utility>

#include "commands/connection/connect_refusal_notice.h"
#include "commands/connection/session.h"
#include "commands/query/device_filter.h"
#include "commands/query/device_rows.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "fleet/socket/published_stream.h"
#include "tui/model/model.h"

namespace drover::commands {

namespace {

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

}  // namespace

CommandOutcome follow_devices(const RouterAddress& endpoint, FollowOptions options) {
  StopSignals signals;
  auto session = Session::open({endpoint, Role::viewer, "devices"});
  if (!session) return CommandOutcome::failed(session.error());
  (*session)->sockets().watch(signals.descriptor());
  Following following(**session, options.json, std::move(options.filter));
  if (const Status subscribed = (*session)->subscribe(); !subscribed) {
    return CommandOutcome::failed(subscribed.error());
  }
  const Wall begun = wall_now();
  while (!signals.stopped() && !output_closed() && wall_now() - begun < options.duration) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(options.duration -
                                                                            (wall_now() - begun));
    const auto wait = std::clamp(left, std::chrono::milliseconds(1), follow_wait_max);
    if (const Status done = following.turn(wait); !done)
      return CommandOutcome::failed(done.error());
  }
  return CommandOutcome::done();
}

}  // namespace drover::commands
