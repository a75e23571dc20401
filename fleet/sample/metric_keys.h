// The names of metrics in JSON and CSV: in the tables of the fleet and in exports of recordings.
#pragma once

#include <array>

#include "fleet/base/enum_tables.h"
#include "fleet/sample/sample.h"

namespace drover {

struct MetricKey {
  Metric metric;
  const char* name;
  bool whole;  // counts and bytes
};
/// In exports of recordings, throttle reasons are bits; in tables, a list of names, `throttle`.
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
    {Metric::memory_clock, "memory_clock_mhz", true},
    {Metric::pcie_sent, "pcie_sent_bytes_per_s", true},
    {Metric::pcie_received, "pcie_received_bytes_per_s", true},
    {Metric::link_sent, "link_sent_bytes_per_s", true},
    {Metric::link_received, "link_received_bytes_per_s", true},
    {Metric::pcie_generation, "pcie_generation", true},
    {Metric::pcie_lanes, "pcie_lanes", true},
    {Metric::ecc_corrected, "ecc_corrected", true},
    {Metric::ecc_uncorrected, "ecc_uncorrected", true},
    {Metric::xid, "xid", true},
    {Metric::fan, "fan", false},
    {Metric::busiest_cpu_core, "busiest_cpu_core", false},
}};
static_assert(is_in_order(metric_keys, &MetricKey::metric));

}  // namespace drover
