// What colours the heat map: one scale for GPUs and TPUs, and what is missing is never cold.
#include "tui/map/map_metric.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

/// A host of one device of that kind, and its one sample.
Model model_with(const std::string& kind, const Sample& sample) {
  Model model{std::chrono::seconds(1)};
  HostChanged host;
  host.registration.host = "a";
  host.registration.specs = {{kind, std::string(sample_spec_text(kind))}};
  host.registration.groups = {{0, 0, 1, kind, "", sample_cap_w(kind)}};
  model.apply(SampleFleet::start, {"router", 1, SampleFleet::start, host});
  model.apply(SampleFleet::start,
              {"a", 1, SampleFleet::start, pack("a", std::vector<Sample>{sample})});
  return model;
}

TEST(MapMetric, EachHasItsScale) {
  Sample sample;
  sample[Metric::utilization] = 0.9;
  sample[Metric::tensor_activity] = 0.4;
  sample[Metric::memory_used] = 20e9;
  sample[Metric::memory_total] = 80e9;
  sample[Metric::power] = 350;
  sample[Metric::temperature] = 53.5;
  sample[Metric::queue] = 9;
  const Model model = model_with("h100-sxm", sample);
  struct Case {
    MapMetric metric;
    double share, display_value;
    const char* text;
  };
  for (const Case& c : {Case{MapMetric::utilization, 0.9, 90, "90%"},
                        {MapMetric::mfu, 0.4, 40, "40%"},
                        {MapMetric::memory, 0.25, 25, "25%"},
                        {MapMetric::power, 0.5, 50, "50%"},
                        {MapMetric::temperature, 0.5, 53.5, "54C"},  // of 20 to 87 C
                        {MapMetric::queue, std::log(10) / std::log(101), 9, "9.0"},
                        {MapMetric::age, 0.4, 2, "2.0s"}}) {
    const MapValue reading =
        map_value(model, SampleFleet::start + std::chrono::seconds(2), 0, c.metric);
    EXPECT_NEAR(reading.share, c.share, 0.001) << facts(c.metric).name;
    EXPECT_NEAR(reading.display_value, c.display_value, 0.001) << facts(c.metric).name;
    EXPECT_EQ(map_value_text(c.metric, reading.display_value), c.text);
    EXPECT_TRUE(reading.known() && !reading.assumed) << facts(c.metric).name;
  }
}

TEST(MapMetric, AMissingValueIsNoData) {
  const Model model = model_with("h100-sxm", {});
  for (const MapMetricFacts& metric : map_metrics()) {
    if (metric.metric == MapMetric::age) continue;
    const MapValue reading = map_value(model, SampleFleet::start, 0, metric.metric);
    EXPECT_FALSE(reading.known()) << metric.name;
    EXPECT_EQ(map_value_text(metric.metric, reading.display_value), "N/A") << metric.name;
  }
}

TEST(MapMetric, AnUnreportedLimitIsAssumedAndMarked) {
  Sample sample;
  sample[Metric::temperature] = 60;
  const MapValue told =
      map_value(model_with("h100-sxm", sample), SampleFleet::start, 0, MapMetric::temperature);
  EXPECT_NEAR(told.share, 40.0 / 67, 0.001);
  EXPECT_FALSE(told.assumed);
  const MapValue guessed =
      map_value(model_with("tpu-v5e", sample), SampleFleet::start, 0, MapMetric::temperature);
  EXPECT_NEAR(guessed.share, 0.5, 0.001);
  EXPECT_TRUE(guessed.assumed);
}

TEST(MapMetric, OldValuesAreUnknownButTheirAgeIsKnown) {
  Sample sample;
  sample[Metric::utilization] = 0.5;
  const Model model = model_with("h100-sxm", sample);
  const Instant later = SampleFleet::start + std::chrono::seconds(6);
  const MapValue load = map_value(model, later, 0, MapMetric::utilization);
  EXPECT_FALSE(load.known());
  EXPECT_NEAR(load.display_value, 50, 0.001);
  const MapValue age = map_value(model, later, 0, MapMetric::age);
  EXPECT_TRUE(age.known());
  EXPECT_NEAR(age.share, 6.0 / 5, 0.001);
}

}  // namespace
}  // namespace drover::tui
