// The devices of a fleet as last reported, as JSON and as tables.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "commands/query/fleet_view.h"
#include "commands/shell/table.h"
#include "fleet/base/enum_tables.h"
#include "fleet/device_state.h"
#include "fleet/sample/sample.h"
#include "fleet/text/json.h"

namespace drover::commands {

/// The names of metrics in exports of recordings and in `drover devices --json`, which has the list
/// `throttle` instead of `throttle_bits`.
struct MetricKey {
  Metric metric;
  const char* name;
  bool whole;  // counts and bytes
};
inline constexpr std::array<MetricKey, metric_count> metric_keys = {{
    {Metric::utilization, "utilization", false},
    {Metric::tensor_activity, "tensor_activity", false},
    {Metric::memory_activity, "memory_activity", false},
    {Metric::memory_used, "memory_used_bytes", true},
    {Metric::memory_total, "memory_total_bytes", true},
    {Metric::power, "power_w", false},
    {Metric::power_cap, "power_cap_w", false},
    {Metric::temperature, "temperature_c", false},
    {Metric::clock, "clock_mhz", true},
    {Metric::throttle, "throttle_bits", true},
    {Metric::energy, "energy_j", false},
    {Metric::queue, "queue", true},
    {Metric::running, "running", true},
    {Metric::memory_temperature, "memory_temperature_c", false},
    {Metric::power_violation, "power_violation_s", false},
    {Metric::thermal_violation, "thermal_violation_s", false},
    {Metric::board_limit_violation, "board_limit_violation_s", false},
}};
static_assert(is_in_order(metric_keys, &MetricKey::metric));

struct DeviceRow {
  DeviceId id;
  const FleetView::Host* host;
  const Group* group;
  Sample sample;              // only missing values if the last sample is stale
  DeviceCondition standing;   // with the age of its last sample, fleet time
  std::string models;         // of its replicas; empty if its host is gone
  Pause pause = Pause::none;  // why its work makes no progress
};

/// The time of the query.
struct AsOf {
  Instant now;
  double stale_after_s = 5;  // used until the router has reported the policy
};

/// Every device of the fleet, in natural order of the host names. The fleet must outlive the rows.
std::vector<DeviceRow> rows_of(const FleetView& fleet, const AsOf& at);
/// The devices of one batch of samples; empty if its host is not known (yet).
std::vector<DeviceRow> rows_of(const FleetView& fleet, const SampleBatch& batch, const AsOf& at);

Json to_json(const DeviceRow& row);
/// The output of `drover devices`.
Json to_json(const std::vector<DeviceRow>& rows);
std::string to_table(const std::vector<DeviceRow>& rows);

/// `in_parts`: the table is written in several parts (`--follow`), so its columns have minimum
/// widths.
std::vector<Heading> device_headings(bool in_parts);
std::vector<std::string> device_cells(const DeviceRow& row);

}  // namespace drover::commands
