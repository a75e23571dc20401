#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "router/fleet_state/fleet_state.h"
#include "tests/router/decision_fixture.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

TEST(FleetState, SamplesUpdateTheirColumnsAndAbsentValuesChangeNothing) {
  DecisionFixture fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 2);
  fleet.sample(host, {{Metric::power, 300},
                      {Metric::temperature, 50},
                      {Metric::memory_used, 4e9},
                      {Metric::throttle, 0x24},
                      {Metric::energy, 1234}});
  fleet.sample(host, {{Metric::power, 310}});
  const DeviceColumns& devices = fleet.fleet_state.devices();
  EXPECT_FLOAT_EQ(devices.power_w[1], 310);
  EXPECT_FLOAT_EQ(devices.temperature_c[1], 50);
  EXPECT_DOUBLE_EQ(devices.memory_used[1], 4e9);
  EXPECT_EQ(devices.throttle[1], 0x24U);
  EXPECT_EQ(devices.sampled[1], fleet.now);
  EXPECT_DOUBLE_EQ(fleet.fleet_state.power_w(), 620);
  EXPECT_DOUBLE_EQ(devices.energy_j[0] + devices.energy_j[1], 2468);
  fleet.fleet_state.set_health(fleet.now, host, Health::lost);
  EXPECT_EQ(fleet.fleet_state.power_w(), 0);
}

TEST(FleetState, AMetricIsUnknownUnlessTheLastSampleHadIt) {
  DecisionFixture fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 2);
  const auto read = [&](DeviceIndex device, Metric metric) {
    return reading(fleet.fleet_state.devices(), device, metric);
  };
  for (int metric = 0; metric < metric_count; ++metric) {
    EXPECT_TRUE(std::isnan(read(0, static_cast<Metric>(metric)))) << metric;
  }
  fleet.sample(host, {{Metric::power, 500}, {Metric::throttle, throttle_hw_slowdown}});
  EXPECT_EQ(read(0, Metric::power), 500);
  EXPECT_EQ(read(0, Metric::throttle), throttle_hw_slowdown);
  EXPECT_TRUE(std::isnan(read(0, Metric::utilization)));
  // The sensor of one device fails; decisions go on with its last value.
  std::vector<Sample> rows(2);
  rows[1].device = 1;
  for (Sample& row : rows) row[Metric::utilization] = 0;
  rows[1][Metric::power] = 0;
  fleet.fleet_state.apply(fleet.now, host, 1'000, pack("a", rows));
  EXPECT_TRUE(std::isnan(read(0, Metric::power)));
  EXPECT_TRUE(std::isnan(read(0, Metric::throttle)));
  EXPECT_EQ(fleet.fleet_state.devices().power_w[0], 500);
  EXPECT_EQ(read(1, Metric::power), 0);
  EXPECT_EQ(read(0, Metric::utilization), 0);
}

TEST(FleetState, CountsGapsAndUnknownRowsAndIgnoresRepeats) {
  DecisionFixture fleet(one_pool);
  const HostIndex host = fleet.add_host("a", "h100-sxm", 2);
  Sample known;
  known[Metric::power] = 100;
  Sample unknown;
  unknown.device = 700;
  const std::vector<Sample> rows = {known, unknown};
  const auto apply = [&](std::uint64_t sequence) {
    fleet.fleet_state.apply(fleet.now, host, sequence, pack("a", rows));
  };
  apply(5);  // the first one known: nothing is missing yet
  EXPECT_EQ(fleet.fleet_state.hosts()[host].sample_gaps, 0U);
  apply(6);
  apply(10);
  EXPECT_EQ(fleet.fleet_state.hosts()[host].sample_gaps, 3U);
  apply(7);  // older: a repeat
  EXPECT_EQ(fleet.fleet_state.hosts()[host].sample_gaps, 3U);
}

}  // namespace
}  // namespace drover::router
