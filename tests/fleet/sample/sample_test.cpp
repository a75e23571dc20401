#include "fleet/sample/sample.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace drover {
namespace {

Sample busy_device(std::uint16_t device) {
  Sample sample;
  sample.device = device;
  sample[Metric::utilization] = 0.9731;
  sample[Metric::tensor_activity] = 0.4218;
  sample[Metric::memory_activity] = 1;
  sample[Metric::memory_used] = 61'234e6;
  sample[Metric::memory_total] = 85'899e6;
  sample[Metric::power] = 653.7;
  sample[Metric::power_cap] = 700;
  sample[Metric::temperature] = 71.3;
  sample[Metric::clock] = 1755;
  sample[Metric::throttle] = throttle_sw_power_cap | throttle_hw_thermal_slowdown;
  sample[Metric::energy] = 123'456'789.125;
  sample[Metric::queue] = 0;
  sample[Metric::running] = 37;
  sample[Metric::memory_temperature] = 84;
  sample[Metric::power_violation] = 3600.25;
  sample[Metric::thermal_violation] = 0.01;
  sample[Metric::board_limit_violation] = 0;
  sample[Metric::memory_clock] = 2619;
  sample[Metric::pcie_sent] = 12'345'000;
  sample[Metric::pcie_received] = 0;
  sample[Metric::link_sent] = 450e9;
  sample[Metric::link_received] = 449e9;
  sample[Metric::pcie_generation] = 5;
  sample[Metric::pcie_lanes] = 16;
  sample[Metric::ecc_corrected] = 12;
  sample[Metric::ecc_uncorrected] = 1;
  sample[Metric::xid] = 79;
  sample[Metric::fan] = 0.3;
  sample[Metric::busiest_cpu_core] = 0.9951;
  return sample;
}

Column& column_of(SampleBatch& batch, Metric metric) {
  for (Column& column : batch.columns) {
    if (column.metric == static_cast<std::uint8_t>(metric)) return column;
  }
  throw std::logic_error("no such column");
}

TEST(Samples, MetricTableIsInOrderAndNamesAreUnique) {
  std::set<std::string_view> names;
  for (int index = 0; index < metric_count; ++index) {
    const MetricFacts& metric = facts(static_cast<Metric>(index));
    EXPECT_EQ(metric.metric, static_cast<Metric>(index));
    EXPECT_TRUE(metric.width == 2 || metric.width == 4 || metric.width == 8);
    names.insert(metric.name);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(metric_count));
}

TEST(Samples, ValuesOnTheGridRoundTripExactly) {
  const std::vector<Sample> rows{busy_device(0), busy_device(7)};
  const SampleBatch batch = pack("h1", rows);
  ASSERT_TRUE(check(batch));
  EXPECT_EQ(batch.devices, (std::vector<std::uint16_t>{0, 7}));
  const std::vector<Sample> back = unpack(batch);
  ASSERT_EQ(back.size(), 2U);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    EXPECT_EQ(back[row].device, rows[row].device);
    EXPECT_EQ(back[row].values, rows[row].values);
  }
}

TEST(Samples, ValuesAreRoundedToTheirColumnsStep) {
  Sample sample;
  sample[Metric::power] = 350.16;
  sample[Metric::utilization] = 0.12344;
  sample[Metric::memory_used] = 1'499'999;
  const Sample back = unpack(pack("h1", {&sample, 1})).front();
  EXPECT_EQ(back[Metric::power], 350.2);
  EXPECT_EQ(back[Metric::utilization], 0.1234);
  EXPECT_EQ(back[Metric::memory_used], 1e6);
}

TEST(Samples, AbsentValuesStayAbsent) {
  std::vector<Sample> rows{busy_device(0), busy_device(1)};
  rows[1][Metric::power] = absent;
  for (Sample& row : rows) row[Metric::queue] = absent;
  const SampleBatch batch = pack("h1", rows);
  const std::vector<Sample> back = unpack(batch);
  EXPECT_EQ(back[0][Metric::power], 653.7);
  EXPECT_TRUE(std::isnan(back[1][Metric::power]));
  EXPECT_TRUE(std::isnan(back[0][Metric::queue]));
  // What nobody reports takes no bytes.
  EXPECT_EQ(batch.columns.size(), static_cast<std::size_t>(metric_count - 1));
}

TEST(Samples, ValuesBeyondAColumnAreClampedAndNeverBecomeAbsent) {
  Sample sample;
  sample[Metric::utilization] = 1e9;
  sample[Metric::temperature] = -1e9;
  sample[Metric::energy] = 1e300;
  sample[Metric::power] = std::numeric_limits<double>::infinity();
  sample[Metric::clock] = -std::numeric_limits<double>::infinity();
  SampleBatch batch = pack("h1", {&sample, 1});
  EXPECT_EQ(column_of(batch, Metric::utilization).bytes, "\xff\x7f");
  EXPECT_EQ(column_of(batch, Metric::temperature).bytes, std::string("\x01\x80", 2));
  EXPECT_EQ(column_of(batch, Metric::energy).bytes, "\xff\xff\xff\xff\xff\xff\xff\x7f");
  EXPECT_EQ(column_of(batch, Metric::power).bytes, "\xff\xff\xff\x7f");
  EXPECT_EQ(column_of(batch, Metric::clock).bytes, std::string("\x01\x80", 2));
}

TEST(Samples, IntegersAreLittleEndianOnTheWire) {
  Sample sample;
  sample[Metric::clock] = 0x1234;
  sample[Metric::running] = -2;
  SampleBatch batch = pack("h1", {&sample, 1});
  EXPECT_EQ(column_of(batch, Metric::clock).bytes, std::string("\x34\x12", 2));
  EXPECT_EQ(column_of(batch, Metric::running).bytes, std::string("\xfe\xff\xff\xff", 4));
}

TEST(Samples, DecodeFollowsTheColumnsOwnWidthAndScale) {
  const Column column{static_cast<std::uint8_t>(Metric::power), 8, 3,
                      std::string("\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80", 16)};
  std::array<double, 2> values{};
  decode(column, values);
  EXPECT_EQ(values[0], 2000);
  EXPECT_TRUE(std::isnan(values[1]));
}

TEST(Samples, UnknownMetricsAreKeptAndSkipped) {
  const Sample sample = busy_device(3);
  SampleBatch batch = pack("h1", {&sample, 1});
  batch.columns.push_back({200, 2, 0, std::string(2, '\1')});
  ASSERT_TRUE(check(batch));
  EXPECT_EQ(unpack(batch).front().values, sample.values);
}

TEST(Samples, CheckRefusesMalformedBatches) {
  const std::vector<Sample> rows{busy_device(0), busy_device(1)};
  const auto refused = [&](auto spoil) {
    SampleBatch batch = pack("h1", rows);
    spoil(batch);
    const Status status = check(batch);
    return status ? std::string() : status.error().message;
  };
  EXPECT_EQ(refused([](SampleBatch&) {}), "");
  EXPECT_EQ(refused([](SampleBatch& batch) { batch.columns[5].bytes.pop_back(); }),
            "SampleBatch.columns: metric 5: found 7 bytes, expected 8 (2 rows of 4)");
  EXPECT_EQ(refused([](SampleBatch& batch) { batch.columns[0].width = 3; }),
            "SampleBatch.columns: metric 0: found width 3, expected 2, 4 or 8");
  EXPECT_EQ(refused([](SampleBatch& batch) { batch.columns[0].scale = -19; }),
            "SampleBatch.columns: metric 0: found scale -19, expected -18..18");
  EXPECT_EQ(refused([](SampleBatch& batch) { batch.columns[1].metric = 0; }),
            "SampleBatch.columns: metric 0 occurs twice");
  EXPECT_EQ(refused([](SampleBatch& batch) { batch.devices[1] = 0; }),
            "SampleBatch.devices: device 0 occurs twice");
  EXPECT_NE(refused([](SampleBatch& batch) { batch.devices.resize(batch_rows_max + 1); }), "");
  EXPECT_NE(refused([](SampleBatch& batch) { batch.columns.resize(65, Column{}); }), "");
}

TEST(Samples, AnEmptyBatchIsValid) {
  const SampleBatch batch = pack("h1", {});
  EXPECT_TRUE(check(batch));
  EXPECT_TRUE(unpack(batch).empty());
}

TEST(Samples, AFullBatchRoundTrips) {
  std::vector<Sample> rows;
  for (std::size_t row = 0; row < batch_rows_max; ++row) {
    rows.push_back(busy_device(static_cast<std::uint16_t>(row)));
    rows.back()[Metric::clock] = static_cast<double>(row);
  }
  const SampleBatch batch = pack("h1", rows);
  ASSERT_TRUE(check(batch));
  const std::vector<Sample> back = unpack(batch);
  for (std::size_t row = 0; row < rows.size(); ++row) ASSERT_EQ(back[row].values, rows[row].values);
}

TEST(Samples, FloatsAreTheDoublesRounded) {
  std::vector<std::int16_t> integers;
  for (int integer = -32767; integer <= 32767; ++integer) {
    integers.push_back(static_cast<std::int16_t>(integer));
  }
  Column column{200, 2, 0, ""};  // a metric that is not known has no bounds
  column.bytes.resize(2 * integers.size());
  std::memcpy(column.bytes.data(), integers.data(), column.bytes.size());
  std::vector<double> wide(integers.size());
  std::vector<float> narrow(integers.size());
  for (int scale = -18; scale <= 18; ++scale) {
    column.scale = static_cast<std::int8_t>(scale);
    decode(column, wide);
    decode_present(column, 0, std::span(narrow));
    for (std::size_t row = 0; row < wide.size(); ++row) {
      ASSERT_EQ(narrow[row], static_cast<float>(wide[row])) << integers[row] << " e" << scale;
    }
  }
}

TEST(Samples, AbsentValuesLeaveExistingOnesUnchanged) {
  std::vector<Sample> rows(3);
  for (std::uint16_t device = 0; device < 3; ++device) rows[device].device = device;
  rows[0][Metric::temperature] = 41;
  rows[2][Metric::temperature] = 43;
  const SampleBatch batch = pack("h1", rows);
  for (const Column& column : batch.columns) {
    if (column.metric != static_cast<std::uint8_t>(Metric::temperature)) continue;
    std::vector<float> standing{1, 2, 3};
    decode_present(column, 0, std::span(standing));
    EXPECT_EQ(standing, (std::vector<float>{41, 2, 43}));
    decode_present(column, 1, std::span(standing).subspan(0, 2));
    EXPECT_EQ(standing, (std::vector<float>{41, 43, 43}));
  }
}

// ---- Steps of drivers --------------------------------------------------------------------------

TEST(DriverSteps, ValuesComeBackExactlyAsDriversCountThem) {
  const std::pair<Metric, double> said[] = {
      {Metric::power, 409.692},  // NVML counts milliwatts
      {Metric::power_cap, 449.999},
      {Metric::memory_used, 5'080'350'720},  // and bytes
      {Metric::memory_total, 85'520'809'984},
      {Metric::utilization, 0.123456},  // profiling counters have six digits
      {Metric::tensor_activity, 0.000001},
      {Metric::temperature, 41.125},  // hwmon counts thousandths
      {Metric::memory_temperature, 100.001},
      {Metric::pcie_sent, 1'234'567'891},
      {Metric::link_received, 899'999'999'999},
      {Metric::power_violation, 12.345678901},  // and NVML counts nanoseconds here
  };
  Sample row;
  for (const auto& [metric, value] : said) row[metric] = value;
  const SampleBatch batch = pack("n1", std::span(&row, 1), SampleSteps::of_drivers);
  ASSERT_TRUE(check(batch));
  const Sample back = unpack(batch).at(0);
  for (const auto& [metric, value] : said) EXPECT_EQ(back[metric], value) << facts(metric).name;
  const Sample coarse = unpack(pack("n1", std::span(&row, 1))).at(0);
  EXPECT_EQ(coarse[Metric::power], 409.7) << "an emulated device knows it less well";
  EXPECT_EQ(coarse[Metric::memory_used], 5'080e6);
}

TEST(DriverSteps, EveryMetricAndItsAbsenceComesBack) {
  Sample full;
  for (double& value : full.values) value = 1;
  const std::vector<Sample> rows{full, Sample{}};
  const auto back = unpack(pack("n1", rows, SampleSteps::of_drivers));
  ASSERT_EQ(back.size(), 2U);
  for (int i = 0; i < metric_count; ++i) {
    const auto metric = static_cast<Metric>(i);
    EXPECT_EQ(back[0][metric], 1) << facts(metric).name;
    EXPECT_TRUE(std::isnan(back[1][metric])) << facts(metric).name;
  }
}

}  // namespace
}  // namespace drover
