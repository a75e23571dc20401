// What colours the heat map: one scale for GPUs and TPUs, and what is missing is never cold.
#include "tui/map/map_metric.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

constexpr Instant start = SampleFleet::start;

/// A host of one device of that kind, and its one sample.
Model model_with(const std::string& kind, const Sample& sample) {
  Model model{std::chrono::seconds(1)};
  HostChanged host;
  host.hello.host = "a";
  host.hello.specs = {{kind, std::string(sample_spec_text(kind))}};
  host.hello.groups = {{0, 0, 1, kind, "", sample_cap_w(kind)}};
  model.apply(start, {"router", 1, start, host});
  model.apply(start, {"a", 1, start, pack("a", std::vector<Sample>{sample})});
  return model;
}

TEST(MapMetric, EachHasItsScale) {
  Sample sample;
  sample[Metric::utilization] = 0.9;
  sample[Metric::matrix_activity] = 0.4;
  sample[Metric::memory_used] = 20e9;
  sample[Metric::memory_total] = 80e9;
  sample[Metric::power] = 350;
  sample[Metric::temperature] = 53.5;
  sample[Metric::queue] = 9;
  const Model model = model_with("h100-sxm", sample);
  struct Case {
    MapMetric metric;
    double share, figure;
    const char* text;
  };
  for (const Case& c : {Case{MapMetric::utilization, 0.9, 90, "90%"},
                        {MapMetric::useful_load, 0.4, 40, "40%"},
                        {MapMetric::memory, 0.25, 25, "25%"},
                        {MapMetric::power, 0.5, 50, "50%"},
                        {MapMetric::temperature, 0.5, 53.5, "54C"},  // of 20 to 87 C
                        {MapMetric::queue, std::log(10) / std::log(101), 9, "9.0"},
                        {MapMetric::age, 0.4, 2, "2.0s"}}) {
    const MapReading reading = map_reading(model, start + std::chrono::seconds(2), 0, c.metric);
    EXPECT_NEAR(reading.share, c.share, 0.001) << facts(c.metric).name;
    EXPECT_NEAR(reading.figure, c.figure, 0.001) << facts(c.metric).name;
    EXPECT_EQ(figure_text(c.metric, reading.figure), c.text);
    EXPECT_TRUE(reading.known() && !reading.assumed) << facts(c.metric).name;
  }
}

TEST(MapMetric, WhatIsMissingIsNoData) {
  const Model model = model_with("h100-sxm", {});
  for (const MapMetricFacts& metric : map_metrics()) {
    if (metric.metric == MapMetric::age) continue;
    const MapReading reading = map_reading(model, start, 0, metric.metric);
    EXPECT_FALSE(reading.known()) << metric.name;
    EXPECT_EQ(figure_text(metric.metric, reading.figure), "N/A") << metric.name;
  }
}

TEST(MapMetric, WhereNoLimitIsToldTheHotEndIsAssumedAndMarked) {
  Sample sample;
  sample[Metric::temperature] = 60;
  const MapReading told =
      map_reading(model_with("h100-sxm", sample), start, 0, MapMetric::temperature);
  EXPECT_NEAR(told.share, 40.0 / 67, 0.001);
  EXPECT_FALSE(told.assumed);
  const MapReading guessed =
      map_reading(model_with("tpu-v5e", sample), start, 0, MapMetric::temperature);
  EXPECT_NEAR(guessed.share, 0.5, 0.001);
  EXPECT_TRUE(guessed.assumed);
}

TEST(MapMetric, OldValuesAreNotKnownNowButTheirAgeIs) {
  Sample sample;
  sample[Metric::utilization] = 0.5;
  const Model model = model_with("h100-sxm", sample);
  const Instant later = start + std::chrono::seconds(6);
  const MapReading load = map_reading(model, later, 0, MapMetric::utilization);
  EXPECT_FALSE(load.known());
  EXPECT_NEAR(load.figure, 50, 0.001);
  const MapReading age = map_reading(model, later, 0, MapMetric::age);
  EXPECT_TRUE(age.known());
  EXPECT_NEAR(age.share, 6.0 / 5, 0.001);
}

}  // namespace
}  // namespace drover::tui
