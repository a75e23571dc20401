// Samples of devices: the table of metrics, rows of values, and batches of columns of integers.
//
// A batch is columnar. A column has the metric's id, the width of its integers, a decimal scale,
// and the values as little-endian two's complement in one byte string. The smallest integer of the
// width means absent. `value = integer * 10^scale`.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"

namespace drover {

enum class Metric : std::uint8_t {
  utilization,         // share of time in which something ran, 0..1
  tensor_activity,     // achieved share of the matrix units' peak, 0..1
  memory_activity,     // achieved share of the memory bandwidth, 0..1
  memory_used,         // bytes
  memory_total,        // bytes
  power,               // W
  power_cap,           // W
  temperature,         // C
  clock,               // MHz
  throttle,            // bits, see Throttle
  energy,              // J since the agent started; of a real device: since its driver started
  queue,               // requests waiting on this device
  running,             // requests or training jobs running on this device
  memory_temperature,  // C; absent where the board has no such sensor
  // Accumulated throttle time by cause, s, as NVML's violation counters:
  power_violation,        // by the power cap
  thermal_violation,      // by a temperature
  board_limit_violation,  // by a power brake
  // Only of real devices:
  memory_clock,      // MHz
  pcie_sent,         // bytes/s, from the device to the host
  pcie_received,     // bytes/s
  link_sent,         // bytes/s to other devices: NVLink, Infinity Fabric
  link_received,     // bytes/s
  pcie_generation,   // of the PCIe link now
  pcie_lanes,        // of the PCIe link now
  ecc_corrected,     // errors since the driver was loaded
  ecc_uncorrected,   // errors since the driver was loaded
  xid,               // NVIDIA's code of the last error; 0: none since the driver was loaded
  fan,               // share of its full speed, 0..1
  busiest_cpu_core,  // share of time in which the busiest core of the host worked, 0..1
};
inline constexpr int metric_count = 29;

/// Bits of Metric::throttle. The values are those of NVML's clock event reasons.
enum Throttle : std::uint32_t {
  throttle_gpu_idle = 0x1,
  throttle_sw_power_cap = 0x4,
  throttle_hw_slowdown = 0x8,
  throttle_sw_thermal_slowdown = 0x20,
  throttle_hw_thermal_slowdown = 0x40,
  throttle_hw_power_brake = 0x80,
};

struct MetricFacts {
  Metric metric;
  std::string_view name;  // "power"
  std::string_view unit;  // "W"
  std::uint8_t width;     // bytes of one integer on the wire: 2, 4 or 8
  std::int8_t scale;      // decimal exponent of the integer's unit: power -1, memory 6 (MB)
};
const MetricFacts& facts(Metric metric);

/// How finely values are sent. Drivers count bytes and milliwatts; an emulated device knows its
/// values less well than that, and there may be very many.
enum class SampleSteps : std::uint8_t { of_emulated_devices, of_drivers };

inline constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// One device's sample. Absent values are NaN here and the smallest integer on the wire.
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
  std::uint8_t metric = 0;  // columns of unknown metrics are kept and ignored
  std::uint8_t width = 4;
  std::int8_t scale = 0;
  std::string bytes;
  bool operator==(const Column&) const = default;
};

inline constexpr std::size_t batch_rows_max = 1000;
/// More than there are metrics, for metrics of newer versions.
inline constexpr std::size_t batch_columns_max = 64;

/// Samples of one agent's devices at one instant (that of the envelope).
struct SampleBatch {
  std::string host;
  std::vector<std::uint16_t> devices;  // the rows' device indices
  std::vector<Column> columns;
  bool operator==(const SampleBatch&) const = default;
};

/// Encodes rows. Values beyond a column's range are clamped to it. REQUIRES rows.size() <=
/// batch_rows_max.
SampleBatch pack(std::string host, std::span<const Sample> rows,
                 SampleSteps steps = SampleSteps::of_emulated_devices);

/// Checks widths, lengths and counts: every column has exactly one integer per row, and no metric
/// and no device occurs twice.
Status check(const SampleBatch& batch);

/// Decodes a column's values into the metric's unit, absent ones as NaN. REQUIRES check() passed
/// and out.size() == rows.
void decode(const Column& column, std::span<double> out);

/// Decodes the values from row `first` on. Returns whether all of these rows have one. Absent
/// values leave the element of `out` unchanged. Floats are the nearest to the doubles; unsigned
/// integers are their whole part, limited to 32 bits. REQUIRES check() passed and first +
/// out.size() <= rows.
bool decode_present(const Column& column, std::size_t first, std::span<double> out);
bool decode_present(const Column& column, std::size_t first, std::span<float> out);
bool decode_present(const Column& column, std::size_t first, std::span<std::uint32_t> out);

/// All rows of a batch. REQUIRES check() passed.
std::vector<Sample> unpack(const SampleBatch& batch);

}  // namespace drover
