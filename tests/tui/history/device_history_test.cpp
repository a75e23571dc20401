// The history ladder: what it keeps of each device, for how long, and in how many bytes.
#include "tui/history/device_history.h"

#include <gtest/gtest.h>

#include "fleet/base/random_stream.h"
#include "tui/model/model.h"

namespace drover::tui {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
constexpr Instant whole_minute{seconds(1'763'692'680)};
constexpr std::size_t history_bytes_max = 1u << 30;
constexpr HistoryResolution by_second = HistoryResolution::seconds;
constexpr HistoryResolution by_ten = HistoryResolution::tens_of_seconds;
constexpr HistoryResolution by_minute = HistoryResolution::minutes;

using MetricValues = std::vector<std::pair<Metric, double>>;

Sample sample_of(std::uint16_t device, const MetricValues& told) {
  Sample sample;
  sample.device = device;
  for (const auto& [metric, value] : told) sample[metric] = value;
  return sample;
}

SampleBatch batch_of(const std::string& host, std::uint16_t device, const MetricValues& told) {
  return pack(host, std::vector<Sample>{sample_of(device, told)});
}

SampleBatch loads_of(const std::string& host, int devices, double load) {
  std::vector<Sample> rows;
  for (int i = 0; i < devices; ++i) {
    rows.push_back(sample_of(static_cast<std::uint16_t>(i), {{Metric::utilization, load}}));
  }
  return pack(host, rows);
}

double value_at(const DeviceHistory& history, const DeviceId& device, HistoryMetric metric,
                HistoryResolution resolution, Instant at) {
  return history.read(device, metric, resolution, at, 1).values.at(0);
}

/// Of the second that begins there, when it is over.
double load_of(const DeviceHistory& history, const DeviceId& device, Instant second) {
  return value_at(history, device, HistoryMetric::utilization, by_second,
                  second + seconds(1) - Duration(1));
}

double load_at(const DeviceHistory& history, const DeviceId& device, HistoryResolution resolution,
               Instant at) {
  return value_at(history, device, HistoryMetric::utilization, resolution, at);
}

TEST(DeviceHistory, KnowsSinceWhenItKeepsADevice) {
  DeviceHistory history(seconds(1), history_bytes_max);
  EXPECT_EQ(history.begin({"a", 0}), never);
  const Instant first = whole_minute + seconds(7);
  for (int second = 0; second < 500; ++second) {
    history.take(first + seconds(second), loads_of("a", 1, 0.5));
  }
  EXPECT_EQ(history.begin({"a", 0}), first);
  for (int minute = 0; minute < 200; ++minute) {
    history.take(first + seconds(500) + minutes(minute), loads_of("a", 1, 0.5));
  }
  EXPECT_GT(history.begin({"a", 0}), first + minutes(80)) << "bins that were dropped";
  EXPECT_LT(history.begin({"a", 0}), first + minutes(95));
}

/// The same double, or both absent.
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

struct RoundTrip {
  HistoryMetric metric;
  double value, kept;
};

TEST(HistoryMetrics, SixteenBitsKeepTheResolutionThatAgentsReport) {
  const RoundTrip cases[] = {
      {HistoryMetric::utilization, 0, 0},       {HistoryMetric::utilization, 0.1234, 0.1234},
      {HistoryMetric::utilization, 1, 1},       {HistoryMetric::memory, 0.5, 0.5},
      {HistoryMetric::power, 699.95, 700.0},    {HistoryMetric::power, 0, 0},
      {HistoryMetric::temperature, 83.7, 83.7}, {HistoryMetric::temperature, -12.3, -12.3},
      {HistoryMetric::clock, 1980, 1980},       {HistoryMetric::queue, 65'534, 65'534},
      {HistoryMetric::running, 3, 3},
  };
  for (const RoundTrip& one : cases) {
    EXPECT_NEAR(dequantize(one.metric, quantize(one.metric, one.value)), one.kept, 1e-9)
        << static_cast<int>(one.metric) << " " << one.value;
  }
}

TEST(HistoryMetrics, OutOfRangeValuesAreClampedAndAbsentStaysAbsent) {
  EXPECT_EQ(dequantize(HistoryMetric::queue, quantize(HistoryMetric::queue, 1e12)), 65'534);
  EXPECT_EQ(dequantize(HistoryMetric::power, quantize(HistoryMetric::power, -5)), 0);
  for (int metric = 0; metric < history_metric_count; ++metric) {
    const auto kept = static_cast<HistoryMetric>(metric);
    EXPECT_EQ(quantize(kept, absent), quantized_absent);
    EXPECT_TRUE(std::isnan(dequantize(kept, quantized_absent)));
    EXPECT_NE(quantize(kept, std::numeric_limits<double>::infinity()), quantized_absent);
  }
}

TEST(DeviceHistory, ASecondHoldsItsLastSampleAndLongerBinsAMeanOrMaximum) {
  DeviceHistory history(seconds(1), history_bytes_max);
  const double loads[] = {0.2, 0.4, 0.9};
  const double watts[] = {300, 700, 500};
  const double throttles[] = {0, throttle_sw_power_cap, throttle_gpu_idle};
  for (int i = 0; i < 3; ++i) {
    history.take(whole_minute + milliseconds(300 * i),
                 batch_of("a", 4,
                          {{Metric::utilization, loads[i]},
                           {Metric::power, watts[i]},
                           {Metric::throttle, throttles[i]},
                           {Metric::memory_used, 20e9 * (3 - i)},
                           {Metric::memory_total, 80e9}}));
  }
  const Instant at = whole_minute + milliseconds(900);
  const DeviceId device{"a", 4};
  EXPECT_NEAR(load_at(history, device, by_second, at), 0.9, 1e-4);
  EXPECT_NEAR(value_at(history, device, HistoryMetric::power, by_second, at), 500, 0.1);
  for (const HistoryResolution resolution : {by_ten, by_minute}) {
    EXPECT_NEAR(load_at(history, device, resolution, at), 0.5, 1e-4);
    EXPECT_NEAR(value_at(history, device, HistoryMetric::power, resolution, at), 700, 0.1);
    EXPECT_NEAR(value_at(history, device, HistoryMetric::memory, resolution, at), 0.75, 1e-4);
    EXPECT_NEAR(value_at(history, device, HistoryMetric::throttled, resolution, at), 1.0 / 3, 1e-4)
        << "idleness slows nobody";
    EXPECT_TRUE(std::isnan(value_at(history, device, HistoryMetric::clock, resolution, at)));
  }
}

TEST(DeviceHistory, BinsAreAlignedToTimeNotToTheFirstSample) {
  DeviceHistory history(seconds(1), history_bytes_max);
  history.take(whole_minute + milliseconds(9'500), loads_of("a", 1, 0.1));
  history.take(whole_minute + milliseconds(10'500), loads_of("a", 1, 0.9));
  const HistoryBins bins =
      history.read({"a", 0}, HistoryMetric::utilization, by_ten, whole_minute + seconds(11), 3);
  EXPECT_EQ(bins.begin, whole_minute - seconds(10));
  EXPECT_EQ(bins.bin, seconds(10));
  EXPECT_TRUE(std::isnan(bins.values[0]));
  EXPECT_NEAR(bins.values[1], 0.1, 1e-4);
  EXPECT_NEAR(bins.values[2], 0.9, 1e-4);
}

TEST(DeviceHistory, ASecondBinCoversOneWallSecondOfFleetTime) {
  DeviceHistory history(seconds(20), history_bytes_max);
  for (int i = 0; i < 40; ++i) {
    history.take(whole_minute + seconds(i), loads_of("a", 1, i < 20 ? 0.25 : 0.75));
  }
  const auto bins =
      history.read({"a", 0}, HistoryMetric::utilization, by_second, whole_minute + seconds(39), 2);
  EXPECT_EQ(bins.bin, seconds(20));
  EXPECT_NEAR(bins.values[0], 0.25, 1e-4);
  EXPECT_NEAR(bins.values[1], 0.75, 1e-4);
  EXPECT_NEAR(load_at(history, {"a", 0}, by_ten, whole_minute + seconds(39)), 0.5, 1e-4);
}

TEST(DeviceHistory, SilenceLeavesAGapAndAffectsNoOtherHost) {
  DeviceHistory history(seconds(1), history_bytes_max);
  const auto silent = [](int second) { return second >= 110 && second < 120; };
  for (int i = 0; i < 130; ++i) {
    const Instant at = whole_minute + seconds(i);
    if (!silent(i)) history.take(at, loads_of("a", 2, 0.5));
    history.take(at, loads_of("b", 1, 1));
  }
  const Instant now = whole_minute + seconds(129);
  const auto quiet = history.read({"a", 1}, HistoryMetric::utilization, by_second, now, 60);
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(std::isnan(quiet.values[static_cast<std::size_t>(i)]), silent(70 + i)) << i;
  }
  EXPECT_TRUE(
      std::isnan(load_at(history, {"a", 1}, by_ten, whole_minute + seconds(120) - Duration(1))));
  EXPECT_NEAR(load_of(history, {"b", 0}, whole_minute + seconds(115)), 1, 1e-4);
  EXPECT_TRUE(std::isnan(load_of(history, {"c", 0}, whole_minute + seconds(115))));
  EXPECT_TRUE(std::isnan(load_of(history, {"a", 2}, whole_minute + seconds(105))));
}

TEST(DeviceHistory, EachResolutionExpiresAtItsOwnRate) {
  DeviceHistory history(seconds(1), history_bytes_max);
  for (int i = 0; i < 7'300; ++i) history.take(whole_minute + seconds(i), loads_of("a", 1, 0.5));
  const Instant now = whole_minute + seconds(7'299);
  const auto known = [&](HistoryResolution resolution) {
    int count = 0;
    for (const double value :
         history.read({"a", 0}, HistoryMetric::utilization, resolution, now, 1'000).values) {
      count += std::isnan(value) ? 0 : 1;
    }
    return count;
  };
  EXPECT_EQ(known(by_second), 60);
  EXPECT_EQ(known(by_ten), 60);
  EXPECT_EQ(known(by_minute), 120);
  EXPECT_EQ(retention_text(history.retention()), "60s at 1s, 10m at 10s, 2h at 1m");
}

/// What was answered for a bin once it was over is answered ever after, until it is forgotten; and
/// of a moment that is past nothing is told that came after it.
TEST(DeviceHistory, ReturnsPastMomentsUnchangedOrNotAtAll) {
  DeviceHistory history(seconds(1), history_bytes_max);
  RandomStream random(3);
  struct Asked {
    Instant at;
    HistoryResolution resolution;
    HistoryBins answer;
  };
  std::vector<Asked> asked;
  Instant now = whole_minute;
  int compared = 0;
  for (int i = 0; i < 900; ++i) {
    now += milliseconds(200 + random.below(1'600));
    if (random.below(10) > 0) history.take(now, loads_of("a", 1, random.uniform()));
    for (const HistoryResolution resolution : {by_second, by_ten, by_minute}) {
      asked.push_back({now, resolution,
                       history.read({"a", 0}, HistoryMetric::utilization, resolution, now, 8)});
    }
    const Asked& before = asked[random.below(asked.size())];
    const HistoryBins again =
        history.read({"a", 0}, HistoryMetric::utilization, before.resolution, before.at, 8);
    for (std::size_t bin = 0; bin < 8; ++bin) {
      if (std::isnan(again.values[bin])) continue;
      ++compared;
      ASSERT_TRUE(same(again.values[bin], before.answer.values[bin])) << i << ", bin " << bin;
    }
  }
  EXPECT_GT(compared, 1'000);
}

TEST(DeviceHistory, LateSamplesAreIgnored) {
  DeviceHistory history(seconds(1), history_bytes_max);
  history.take(whole_minute + seconds(5), loads_of("a", 1, 0.5));
  history.take(whole_minute + seconds(2), loads_of("a", 1, 1));
  EXPECT_TRUE(std::isnan(load_of(history, {"a", 0}, whole_minute + seconds(2))));
  EXPECT_NEAR(load_at(history, {"a", 0}, by_second, whole_minute + seconds(5)), 0.5, 1e-4);
}

TEST(DeviceHistory, AHostMayGetMoreDevicesAndSendThemInAnyOrderAndInParts) {
  DeviceHistory history(seconds(1), history_bytes_max);
  history.take(whole_minute, batch_of("a", 7, {{Metric::utilization, 0.7}}));
  history.take(whole_minute, batch_of("a", 2, {{Metric::utilization, 0.2}}));
  const std::vector<Sample> rows = {sample_of(9, {{Metric::utilization, 0.9}}),
                                    sample_of(2, {{Metric::utilization, 0.4}})};
  history.take(whole_minute + seconds(1), pack("a", rows));
  EXPECT_NEAR(load_of(history, {"a", 7}, whole_minute), 0.7, 1e-4);
  EXPECT_NEAR(load_of(history, {"a", 2}, whole_minute), 0.2, 1e-4);
  EXPECT_NEAR(load_at(history, {"a", 2}, by_ten, whole_minute + seconds(1)), 0.3, 1e-4);
  EXPECT_NEAR(load_at(history, {"a", 9}, by_ten, whole_minute + seconds(1)), 0.9, 1e-4);
  EXPECT_EQ(history.devices(), 3u);
}

TEST(DeviceHistory, TheLongestRetentionIsHalvedThenDroppedThenTheNext) {
  const std::pair<int, const char*> cases[] = {
      {8, "60s at 1s, 10m at 10s, 2h at 1m"},
      {2'000, "60s at 1s, 10m at 10s, 2h at 1m"},
      {2'200, "60s at 1s, 10m at 10s, 1h at 1m"},
      {4'000, "60s at 1s, 10m at 10s"},
      {6'000, "60s at 1s, 150s at 10s"},
      {8'000, "60s at 1s"},
      {20'000, "15s at 1s"},
  };
  for (const auto& [devices, text] : cases) {
    constexpr std::size_t room = 10u << 20;
    DeviceHistory history(seconds(1), room);
    for (int host = 0; host * 8 < devices; ++host) {
      history.take(whole_minute + seconds(1), loads_of(std::to_string(host), 8, 0.5));
      ASSERT_LE(history.bytes(), room);
    }
    EXPECT_EQ(retention_text(history.retention()), text) << devices;
    EXPECT_EQ(history.left_out(), 0u);
    EXPECT_NEAR(load_at(history, {"0", 3}, by_second, whole_minute + seconds(1)), 0.5, 1e-4)
        << "what is kept survives the shortening";
  }
}

TEST(DeviceHistory, WhenFullTheFirstDevicesKeepTheirHistory) {
  DeviceHistory history(seconds(1), 64u << 10);
  for (int host = 0; host < 1'000; ++host) {
    history.take(whole_minute, loads_of(std::to_string(host), 8, 0.5));
    ASSERT_LE(history.bytes(), 64u << 10);
  }
  EXPECT_GT(history.left_out(), 0u);
  EXPECT_NEAR(load_at(history, {"0", 0}, by_second, whole_minute), 0.5, 1e-4);
  EXPECT_TRUE(std::isnan(load_at(history, {"999", 0}, by_second, whole_minute)));
}

TEST(DeviceHistory, DevicesSilentBeyondTheRetentionFreeTheirSpace) {
  DeviceHistory history(seconds(1), 10u << 20);
  for (int host = 0; host < 400; ++host) {
    history.take(whole_minute, loads_of(std::to_string(host), 8, 0.5));
  }
  const std::size_t all = history.bytes();
  EXPECT_EQ(history.retention().back().span_s, 30 * 60) << "3,200 devices";
  for (int i = 1; i <= 119; ++i) history.take(whole_minute + minutes(i), loads_of("0", 8, 0.25));
  EXPECT_EQ(history.bytes(), all);
  history.take(whole_minute + hours(2) + minutes(1), loads_of("0", 8, 0.25));
  EXPECT_EQ(history.devices(), 8u);
  EXPECT_LT(history.bytes(), all / 100);
  EXPECT_EQ(history.retention().back().span_s, 2 * 3600) << "there is room for more again";
  EXPECT_NEAR(load_at(history, {"0", 0}, by_minute, whole_minute + minutes(119) - Duration(1)),
              0.25, 1e-4);
}

TEST(DeviceHistory, InvalidBatchesAreIgnored) {
  DeviceHistory history(seconds(1), history_bytes_max);
  SampleBatch batch = loads_of("a", 2, 0.5);
  batch.columns[0].bytes.pop_back();
  history.take(whole_minute, batch);
  batch = loads_of("a", 2, 0.5);
  batch.devices[1] = batch.devices[0];
  history.take(whole_minute, batch);
  EXPECT_EQ(history.devices(), 0u);
}

TEST(DeviceHistory, ASmallerOneStartsFromTheSecondsOfAnother) {
  DeviceHistory whole(seconds(1), history_bytes_max);
  for (int i = 0; i < 90; ++i) {
    whole.take(whole_minute + seconds(i), batch_of("a", 5, {{Metric::temperature, i}}));
  }
  DeviceHistory small(seconds(1), history_bytes_max, {sparkline_metric_count, {120, 0, 0}});
  small.copy_seconds(whole);
  small.take(whole_minute + seconds(90), batch_of("a", 5, {{Metric::temperature, 90}}));
  const auto bins =
      small.read({"a", 5}, HistoryMetric::temperature, by_second, whole_minute + seconds(90), 91);
  for (int i = 0; i <= 90; ++i) {
    const double value = bins.values[static_cast<std::size_t>(i)];
    EXPECT_TRUE(same(value, i < 30 ? absent : i)) << i << ": " << value;
  }
  EXPECT_EQ(retention_text(small.retention()), "120s at 1s");
}

}  // namespace
}  // namespace drover::tui
