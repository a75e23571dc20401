// The state of hosts, groups and devices. Registration is in registration.cpp, replicas are in
// replicas.cpp, power and temperature in power.cpp.
//
// Samples arrive as columns and stay columns: each is decoded directly into the devices' column.
#include "router/fleet_state/fleet_state.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "fleet/base/identity.h"
#include "router/fleet_state/sample_runs.h"

namespace drover::router {
namespace {

using FloatColumn = std::vector<float> DeviceColumns::*;
using DoubleColumn = std::vector<double> DeviceColumns::*;

/// The column of a metric: one of the two is set, or neither: power and throttle bits are special.
struct Home {
  FloatColumn narrow = nullptr;
  DoubleColumn wide = nullptr;
  double unknown = 0;            // value before the first sample
  bool zero_is_unknown = false;  // a reading of 0 means that there is none
};

constexpr std::array<Home, metric_count> homes = {{
    {&DeviceColumns::utilization, nullptr},
    {&DeviceColumns::tensor_activity, nullptr},
    {&DeviceColumns::memory_activity, nullptr},
    {nullptr, &DeviceColumns::memory_used},
    {nullptr, &DeviceColumns::memory_total, 0, true},
    {nullptr, nullptr},  // power: see set_power
    {&DeviceColumns::power_cap_w, nullptr, 0, true},
    {&DeviceColumns::temperature_c, nullptr, 0, true},
    {&DeviceColumns::clock_mhz, nullptr, 0, true},
    {nullptr, nullptr},  // throttle: bits
    {nullptr, &DeviceColumns::energy_j, 0, true},
    {&DeviceColumns::queue, nullptr},
    {&DeviceColumns::running, nullptr},
    // Only users and alert rules read these.
    {&DeviceColumns::memory_temperature_c, nullptr, absent},
    {nullptr, &DeviceColumns::power_violation_s, absent},
    {nullptr, &DeviceColumns::thermal_violation_s, absent},
    {nullptr, &DeviceColumns::board_violation_s, absent},
}};
static_assert(static_cast<int>(Metric::power) == 5 && static_cast<int>(Metric::throttle) == 9);

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
  for (const Home& home : homes) {
    if (home.narrow != nullptr) visit(columns.*home.narrow, static_cast<float>(home.unknown));
    if (home.wide != nullptr) visit(columns.*home.wide, home.unknown);
  }
  zero(columns.power_w);
  zero(columns.throttle);
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
  if (metric == Metric::throttle) return columns.throttle[device];
  if (metric == Metric::memory_used && !(columns.memory_total[device] > 0)) return absent;
  const Home& home = homes[static_cast<std::size_t>(metric)];
  const double value =
      home.narrow != nullptr ? (columns.*home.narrow)[device] : (columns.*home.wide)[device];
  return home.zero_is_unknown ? above_zero(value) : value;
}

FleetState::FleetState(FleetStateLimits limits) : limits_(limits) {}
FleetState::~FleetState() = default;

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
    const Home& home = homes[column.metric];
    if (home.narrow != nullptr) {
      place(column, runs, devices_.*home.narrow);
    } else if (home.wide != nullptr) {
      place(column, runs, devices_.*home.wide);
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
