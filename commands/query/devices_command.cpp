// `drover devices`: prints one row per device, once or with every report.
#include <utility>

#include "commands/connection/filter_option.h"
#include "commands/connection/session.h"
#include "commands/query/device_filter.h"
#include "commands/query/device_rows.h"
#include "commands/query/follow_devices.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"
#include "fleet/base/text.h"
#include "tui/model/model.h"

namespace drover::commands {

namespace {

constexpr Wall snapshot_timeout = std::chrono::seconds(5);

/// Requests snapshots, which contain the last samples, until every host has reported samples or the
/// time is over.
Result<FleetView> read_fleet(Session& session) {
  const Wall end = wall_now() + snapshot_timeout;
  Wall ask_again{0};
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
  const Wall duration = arguments.duration("for", Wall::max());
  if (!follow && arguments.has("for")) {
    arguments.add_problem(error("--for works only with --follow"));
  }
  if (const Status fine = arguments.status(); !fine) return CommandOutcome::usage(fine.error());
  if (follow) {
    return follow_devices(endpoint_of(arguments),
                          {arguments.has("json"), duration, std::move(filter)});
  }
  // A client may request one snapshot; to subscribe, as --follow does, takes a viewer's key.
  auto session = Session::open({endpoint_of(arguments), Role::client, "devices"});
  if (!session) return CommandOutcome::failed(session.error());
  return show_once(**session, arguments.has("json"), std::move(filter));
}

}  // namespace drover::commands
