// `drover devices`: one row per device, as last reported, or as each report comes.
#include <utility>

#include "commands/connection/filter_option.h"
#include "commands/connection/session.h"
#include "commands/query/device_filter.h"
#include "commands/query/device_rows.h"
#include "commands/query/follow_devices.h"
#include "commands/shell/output.h"
#include "commands/verbs.h"
#include "fleet/base/text.h"
#include "tui/model/model.h"

namespace drover::commands {

namespace {

constexpr Wall snapshot_patience = std::chrono::seconds(5);

/// Snapshots carry the last samples; a fleet that has just begun is asked again.
Result<FleetView> look(Session& session) {
  const Wall end = wall_now() + snapshot_patience;
  Wall ask_again{0};
  FleetView fleet;
  while (wall_now() < end && !(fleet.whole() && fleet.sampled())) {
    if (wall_now() >= ask_again) {
      session.send(SnapshotRequest{});
      ask_again = wall_now() + std::chrono::seconds(1);
    }
    for (const auto& [from, envelope] : session.wait(std::chrono::milliseconds(100)).messages) {
      fleet.receive(envelope);
    }
  }
  if (!fleet.whole()) return error("the router sent no whole snapshot within 5 s");
  return fleet;
}

CommandOutcome show_once(Session& session, bool json, filter::Filter filter) {
  const auto fleet = look(session);
  if (!fleet) return CommandOutcome::failed(fleet.error());
  const Duration second = wall_span(1, session.welcome().speed);
  const std::string filtered = filter.text();
  std::vector<DeviceRow> rows =
      rows_of(*fleet, {session.clock().now(), to_seconds(tui::stale_after(second))});
  DeviceFilter(std::move(filter)).narrow(rows, *fleet);
  if (json) {
    put("{}\n", to_json(rows).dump());
  } else {
    put_text(to_table(rows));
    if (rows.empty() && !filtered.empty()) put_error("no device matches {}\n", printable(filtered));
  }
  return CommandOutcome::done();
}

}  // namespace

CommandUsage devices_usage() {
  return {
      "usage: drover devices [options]",
      "One row per device: its state, how long ago it reported last (fleet time), how busy, "
      "memory,\n"
      "power, temperature, clock, and the models loaded on it. N/A: nothing is known of that now, "
      "as\n"
      "of a device that is lost, has left, or is in no sample any more.\n"
      "With --follow, one line per device as each report comes, until Ctrl-C or until the reader\n"
      "leaves. With --filter, only the devices that it holds for (docs/filters.md).",
      {connect_option(),
       filter_option(),
       {"json", "", "a JSON array on stdout; with --follow one object a line"},
       {"follow", "", "go on with every report, with its time"},
       {"for", "DURATION", "with --follow: end after so long (wall time)"}},
      {},
      "  drover devices\n"
      "  drover devices --filter 'kind==tpu & temp>70 | job~llama'\n"
      "  drover devices --json\n"
      "  drover devices --follow --json | jq 'select(.temperature_c > 80)'"};
}

CommandOutcome run_devices(Arguments& arguments) {
  const bool follow = arguments.has("follow");
  filter::Filter filter = read_filter(arguments, filter::devices);
  const Wall lasts = arguments.duration("for", Wall::max());
  if (!follow && arguments.has("for")) arguments.complain(error("--for goes with --follow"));
  if (const Status status = arguments.status(); !status)
    return CommandOutcome::usage(status.error());
  if (follow) {
    return follow_devices(endpoint_of(arguments),
                          {arguments.has("json"), lasts, std::move(filter)});
  }
  // One snapshot is a question like any other; to watch, as --follow does, takes a viewer's key.
  auto session = Session::open({endpoint_of(arguments), Role::client, "devices"});
  if (!session) return CommandOutcome::failed(session.error());
  return show_once(**session, arguments.has("json"), std::move(filter));
}

}  // namespace drover::commands
