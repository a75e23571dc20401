// `drover devices`: prints one row per device, once or with every report.
#include <algorithm>
#include <utility>

#include "commands/connection/filter_option.h"
#include "commands/query/fleet_client.h"
#include "commands/query/table_output.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/subcommands.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

CommandOutcome show_once(Session& session, bool json, filter::Filter filter) {
  FleetClient fleet(session);
  DROVER_TRY(fleet.sync());
  tui::FleetFilter shown;
  shown.use(std::move(filter));
  shown.evaluate(fleet.model(), fleet.now());
  const tui::JobsByDevice jobs(fleet.model());
  const tui::EvaluationContext at{fleet.model(), fleet.now(), jobs};
  const auto rows = tui::devices_by_name(fleet.model(), shown);
  if (json) {
    write_stdout("{}\n", commands::to_json(tui::device_rows(at, rows)).dump());
    return CommandOutcome::done();
  }
  std::vector<std::vector<std::string>> cells;
  for (const auto row : rows) cells.push_back(device_cells(at, row));
  write_stdout_text(table_text(device_headings(false), cells));
  if (rows.empty() && shown.active()) {
    write_stderr("no device matches {}\n", printable(shown.text()));
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
      : session_(session), json_(json), fleet_(session), filter_(std::move(filter)) {}

  Status subscribe() { return fleet_.subscribe(); }

  Status turn(std::chrono::milliseconds longest) {
    // Each batch is shown before the next one replaces its values.
    DROVER_TRY(fleet_.turn(longest, [&](const Envelope& envelope) {
      if (const auto* batch = std::get_if<SampleBatch>(&envelope.body)) show(envelope.at, *batch);
    }));
    // It continues, as it does without a router: a program that reads the lines may not expect an
    // end.
    connect_refusal_.update(session_);
    return flush_output();
  }

 private:
  void show(Instant at, const SampleBatch& batch) {
    const tui::Model& model = fleet_.model();
    // Only what the batch is about: thousands of batches may come in a second.
    const tui::JobsByDevice jobs(model, model.find_host(batch.host));
    const tui::EvaluationContext context{model, fleet_.now(), jobs};
    std::vector<tui::DeviceTable::Row> rows;
    for (const std::uint16_t device : batch.devices) {
      const auto row = model.find({batch.host, device});
      if (row && filter_.matches(tui::ModelDevice(context, *row))) rows.push_back(*row);
    }
    if (rows.empty()) return;
    if (json_) return show_json(at, tui::device_rows(context, rows));
    std::vector<std::vector<std::string>> cells;
    for (const auto row : rows) {
      cells.push_back({to_clock_text(at)});
      for (std::string& cell : device_cells(context, row)) cells.back().push_back(std::move(cell));
    }
    const std::string text = table_text(headings_, cells);
    write_stdout_text(std::exchange(headed_, true) ? text.substr(text.find('\n') + 1) : text);
  }

  static void show_json(Instant at, const tui::TableRows& table) {
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      Json line = Json::object().set("time", to_iso8601(at));
      const Json fields = row_to_json(table, row);
      for (const std::string& key : fields.keys()) line.set(key, fields[key]);
      write_stdout("{}\n", line.dump());
    }
  }

  Session& session_;
  bool json_;
  FleetClient fleet_;
  ConnectRefusalNotice connect_refusal_{"drover devices"};
  filter::Filter filter_;
  std::vector<Heading> headings_ = follow_headings();
  bool headed_ = false;
};

/// Prints every report of every device as it arrives, until a signal, for `duration`, or until the
/// output is closed.
CommandOutcome follow_devices(const RouterAddress& endpoint, bool json, WallSpan duration,
                              filter::Filter filter) {
  StopSignals signals;
  DROVER_ASSIGN(auto session, Session::open({endpoint, Role::viewer, "devices"}));
  session->sockets().watch(signals.descriptor());
  Following following(*session, json, std::move(filter));
  DROVER_TRY(following.subscribe());
  const WallTime begun = wall_now();
  while (!signals.stopped() && !output_closed() && wall_now() - begun < duration) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(duration - (wall_now() - begun));
    const auto wait = std::clamp(left, std::chrono::milliseconds(1), follow_wait_max);
    DROVER_TRY(following.turn(wait));
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
  DROVER_TRY(arguments.status());
  if (follow) {
    return follow_devices(endpoint_of(arguments), arguments.has("json"), duration,
                          std::move(filter));
  }
  // A client may request one snapshot; to subscribe, as --follow does, takes a viewer's key.
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::client, "devices"}));
  return show_once(*session, arguments.has("json"), std::move(filter));
}

}  // namespace drover::commands
