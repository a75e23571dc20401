#include "fleet/sample/sample.h"

#include <algorithm>
#include <bitset>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "fleet/base/enum_tables.h"
#include "fleet/sample/sample_bounds.h"

namespace drover {
namespace {

constexpr std::array<MetricFacts, metric_count> facts_table{{
    {Metric::utilization, "utilization", "", 2, -4},
    {Metric::tensor_activity, "tensor_activity", "", 2, -4},
    {Metric::memory_activity, "memory_activity", "", 2, -4},
    {Metric::memory_used, "memory_used", "B", 4, 6},
    {Metric::memory_total, "memory_total", "B", 4, 6},
    {Metric::power, "power", "W", 4, -1},
    {Metric::power_cap, "power_cap", "W", 4, -1},
    {Metric::temperature, "temperature", "C", 2, -1},
    {Metric::clock, "clock", "MHz", 2, 0},
    {Metric::throttle, "throttle", "", 4, 0},
    {Metric::energy, "energy", "J", 8, -3},
    {Metric::queue, "queue", "", 4, 0},
    {Metric::running, "running", "", 4, 0},
    {Metric::memory_temperature, "memory_temperature", "C", 2, -1},
    {Metric::power_violation, "power_violation", "s", 4, -2},
    {Metric::thermal_violation, "thermal_violation", "s", 4, -2},
    {Metric::board_limit_violation, "board_limit_violation", "s", 4, -2},
    {Metric::memory_clock, "memory_clock", "MHz", 2, 0},
    {Metric::pcie_sent, "pcie_sent", "B/s", 4, 3},
    {Metric::pcie_received, "pcie_received", "B/s", 4, 3},
    {Metric::link_sent, "link_sent", "B/s", 4, 3},
    {Metric::link_received, "link_received", "B/s", 4, 3},
    {Metric::pcie_generation, "pcie_generation", "", 2, 0},
    {Metric::pcie_lanes, "pcie_lanes", "", 2, 0},
    {Metric::ecc_corrected, "ecc_corrected", "", 4, 0},
    {Metric::ecc_uncorrected, "ecc_uncorrected", "", 4, 0},
    {Metric::xid, "xid", "", 2, 0},
    {Metric::fan, "fan", "", 2, -4},
    {Metric::busiest_cpu_core, "busiest_cpu_core", "", 2, -4},
}};

static_assert(is_in_order(facts_table, &MetricFacts::metric));

/// What differs in the steps of drivers.
struct FineSteps {
  Metric metric;
  std::uint8_t width;
  std::int8_t scale;
};
constexpr FineSteps fine_steps[] = {
    {Metric::utilization, 4, -6},        {Metric::tensor_activity, 4, -6},
    {Metric::memory_activity, 4, -6},    {Metric::memory_used, 8, 0},
    {Metric::memory_total, 8, 0},        {Metric::power, 4, -3},
    {Metric::power_cap, 4, -3},          {Metric::temperature, 4, -3},
    {Metric::memory_temperature, 4, -3}, {Metric::pcie_sent, 8, 0},
    {Metric::pcie_received, 8, 0},       {Metric::link_sent, 8, 0},
    {Metric::link_received, 8, 0},       {Metric::power_violation, 8, -9},
    {Metric::thermal_violation, 8, -9},  {Metric::board_limit_violation, 8, -9},
};

MetricFacts with_steps(MetricFacts metric, SampleSteps steps) {
  if (steps == SampleSteps::of_emulated_devices) return metric;
  for (const FineSteps& fine : fine_steps) {
    if (fine.metric != metric.metric) continue;
    metric.width = fine.width;
    metric.scale = fine.scale;
  }
  return metric;
}

template <typename Integer>
Integer to_integer(double value, int scale) {
  constexpr Integer missing = std::numeric_limits<Integer>::min();
  if (std::isnan(value)) return missing;
  const double scaled =
      std::nearbyint(scale < 0 ? value * power_of_ten(-scale) : value / power_of_ten(scale));
  // 2^(bits - 1) as a double; the largest 64-bit integer is not representable, hence >=.
  constexpr double limit = -static_cast<double>(missing);
  if (scaled >= limit) return std::numeric_limits<Integer>::max();
  // The smallest integer itself means absent.
  if (scaled <= -limit) return static_cast<Integer>(missing + 1);
  return static_cast<Integer>(scaled);
}

template <typename Integer>
std::string pack_column(const MetricFacts& metric, std::span<const Sample> rows) {
  std::string bytes(rows.size() * sizeof(Integer), '\0');
  char* place = bytes.data();
  for (const Sample& row : rows) {
    const Integer value = little_endian(to_integer<Integer>(row[metric.metric], metric.scale));
    std::memcpy(place, &value, sizeof value);
    place += sizeof value;
  }
  return bytes;
}

// Division, not multiplication by 0.1: 350.1 W comes back as the nearest double to 350.1.
template <typename Work>
Work natural(Work number, Work power, bool divide) {
  return divide ? number / power : number * power;
}

template <typename Number>
Number converted(double value) {
  return static_cast<Number>(value);
}

template <>
std::uint32_t converted(double value) {
  constexpr double largest = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp(value, 0.0, largest));
}

// Decodes any integers; those that are absent or out of bounds are skipped. Returns false if any
// was. The loops below REQUIRE that none is: they have no branch, so that the compiler can
// vectorise them.
template <typename Integer, typename Number>
bool decode_any(IntegerRange<Integer> range, int scale, const char* bytes, std::span<Number> out) {
  const double power = power_of_ten(std::abs(scale));
  std::size_t present = 0;
  for (std::size_t index = 0; index < out.size(); ++index) {
    const auto integer = integer_at<Integer>(bytes, index);
    if (!range.holds(integer)) continue;
    out[index] = converted<Number>(natural(static_cast<double>(integer), power, scale < 0));
    ++present;
  }
  return present == out.size();
}

template <typename Integer, typename Work, bool divide, typename Number>
void scale_all(Work power, const char* bytes, std::span<Number> out) {
  for (std::size_t index = 0; index < out.size(); ++index) {
    const auto number = static_cast<Work>(integer_at<Integer>(bytes, index));
    out[index] = static_cast<Number>(natural(number, power, divide));
  }
}

template <typename Integer, typename Work, typename Number>
void decode_all(int scale, const char* bytes, std::span<Number> out) {
  const auto power = static_cast<Work>(power_of_ten(std::abs(scale)));
  if (scale < 0) {
    scale_all<Integer, Work, true>(power, bytes, out);
  } else {
    scale_all<Integer, Work, false>(power, bytes, out);
  }
}

// Floats represent integers up to 2^24 and powers of ten up to 10^10 exactly. Their quotient in
// float equals the quotient in double rounded to float (53 bits are more than 2 * 24 + 1, so double
// rounding has no effect), and twice as many fit in a vector.
constexpr std::int32_t float_integer_limit = 1 << 24;
constexpr int float_scale_limit = 10;

// Returns false and decodes nothing when these integers need `decode_any`.
template <typename Integer, typename Number>
bool decode_vectorised(IntegerRange<Integer> range, int scale, const char* bytes,
                       std::span<Number> out) {
  if constexpr (std::is_same_v<Number, float>) {
    constexpr Integer largest = std::numeric_limits<Integer>::max();
    constexpr auto limit = static_cast<Integer>(std::min<int>(largest, float_integer_limit));
    const IntegerRange<Integer> exact{std::max<Integer>(range.least, -limit),
                                      std::min(range.most, limit)};
    if (std::abs(scale) <= float_scale_limit && all_within(exact, bytes, out.size())) {
      decode_all<Integer, float>(scale, bytes, out);
      return true;
    }
  }
  if (!all_within(range, bytes, out.size())) return false;
  decode_all<Integer, double>(scale, bytes, out);
  return true;
}

template <typename Integer>
bool decode_vectorised(IntegerRange<Integer> range, int scale, const char* bytes,
                       std::span<std::uint32_t> out) {
  if (scale != 0 || !all_within(range, bytes, out.size())) return false;
  for (std::size_t index = 0; index < out.size(); ++index) {
    const Integer bits = std::max<Integer>(0, integer_at<Integer>(bytes, index));
    out[index] = static_cast<std::uint32_t>(bits);
  }
  return true;
}

template <typename Integer, typename Number>
bool decode_integers(const Column& column, std::size_t first, std::span<Number> out) {
  const char* bytes = column.bytes.data() + first * sizeof(Integer);
  const auto range = range_of<Integer>(column);
  // Baseline x86-64 has no vector conversion of 8-byte integers.
  if constexpr (sizeof(Integer) < sizeof(std::int64_t)) {
    if (decode_vectorised<Integer>(range, column.scale, bytes, out)) return true;
  }
  return decode_any<Integer>(range, column.scale, bytes, out);
}

template <typename Number>
bool decode_rows(const Column& column, std::size_t first, std::span<Number> out) {
  DROVER_REQUIRE(column.bytes.size() >= (first + out.size()) * column.width);
  switch (column.width) {
    case 2:
      return decode_integers<std::int16_t>(column, first, out);
    case 4:
      return decode_integers<std::int32_t>(column, first, out);
    default:
      DROVER_REQUIRE(column.width == 8);
      return decode_integers<std::int64_t>(column, first, out);
  }
}

Status check_devices(const std::vector<std::uint16_t>& devices) {
  // Agents send devices in strictly ascending order, which has no duplicates.
  const auto fall = std::adjacent_find(devices.begin(), devices.end(), std::greater_equal<>());
  if (fall == devices.end()) return {};
  std::bitset<1 << 16> seen;
  for (const std::uint16_t device : devices) {
    if (seen.test(device)) return error("SampleBatch.devices: device {} occurs twice", device);
    seen.set(device);
  }
  return {};
}

Status check_column(const Column& column, std::size_t rows) {
  if (column.width != 2 && column.width != 4 && column.width != 8) {
    return error("SampleBatch.columns: metric {}: found width {}, expected 2, 4 or 8",
                 column.metric, column.width);
  }
  if (column.scale < -scale_limit || column.scale > scale_limit) {
    return error("SampleBatch.columns: metric {}: found scale {}, expected -{}..{}", column.metric,
                 column.scale, scale_limit, scale_limit);
  }
  if (column.bytes.size() != rows * column.width) {
    return error("SampleBatch.columns: metric {}: found {} bytes, expected {} ({} rows of {})",
                 column.metric, column.bytes.size(), rows * column.width, rows, column.width);
  }
  return {};
}

}  // namespace

const MetricFacts& facts(Metric metric) { return row_at(facts_table, metric); }

SampleBatch pack(std::string host, std::span<const Sample> rows, SampleSteps steps) {
  DROVER_REQUIRE(rows.size() <= batch_rows_max);
  SampleBatch batch;
  batch.host = std::move(host);
  batch.devices.reserve(rows.size());
  for (const Sample& row : rows) batch.devices.push_back(row.device);
  batch.columns.reserve(facts_table.size());
  for (const MetricFacts& usual : facts_table) {
    const MetricFacts metric = with_steps(usual, steps);
    // A metric that is absent in all rows gets no column.
    const bool reported = std::any_of(rows.begin(), rows.end(), [&](const Sample& row) {
      return !std::isnan(row[metric.metric]);
    });
    if (!reported) continue;
    Column column{static_cast<std::uint8_t>(metric.metric), metric.width, metric.scale, {}};
    switch (metric.width) {
      case 2:
        column.bytes = pack_column<std::int16_t>(metric, rows);
        break;
      case 4:
        column.bytes = pack_column<std::int32_t>(metric, rows);
        break;
      default:
        column.bytes = pack_column<std::int64_t>(metric, rows);
        break;
    }
    batch.columns.push_back(std::move(column));
  }
  return batch;
}

Status check(const SampleBatch& batch) {
  if (batch.devices.size() > batch_rows_max) {
    return error("SampleBatch.devices: found {} rows, expected at most {}", batch.devices.size(),
                 batch_rows_max);
  }
  if (batch.columns.size() > batch_columns_max) {
    return error("SampleBatch.columns: found {} columns, expected at most {}", batch.columns.size(),
                 batch_columns_max);
  }
  DROVER_TRY(check_devices(batch.devices));
  std::bitset<256> metrics;
  for (const Column& column : batch.columns) {
    if (metrics.test(column.metric)) {
      return error("SampleBatch.columns: metric {} occurs twice", column.metric);
    }
    metrics.set(column.metric);
    DROVER_TRY(check_column(column, batch.devices.size()));
  }
  return {};
}

void decode(const Column& column, std::span<double> out) {
  DROVER_REQUIRE(column.bytes.size() == out.size() * column.width);
  std::fill(out.begin(), out.end(), absent);
  decode_rows(column, 0, out);
}

bool decode_present(const Column& column, std::size_t first, std::span<double> out) {
  return decode_rows(column, first, out);
}

bool decode_present(const Column& column, std::size_t first, std::span<float> out) {
  return decode_rows(column, first, out);
}

bool decode_present(const Column& column, std::size_t first, std::span<std::uint32_t> out) {
  return decode_rows(column, first, out);
}

std::vector<Sample> unpack(const SampleBatch& batch) {
  std::vector<Sample> rows(batch.devices.size());
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row].device = batch.devices[row];
  std::vector<double> values(rows.size());
  for (const Column& column : batch.columns) {
    if (column.metric >= metric_count) continue;
    decode(column, values);
    const auto metric = static_cast<Metric>(column.metric);
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row][metric] = values[row];
  }
  return rows;
}

}  // namespace drover
