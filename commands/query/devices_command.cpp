// `drover devices`: prints one row per device, once or with every report.
#include <algorithm>
#include <utility>

#include "commands/connection/filter_option.h"
#include "commands/query/device_reports.h"
#include "commands/query/fleet_client.h"
#include "commands/query/table_output.h"
#include "commands/query/table_verb.h"
#include "commands/shell/output.h"
#include "commands/shell/stop_signals.h"
#include "commands/subcommands.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

struct DeviceQuery {
  filter::Filter filter;
  TableFormat format = TableFormat::text;
  TableStyle style;
  std::size_t limit = 0;  // 0: none
};

CommandOutcome show_once(Session& session, DeviceQuery query) {
  FleetClient fleet(session);
  DROVER_TRY(fleet.sync());
  tui::FleetFilter shown;
  shown.use(std::move(query.filter));
  shown.evaluate(fleet.model(), fleet.now());
  const tui::JobsByDevice jobs(fleet.model());
  const tui::EvaluationContext at{fleet.model(), fleet.now(), jobs};
  auto rows = tui::devices_by_name(fleet.model(), shown);
  if (query.limit > 0 && rows.size() > query.limit) rows.resize(query.limit);
  if (query.format != TableFormat::text) {
    const tui::TableRows table = tui::device_rows(at, rows);
    write_stdout_text(query.format == TableFormat::json ? commands::to_json(table).dump() + "\n"
                                                        : to_csv(table));
    return CommandOutcome::done();
  }
  std::vector<std::vector<std::string>> cells;
  for (const auto row : rows) cells.push_back(device_cells(at, row));
  write_stdout_text(table_text(device_headings(false), cells, query.style));
  if (rows.empty() && shown.active()) {
    write_stderr("no device matches {}\n", printable(shown.text()));
  }
  return CommandOutcome::done();
}

constexpr std::chrono::milliseconds follow_wait_max{250};

class Following {
 public:
  Following(Session& session, DeviceQuery query)
      : session_(session),
        fleet_(session),
        reports_(query.format == TableFormat::json, std::move(query.filter), query.style.colour) {}

  Status subscribe() { return fleet_.subscribe(); }

  Status turn(std::chrono::milliseconds longest) {
    // Each batch is shown before the next one replaces its values.
    DROVER_TRY(fleet_.turn(longest, [&](const Envelope& envelope) {
      if (const auto* batch = std::get_if<SampleBatch>(&envelope.body))
        reports_.print(fleet_.model(), fleet_.now(), envelope.at, *batch);
    }));
    // It continues, as it does without a router: a program that reads the lines may not expect an
    // end.
    connect_refusal_.update(session_);
    return flush_output();
  }

 private:
  Session& session_;
  FleetClient fleet_;
  ConnectRefusalNotice connect_refusal_{"drover devices"};
  DeviceReports reports_;
};

/// Prints every report of every device as it arrives, until a signal, for `duration`, or until the
/// output is closed.
CommandOutcome follow_devices(const RouterAddress& endpoint, WallSpan duration, DeviceQuery query) {
  StopSignals signals;
  DROVER_ASSIGN(auto session, Session::open({endpoint, Role::viewer, "devices"}));
  session->sockets().watch(signals.descriptor());
  Following following(*session, std::move(query));
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
           {"limit", "N", "at most N devices"},
           {"json", "", "a JSON array on stdout; with --follow one object per line"},
           {"csv", "", "CSV on stdout, with a line of names"},
           {"follow", "", "print every report, with its time, as it arrives"},
           {"for", "DURATION", "with --follow: stop after this time (wall time)"},
           colour_option()},
          {},
          "  drover devices\n"
          "  drover devices --filter 'kind==tpu & temp>70 | job~llama'\n"
          "  drover devices --json\n"
          "  drover devices --follow --json | jq 'select(.temperature_c > 80)'"};
}

CommandOutcome run_devices(Arguments& arguments) {
  const bool follow = arguments.has("follow");
  DeviceQuery query{read_filter(arguments, filter::devices), read_table_format(arguments),
                    read_table_style(arguments), read_limit(arguments)};
  const WallSpan duration = arguments.duration("for", WallSpan::max());
  if (!follow && arguments.has("for")) {
    arguments.add_problem(error("--for works only with --follow"));
  }
  for (const char* option : {"csv", "limit"}) {
    if (!follow || !arguments.has(option)) continue;
    arguments.add_problem(error("--{} and --follow exclude each other", option));
  }
  DROVER_TRY(arguments.status());
  if (follow) return follow_devices(endpoint_of(arguments), duration, std::move(query));
  // A client may request one snapshot; to subscribe, as --follow does, takes a viewer's key.
  DROVER_ASSIGN(auto session, Session::open({endpoint_of(arguments), Role::client, "devices"}));
  return show_once(*session, std::move(query));
}

}  // namespace drover::commands
