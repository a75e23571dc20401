// What no device can show, and that nobody who decodes it sees it.
#include "fleet/sample/sample_bounds.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace drover {
namespace {

template <typename Integer>
Column column_of(Metric metric, int scale, const std::vector<Integer>& integers) {
  Column column{static_cast<std::uint8_t>(metric), sizeof(Integer), static_cast<std::int8_t>(scale),
                ""};
  column.bytes.resize(sizeof(Integer) * integers.size());
  std::memcpy(column.bytes.data(), integers.data(), column.bytes.size());
  return column;
}

/// As doubles, as floats and one by one: all must say the same.
std::vector<double> decoded(const Column& column) {
  std::vector<double> wide(column.bytes.size() / column.width);
  decode(column, wide);
  std::vector<float> narrow(wide.size(), -7);
  decode_present(column, 0, std::span(narrow));
  for (std::size_t row = 0; row < wide.size(); ++row) {
    const bool stays = std::isnan(wide[row]);
    EXPECT_EQ(narrow[row], stays ? -7 : static_cast<float>(wide[row])) << row;
    double alone = -7;
    decode_present(column, row, std::span(&alone, 1));
    EXPECT_EQ(alone, stays ? -7 : wide[row]) << row;
  }
  return wide;
}

MetricBounds bounds(Metric metric) {
  return steps_within({static_cast<std::uint8_t>(metric), 4, 0, {}});
}

TEST(SampleBounds, TreatImpossibleValuesAsNotReported) {
  for (int number = 0; number < metric_count; ++number) {
    const auto metric = static_cast<Metric>(number);
    const MetricFacts& wire = facts(metric);
    const double step = std::pow(10.0, wire.scale);
    const auto least = std::llround(bounds(metric).least / step);
    const auto most = std::llround(bounds(metric).most / step);
    const std::vector<std::int64_t> integers{least, most, least - 1, most + 1,
                                             std::numeric_limits<std::int64_t>::max()};
    const std::vector<double> values = decoded(column_of(metric, wire.scale, integers));
    EXPECT_DOUBLE_EQ(values[0], bounds(metric).least) << wire.name;
    EXPECT_DOUBLE_EQ(values[1], bounds(metric).most) << wire.name;
    for (std::size_t row = 2; row < integers.size(); ++row) {
      EXPECT_TRUE(std::isnan(values[row])) << wire.name << ' ' << integers[row];
    }
  }
}

TEST(SampleBounds, ApplyToTheValueWhateverTheColumnsWidthAndScale) {
  const auto is_shown = [](const Column& column) { return !std::isnan(decoded(column).front()); };
  EXPECT_TRUE(is_shown(column_of<std::int16_t>(Metric::power, 0, {30'000})));
  EXPECT_TRUE(is_shown(column_of<std::int16_t>(Metric::power, 4, {10})));
  EXPECT_FALSE(is_shown(column_of<std::int16_t>(Metric::power, 4, {11})));
  EXPECT_FALSE(is_shown(column_of<std::int16_t>(Metric::power, 0, {-1})));
  EXPECT_FALSE(is_shown(column_of<std::int16_t>(Metric::power, 18, {1})));
  EXPECT_FALSE(is_shown(column_of<std::int32_t>(Metric::power, -1, {2'000'000})));
  EXPECT_FALSE(is_shown(column_of<std::int64_t>(Metric::power, 0, {200'000})));
  EXPECT_TRUE(is_shown(column_of<std::int64_t>(Metric::power, -18, {1})));
  EXPECT_TRUE(is_shown(column_of<std::int16_t>(Metric::temperature, -1, {3000})));
  EXPECT_FALSE(is_shown(column_of<std::int16_t>(Metric::temperature, -1, {-500})));
  EXPECT_TRUE(is_shown(column_of<std::int32_t>(Metric::clock, 0, {32'767})));
  EXPECT_FALSE(is_shown(column_of<std::int32_t>(Metric::clock, 0, {40'000})));
  EXPECT_FALSE(is_shown(column_of<std::int32_t>(Metric::temperature, 0, {5000})));
  EXPECT_TRUE(is_shown(column_of<std::int16_t>(Metric::utilization, -4, {13'000})));
  EXPECT_FALSE(is_shown(column_of<std::int16_t>(Metric::utilization, 0, {50})));
}

TEST(SampleBounds, HideOnlyTheRowThatViolatesThem) {
  const auto shown = decoded(column_of<std::int32_t>(Metric::power, -1, {3500, 2'000'000, 7000}));
  EXPECT_EQ(shown[0], 350);
  EXPECT_TRUE(std::isnan(shown[1]));
  EXPECT_EQ(shown[2], 700);
}

TEST(SampleBounds, LimitThrottleBitsToThirtyTwo) {
  const Column column =
      column_of<std::int64_t>(Metric::throttle, 0, {0x40, 0xffff'ffff, std::int64_t{1} << 32, -1});
  std::vector<std::uint32_t> bits(4, 7);
  decode_present(column, 0, std::span(bits));
  EXPECT_EQ(bits, (std::vector<std::uint32_t>{0x40, 0xffff'ffff, 7, 7}));
}

TEST(SampleBounds, ThatAreViolatedAreReportedWithMetricDeviceAndValue) {
  SampleBatch batch{"h1", {4, 9}, {}};
  batch.columns.push_back(
      column_of<std::int16_t>(Metric::clock, 0, {1755, std::numeric_limits<std::int16_t>::min()}));
  batch.columns.push_back(Column{200, 2, 0, std::string(4, '\x7f')});
  ASSERT_TRUE(check(batch));
  EXPECT_FALSE(find_implausible_value(batch))
      << "neither what is absent nor what is not known is absurd";
  batch.columns.push_back(column_of<std::int32_t>(Metric::power, -1, {7000, 2'000'000}));
  const auto found = find_implausible_value(batch);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->metric, Metric::power);
  EXPECT_EQ(found->device, 9);
  EXPECT_EQ(found->value, 200'000);
}

}  // namespace
}  // namespace drover
