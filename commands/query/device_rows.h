// Devices as last reported, as rows for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "commands/query/fleet_view.h"
#include "commands/shell/table.h"
#include "fleet/device_state.h"
#include "fleet/text/json.h"

namespace drover::commands {

struct DeviceRow {
  DeviceId id;
  const FleetView::Host* host;
  const Group* group;
  Sample sample;              // nothing but absent values when they say nothing of now
  DeviceStanding standing;    // with the age of its own last sample, fleet time
  std::string models;         // of the replicas on it, none when its host is gone
  Pause pause = Pause::none;  // why work there makes no progress
};

/// When one looks.
struct Moment {
  Instant now;
  double stale_after_s = 5;  // as long as the router has told no policy
};

/// Every device of the fleet, in the order of their names. The fleet must outlive the rows.
std::vector<DeviceRow> rows_of(const FleetView& fleet, const Moment& at);
/// Those of one host that a batch spoke of; none when the host is not known (yet).
std::vector<DeviceRow> rows_of(const FleetView& fleet, const SampleBatch& batch, const Moment& at);

Json to_json(const DeviceRow& row);
/// What `drover devices` prints, for programs and for people.
Json to_json(const std::vector<DeviceRow>& rows);
std::string to_table(const std::vector<DeviceRow>& rows);

std::vector<Heading> device_headings();
std::vector<std::string> device_cells(const DeviceRow& row);

}  // namespace drover::commands
