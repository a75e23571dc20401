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
};

constexpr std::array<MetricColumn, metric_count> metric_columns = {{
    {Metric::utilization, &DeviceColumns::utilization, nullptr},
    {Metric::tensor_activity, &DeviceColumns::tensor_activity, nullptr},
    {Metric::memory_activity, &DeviceColumns::memory_activity, nullptr},
    {Metric::memory_used, nullptr, &DeviceColumns::memory_used},
    {Metric::memory_total, nullptr, &DeviceColumns::memory_total},
    {Metric::power, nullptr, nullptr},  // power: see set_power
    {Metric::power_cap, &DeviceColumns::power_cap_w, nullptr},
    {Metric::temperature, &DeviceColumns::temperature_c, nullptr},
    {Metric::clock, &DeviceColumns::clock_mhz, nullptr},
    {Metric::throttle, nullptr, nullptr},  // throttle: bits
    {Metric::energy, nullptr, &DeviceColumns::energy_j},
    {Metric::queue, &DeviceColumns::queue, nullptr},
    {Metric::running, &DeviceColumns::running, nullptr},
    {Metric::memory_temperature, &DeviceColumns::memory_temperature_c, nullptr},
    {Metric::power_violation, nullptr, &DeviceColumns::power_violation_s},
    {Metric::thermal_violation, nullptr, &DeviceColumns::thermal_violation_s},
    {Metric::board_limit_violation, nullptr, &DeviceColumns::board_violation_s},
    {Metric::memory_clock, &DeviceColumns::memory_clock_mhz, nullptr},
    {Metric::pcie_sent, &DeviceColumns::pcie_sent_per_s, nullptr},
    {Metric::pcie_received, &DeviceColumns::pcie_received_per_s, nullptr},
    {Metric::link_sent, &DeviceColumns::link_sent_per_s, nullptr},
    {Metric::link_received, &DeviceColumns::link_received_per_s, nullptr},
    {Metric::pcie_generation, &DeviceColumns::pcie_generation, nullptr},
    {Metric::pcie_lanes, &DeviceColumns::pcie_lanes, nullptr},
    {Metric::ecc_corrected, &DeviceColumns::ecc_corrected, nullptr},
    {Metric::ecc_uncorrected, &DeviceColumns::ecc_uncorrected, nullptr},
    {Metric::xid, &DeviceColumns::xid, nullptr},
    {Metric::fan, &DeviceColumns::fan, nullptr},
    {Metric::busiest_cpu_core, &DeviceColumns::busiest_cpu_core, nullptr},
}};
static_assert(is_in_order(metric_columns, &MetricColumn::metric));

constexpr std::uint32_t bit_of(std::size_t metric) { return std::uint32_t{1} << metric; }
static_assert(metric_count <= 32);

/// Returns whether all rows have a value.
template <typename T>
bool place(const Column& column, const std::vector<RowRun>& runs, std::vector<T>& values) {
  bool all = true;
  for (const RowRun& run : runs) {
    all &= decode_present(column, run.row, std::span(values).subspan(run.device, run.count));
  }
  return all;
}

template <typename Visit>
void each_column(DeviceColumns& columns, Visit visit) {
  visit(columns.host);
  visit(columns.group);
  visit(columns.number);
  visit(columns.sampled);
  for (const MetricColumn& metric_column : metric_columns) {
    if (metric_column.narrow != nullptr) visit(columns.*metric_column.narrow);
    if (metric_column.wide != nullptr) visit(columns.*metric_column.wide);
  }
  visit(columns.power_w);
  visit(columns.throttle);
  visit(columns.reported);
  visit(columns.condition);
  visit(columns.gang);
  visit(columns.replicas);
  visit(columns.busy_until);
  visit(columns.reserved_w);
  visit(columns.expected_w);
  visit(columns.serving_w);
  visit(columns.prompt_w);
  visit(columns.prompts_until);
  visit(columns.shown_until);
  visit(columns.reserved_until);
}

/// Batches in a year at the highest rate. A larger gap counts as this many, so that sums cannot
/// overflow.
constexpr std::uint64_t sample_gap_max = 1'000'000'000;

}  // namespace

void grow(DeviceColumns& columns, std::size_t size) {
  each_column(columns, [&](auto& column) { column.resize(size); });
}

void clear(DeviceColumns& columns, DeviceIndex first, std::size_t count) {
  each_column(columns, [&](auto& column) {
    std::fill_n(column.begin() + first, count,
                typename std::decay_t<decltype(column)>::value_type{});
  });
}

double reading(const DeviceColumns& columns, DeviceIndex device, Metric metric) {
  if ((columns.reported[device] & bit_of(static_cast<std::size_t>(metric))) == 0) return absent;
  if (metric == Metric::power) return columns.power_w[device];
  if (metric == Metric::throttle) return columns.throttle[device];
  const MetricColumn& metric_column = row_at(metric_columns, metric);
  return metric_column.narrow != nullptr ? (columns.*metric_column.narrow)[device]
                                         : (columns.*metric_column.wide)[device];
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
  std::uint32_t of_all = 0;  // the metrics that every row has
  for (const Column& column : batch.columns) {
    if (column.metric >= metric_count) continue;
    if (place_column(column, runs, now)) of_all |= bit_of(column.metric);
  }
  for (const RowRun& run : runs) {
    std::fill_n(&devices_.reported[run.device], run.count, of_all);
  }
  for (const Column& column : batch.columns) {
    if (column.metric >= metric_count || (of_all & bit_of(column.metric)) != 0) continue;
    scratch_.resize(rows_.size());
    decode(column, scratch_);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (rows_[row] == no_index || std::isnan(scratch_[row])) continue;
      devices_.reported[rows_[row]] |= bit_of(column.metric);
    }
  }
  update_hot_devices(runs, to_seconds(now - before));
  ++version_;
}

bool FleetState::place_column(const Column& column, const std::vector<RowRun>& runs, Instant now) {
  const MetricColumn& metric_column = metric_columns[column.metric];
  if (metric_column.narrow != nullptr) return place(column, runs, devices_.*metric_column.narrow);
  if (metric_column.wide != nullptr) return place(column, runs, devices_.*metric_column.wide);
  if (metric_column.metric == Metric::throttle) return place(column, runs, devices_.throttle);
  return place_power(column, now);
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
