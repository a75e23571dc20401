// What devices report: a table of metrics, rows as values, batches as columns of small integers.
//
// A batch is columnar: per metric its id, the width of its integers and a decimal scale, and the
// values as little-endian two's complement in one byte string. The smallest integer of the width
// means absent. `value = integer * 10^scale`.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"

namespace drover {

enum class Metric : std::uint8_t {
  utilization,         // share of time that something ran, 0..1
  matrix_activity,     // achieved share of the matrix units' peak, 0..1
  memory_activity,     // achieved share of the memory bandwidth, 0..1
  memory_used,         // bytes
  memory_total,        // bytes
  power,               // W
  power_cap,           // W
  temperature,         // C
  clock,               // MHz
  throttle,            // bits, see Throttle
  energy,              // J since the agent started
  queue,               // requests that wait on this device
  running,             // requests or training jobs that run on this device
  memory_temperature,  // C; absent where the board has no such sensor
  // Time for which the clock was held down so far, s, as NVML's violation counters:
  power_violation,    // by the power cap
  thermal_violation,  // by a temperature
  board_violation,    // by a power brake
};
inline constexpr int metric_count = 17;

/// Bits of Metric::throttle; the values are NVML's clock-event reasons, so they can be compared.
enum Throttle : std::uint32_t {
  throttle_idle = 0x1,
  throttle_power_cap = 0x4,
  throttle_hardware_slowdown = 0x8,
  throttle_thermal_software = 0x20,
  throttle_thermal_hardware = 0x40,
  throttle_power_brake = 0x80,
};

struct MetricFacts {
  Metric metric;
  std::string_view name;  // "power"
  std::string_view unit;  // "W"
  std::uint8_t width;     // bytes of one integer on the wire: 2, 4 or 8
  std::int8_t scale;      // power of ten of one unit of the integer: power -1, memory 6 (MB)
};
const MetricFacts& facts(Metric metric);

inline constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// One device's report. Absent values are NaN here and the smallest integer on the wire.
struct Sample {
  std::uint16_t device = 0;
  std::array<double, metric_count> values = filled_with_absent();

  double operator[](Metric metric) const { return values[static_cast<std::size_t>(metric)]; }
  double& operator[](Metric metric) { return values[static_cast<std::size_t>(metric)]; }

 private:
  static constexpr std::array<double, metric_count> filled_with_absent() {
    std::array<double, metric_count> values{};
    values.fill(absent);
    return values;
  }
};

struct Column {
  std::uint8_t metric = 0;  // unknown numbers are kept and skipped
  std::uint8_t width = 4;
  std::int8_t scale = 0;
  std::string bytes;
  bool operator==(const Column&) const = default;
};

inline constexpr std::size_t batch_rows_max = 1000;

/// Rows of one agent at one instant (the envelope's).
struct SampleBatch {
  std::string host;
  std::vector<std::uint16_t> devices;  // the rows' device indices
  std::vector<Column> columns;
  bool operator==(const SampleBatch&) const = default;
};

/// REQUIRES rows.size() <= batch_rows_max. Values beyond a column's range are clamped to it.
SampleBatch pack(std::string host, std::span<const Sample> rows);

/// Checks widths, lengths and counts: every column holds exactly one integer per row, no metric
/// stands twice, no device stands twice.
Status check(const SampleBatch& batch);

/// The column's values in natural units, absent as NaN. REQUIRES check() passed and
/// out.size() == rows.
void decode(const Column& column, std::span<double> out);

/// The values of rows `first` and following; where one is absent, what stands in `out` stays.
/// Floats are the doubles' nearest, unsigned ones their whole part within 32 bits. REQUIRES check()
/// passed and first + out.size() <= rows.
void decode_present(const Column& column, std::size_t first, std::span<double> out);
void decode_present(const Column& column, std::size_t first, std::span<float> out);
void decode_present(const Column& column, std::size_t first, std::span<std::uint32_t> out);

/// All rows, for those who want rows. REQUIRES check() passed.
std::vector<Sample> unpack(const SampleBatch& batch);

}  // namespace drover
