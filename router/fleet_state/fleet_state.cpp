// The state of hosts, groups and devices. Registration is in registration.cpp, replicas are in
// replicas.cpp, power and temperature in power.cpp.
//
// Samples arrive as columns and stay columns: each is decoded directly into the devices' column.
#include "router/fleet_state/fleet_state.h"

#include <numeric>
#include <span>

#include "fleet/base/enum_tables.h"
#include "fleet/base/identity.h"
#include "router/fleet_state/sample_runs.h"

namespace drover::router {
namespace {

using FloatColumn = std::vector<float> DeviceColumns::*;
using DoubleColumn = std::vector<double> DeviceColumns::*;

/// The column of a metric: one of the two is set, or neither: power and throttle bits are special.
struct MetricColumn {
  Metric metric;
  FloatColumn narrow = nullptr;
  DoubleColumn wide = nullptr;
  double unknown = 0;            // value before the first sample
  bool zero_is_unknown = false;  // a reading of 0 means that there is none
};

constexpr std::array<MetricColumn, metric_count> metric_columns = {{
    // Only users and alert rules read those that are unknown at first.
    {Metric::utilization, &DeviceColumns::utilization, nullptr, absent},
    {Metric::tensor_activity, &DeviceColumns::tensor_activity, nullptr, absent},
    {Metric::memory_activity, &DeviceColumns::memory_activity, nullptr, absent},
    {Metric::memory_used, nullptr, &DeviceColumns::memory_used},
    {Metric::memory_total, nullptr, &DeviceColumns::memory_total, 0, true},
    {Metric::power, nullptr, nullptr},  // power: see set_power
    {Metric::power_cap, &DeviceColumns::power_cap_w, nullptr, 0, true},
    {Metric::temperature, &DeviceColumns::temperature_c, nullptr, 0, true},
    {Metric::clock, &DeviceColumns::clock_mhz, nullptr, 0, true},
    {Metric::throttle, nullptr, nullptr},  // throttle: bits
    {Metric::energy, nullptr, &DeviceColumns::energy_j, 0, true},
    {Metric::queue, &DeviceColumns::queue, nullptr, absent},
    {Metric::running, &DeviceColumns::running, nullptr, absent},
    {Metric::memory_temperature, &DeviceColumns::memory_temperature_c, nullptr, absent},
    {Metric::power_violation, nullptr, &DeviceColumns::power_violation_s, absent},
    {Metric::thermal_violation, nullptr, &DeviceColumns::thermal_violation_s, absent},
    {Metric::board_limit_violation, nullptr, &DeviceColumns::board_violation_s, absent},
}};
static_assert(is_in_order(metric_columns, &MetricColumn::metric));

template <typename T>
void place(const Column& column, const std::vector<RowRun>& runs, std::vector<T>& values) {
  for (const RowRun& run : runs) {
    decode_present(column, run.row, std::span(values).subspan(run.device, run.count));
  }
}

/// Calls `visit(column, value)` for every column with its initial value.
template <typename Visit>
void each_column(DeviceColumns& columns, Visit visit) {
  const auto zero = [&](auto& column) {
    visit(column, typename std::decay_t<decltype(column)>::value_type{});
  };
  zero(columns.host);
  zero(columns.group);
  zero(columns.number);
  zero(columns.sampled);
  for (const MetricColumn& metric_column : metric_columns) {
    if (metric_column.narrow != nullptr)
      visit(columns.*metric_column.narrow, static_cast<float>(metric_column.unknown));
    if (metric_column.wide != nullptr) visit(columns.*metric_column.wide, metric_column.unknown);
  }
  zero(columns.power_w);
  visit(columns.throttle, throttle_unknown);
  zero(columns.condition);
  zero(columns.gang);
  zero(columns.replicas);
  zero(columns.busy_until);
  zero(columns.reserved_w);
  zero(columns.expected_w);
  zero(columns.serving_w);
  zero(columns.prompt_w);
  zero(columns.prompts_until);
  zero(columns.shown_until);
  zero(columns.reserved_until);
}

/// Batches in a year at the highest rate. A larger gap counts as this many, so that sums cannot
/// overflow.
constexpr std::uint64_t sample_gap_max = 1'000'000'000;

double above_zero(double value) { return value > 0 ? value : absent; }

}  // namespace

void grow(DeviceColumns& columns, std::size_t size) {
  each_column(columns, [&](auto& column, auto unknown) { column.resize(size, unknown); });
}

void clear(DeviceColumns& columns, DeviceIndex first, std::size_t count) {
  each_column(columns, [&](auto& column, auto unknown) {
    std::fill_n(column.begin() + first, count, unknown);
  });
}

double reading(const DeviceColumns& columns, DeviceIndex device, Metric metric) {
  if (metric == Metric::power) return above_zero(columns.power_w[device]);
  if (metric == Metric::throttle) {
    return columns.throttle[device] == throttle_unknown ? absent : columns.throttle[device];
  }
  if (metric == Metric::memory_used && !(columns.memory_total[device] > 0)) return absent;
  const MetricColumn& metric_column = row_at(metric_columns, metric);
  const double value = metric_column.narrow != nullptr ? (columns.*metric_column.narrow)[device]
                                                       : (columns.*metric_column.wide)[device];
  return metric_column.zero_is_unknown ? above_zero(value) : value;
}

std::optional<HostIndex> FleetState::find_host(std::string_view name) const {
  const auto found = host_by_name_.find(name);
  if (found == host_by_name_.end() || hosts_[found->second].forgotten) return std::nullopt;
  return found->second;
}

void FleetState::set_health(Instant now, HostIndex host, Health health) {
  HostEntry& entry = this->host(host);
  if (entry.health == health) return;
  entry.health = health;
  entry.health_since = now;
}

void FleetState::set_returned(Instant now, HostIndex host) {
  this->host(host).returned = now;
  last_return_ = now;
}

void FleetState::set_returned(Instant now, OutlierState& outlier) {
  outlier.returned = now;
  last_return_ = now;
  ++version_;
}

void FleetState::apply(Instant now, HostIndex host, std::uint64_t sequence,
                       const SampleBatch& batch) {
  DROVER_REQUIRE(host < hosts_.size());
  HostEntry& entry = hosts_[host];
  // The channel keeps order, so an older batch is a repeat.
  if (sequence <= entry.last_sample_sequence) return;
  if (entry.last_sample_sequence != 0) {
    const std::uint64_t gap = std::min(sequence - entry.last_sample_sequence - 1, sample_gap_max);
    entry.sample_gaps += gap;
    sample_gaps_ += gap;
  }
  entry.last_sample_sequence = sequence;
  const std::vector<RowRun> runs = runs_of(batch.devices, entry.devices);
  rows_.assign(batch.devices.size(), no_index);
  previous_temperature_c_.resize(rows_.size());
  const Instant before = runs.empty() ? now : devices_.sampled[runs.front().device];
  for (const RowRun& run : runs) {
    std::copy_n(&devices_.temperature_c[run.device], run.count, &previous_temperature_c_[run.row]);
    const auto rows = std::span(rows_).subspan(run.row, run.count);
    std::iota(rows.begin(), rows.end(), run.device);
    std::fill_n(&devices_.sampled[run.device], run.count, now);
  }
  for (const Column& column : batch.columns) {
    if (column.metric >= metric_count) continue;
    const MetricColumn& metric_column = metric_columns[column.metric];
    if (metric_column.narrow != nullptr) {
      place(column, runs, devices_.*metric_column.narrow);
    } else if (metric_column.wide != nullptr) {
      place(column, runs, devices_.*metric_column.wide);
    } else if (column.metric == static_cast<std::uint8_t>(Metric::throttle)) {
      place(column, runs, devices_.throttle);
    } else if (column.metric == static_cast<std::uint8_t>(Metric::power)) {
      place_power(column, now);
    }
  }
  update_hot_devices(runs, to_seconds(now - before));
  ++version_;
}

HostEntry& FleetState::host(HostIndex index) {
  DROVER_REQUIRE(index < hosts_.size());
  ++version_;
  return hosts_[index];
}

GroupEntry& FleetState::group(GroupIndex index) {
  DROVER_REQUIRE(index < groups_.size());
  ++version_;
  return groups_[index];
}

}  // namespace drover::router
