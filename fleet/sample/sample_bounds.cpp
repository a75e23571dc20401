#include "fleet/sample/sample_bounds.h"

#include <array>
#include <cstdlib>

namespace drover {
namespace {

// Some counters report slightly more than 100 %.
constexpr double share_most = 1.3;
// The limits of power and memory in a device's spec (devices/catalogue/spec_rows.cpp).
constexpr double power_most_w = 1e5;
constexpr double memory_most_bytes = 1.1e14;
// The maximum of its column, far above any clock.
constexpr double clock_most_mhz = 32'767;
// A running chip is above 0 C, and none survives the upper bound.
constexpr double coldest_c = 0;
constexpr double hottest_c = 300;
// The range of fleet time is 7.3e9 s.
constexpr double energy_most_j = 1e15;
constexpr double span_most_s = 1e10;
constexpr double requests_most = 1e6;
constexpr double bits_most = 4'294'967'295;
// bytes/s: above the links of any device (NVLink 5 has 1.8e12 in both directions together).
constexpr double rate_most = 1e13;
constexpr double pcie_most = 64;
constexpr double errors_most = 2'147'483'647;
constexpr double xid_most = 999;  // as in fleet/fault.h

constexpr std::array<MetricBounds, metric_count> bounds_table{{
    {0, share_most},         // utilization
    {0, share_most},         // tensor_activity
    {0, share_most},         // memory_activity
    {0, memory_most_bytes},  // memory_used
    {0, memory_most_bytes},  // memory_total
    {0, power_most_w},       // power
    {0, power_most_w},       // power_cap
    {coldest_c, hottest_c},  // temperature
    {0, clock_most_mhz},     // clock
    {0, bits_most},          // throttle
    {0, energy_most_j},      // energy
    {0, requests_most},      // queue
    {0, requests_most},      // running
    {coldest_c, hottest_c},  // memory_temperature
    {0, span_most_s},        // power_violation
    {0, span_most_s},        // thermal_violation
    {0, span_most_s},        // board_limit_violation
    {0, clock_most_mhz},     // memory_clock
    {0, rate_most},          // pcie_sent
    {0, rate_most},          // pcie_received
    {0, rate_most},          // link_sent
    {0, rate_most},          // link_received
    {0, pcie_most},          // pcie_generation
    {0, pcie_most},          // pcie_lanes
    {0, errors_most},        // ecc_corrected
    {0, errors_most},        // ecc_uncorrected
    {0, xid_most},           // xid
    {0, share_most},         // fan
    {0, share_most},         // busiest_cpu_core
}};
static_assert(static_cast<int>(Metric::busiest_cpu_core) == metric_count - 1);

struct FoundValue {
  std::size_t row = 0;
  double value = 0;
};

double scaled_value(double steps, int scale) {
  const double power = power_of_ten(std::abs(scale));
  return scale < 0 ? steps / power : steps * power;
}

template <typename Integer>
std::optional<FoundValue> find_beyond(const Column& column, std::size_t rows) {
  const IntegerRange<Integer> range = range_of<Integer>(column);
  const char* bytes = column.bytes.data();
  if (all_within(range, bytes, rows)) return std::nullopt;
  // Only absent values may be out of range: they are in no range.
  for (std::size_t row = 0; row < rows; ++row) {
    const auto integer = integer_at<Integer>(bytes, row);
    if (integer == std::numeric_limits<Integer>::min() || range.holds(integer)) continue;
    return FoundValue{row, scaled_value(static_cast<double>(integer), column.scale)};
  }
  return std::nullopt;
}

std::optional<FoundValue> find_beyond(const Column& column, std::size_t rows) {
  switch (column.width) {
    case 2:
      return find_beyond<std::int16_t>(column, rows);
    case 4:
      return find_beyond<std::int32_t>(column, rows);
    default:
      DROVER_REQUIRE(column.width == 8);
      return find_beyond<std::int64_t>(column, rows);
  }
}

}  // namespace

MetricBounds steps_within(const Column& column) {
  constexpr double all = std::numeric_limits<double>::infinity();
  if (column.metric >= metric_count) return {-all, all};
  const MetricBounds& natural = bounds_table[column.metric];
  return {scaled_value(natural.least, -column.scale), scaled_value(natural.most, -column.scale)};
}

std::optional<ImplausibleValue> find_implausible_value(const SampleBatch& batch) {
  for (const Column& column : batch.columns) {
    if (column.metric >= metric_count) continue;
    const auto found = find_beyond(column, batch.devices.size());
    if (!found) continue;
    return ImplausibleValue{static_cast<Metric>(column.metric), batch.devices[found->row],
                            found->value};
  }
  return std::nullopt;
}

}  // namespace drover
