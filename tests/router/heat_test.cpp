// Work keeps away from devices that slow down for heat, or soon will, and comes back at once when
// they have cooled.
#include <gtest/gtest.h>

#include "tests/router/decision_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

// The H100's software slows it down at 87 C.
constexpr double limit_c = 87;

struct HotPoolFixture : DecisionFixture {
  HotPoolFixture()
      : DecisionFixture(
            "[policy]\nname = \"t\"\ndefault_action = \"queue\"\n"
            "[pool.big]\nmatch = { kind = \"gpu\", model = \"h100*\" }\n"
            "[pool.spare]\nmatch = { kind = \"gpu\", model = \"a100*\" }\n"
            "[[rule]]\nname = \"all\"\npools = [\"big\", \"spare\"]\nscore = { queue = 1 }\n"),
        big(add_host("big-1", "h100-sxm", 4)),
        spare(add_host("spare-1", "a100-sxm-80gb", 4)) {
    add_replica(big, 0, "llama-3.1-8b", {0});
    add_replica(spare, 0, "llama-3.1-8b", {0});
    at(big, 60);
    at(spare, 60);
  }
  /// A second later all devices of the host are so warm.
  void at(HostIndex host, double temperature_c, std::uint32_t throttle = 0) {
    now += seconds(1);
    sample(
        host,
        {{Metric::temperature, temperature_c}, {Metric::throttle, throttle}, {Metric::power, 100}});
  }
  Decision chat() { return DecisionFixture::decide(request()).decision; }
  bool hot(HostIndex host, std::uint16_t number) const {
    return (fleet_state.devices().condition[fleet_state.hosts()[host].devices[number]] &
            condition_hot) != 0;
  }
  void warm_one(std::uint16_t number) {
    Sample row;
    row.device = number;
    row[Metric::throttle] = throttle_sw_thermal_slowdown;
    row[Metric::temperature] = limit_c;
    now += seconds(1);
    fleet_state.apply(now, big, ++sample_sequence, pack("big-1", std::vector<Sample>{row}));
  }

  HostIndex big;
  HostIndex spare;
};

TEST(ThermalPlacement, AThermallyThrottledDeviceSendsWorkElsewhere) {
  HotPoolFixture fixture;
  EXPECT_EQ(fixture.chat().pool, "big");
  fixture.at(fixture.big, limit_c, throttle_sw_thermal_slowdown);
  fixture.at(fixture.spare, 60);
  const Decision away = fixture.chat();
  EXPECT_EQ(away.pool, "spare");
  EXPECT_EQ(away.fallback_reason, Reason::thermal);
}

TEST(ThermalPlacement, ADeviceSecondsFromItsLimitCountsAsHot) {
  HotPoolFixture fixture;
  fixture.at(fixture.big, 84);
  fixture.at(fixture.big, 85.5);
  EXPECT_TRUE(fixture.hot(fixture.big, 0)) << "1.5 K a second, 1.5 K below the limit";
}

TEST(ThermalPlacement, AWarmButSteadyDeviceIsStillUsed) {
  HotPoolFixture fixture;
  for (const double warm_c : {84.0, 84.9, 85.1, 85.2, 85.2}) fixture.at(fixture.big, warm_c);
  fixture.at(fixture.spare, 60);
  EXPECT_FALSE(fixture.hot(fixture.big, 0));
  EXPECT_EQ(fixture.chat().pool, "big");
}

TEST(ThermalPlacement, AHotDeviceStaysHotUntilItIsWellBelowItsLimit) {
  HotPoolFixture fixture;
  fixture.at(fixture.big, limit_c, throttle_sw_thermal_slowdown);
  for (const double cooling_c : {86.0, 84.0, 82.0}) {
    fixture.at(fixture.big, cooling_c);
    EXPECT_TRUE(fixture.hot(fixture.big, 0)) << cooling_c << ": it would flap";
  }
  fixture.at(fixture.big, limit_c - hot_release_c);
  fixture.at(fixture.spare, 60);
  EXPECT_FALSE(fixture.hot(fixture.big, 0));
  const Decision back = fixture.chat();
  EXPECT_EQ(back.pool, "big") << "wanted again at once";
  EXPECT_FALSE(back.fallback_reason.has_value());
}

TEST(ThermalPlacement, ADeviceThrottledForAnotherReasonIsNotHot) {
  HotPoolFixture fixture;
  fixture.at(fixture.big, 60, throttle_hw_slowdown);
  EXPECT_FALSE(fixture.hot(fixture.big, 0)) << "a power brake on a cool device";
  fixture.at(fixture.big, limit_c - 4, throttle_hw_slowdown);
  fixture.at(fixture.big, limit_c - 4);
  EXPECT_FALSE(fixture.hot(fixture.big, 0)) << "warm and steady when the brake is let go";
  fixture.at(fixture.spare, 60);
  EXPECT_EQ(fixture.chat().pool, "big");
  fixture.at(fixture.big, limit_c, throttle_hw_slowdown | throttle_hw_thermal_slowdown);
  EXPECT_TRUE(fixture.hot(fixture.big, 0));
}

TEST(ThermalPlacement, AGangUsesTheCoolDevicesOfAGroup) {
  HotPoolFixture fixture;
  fixture.warm_one(1);
  fixture.sample(fixture.spare, {{Metric::temperature, 60}});
  const PlacementResult two = fixture.decide(fixture.training(2));
  ASSERT_TRUE(two.place);
  EXPECT_EQ(two.place->devices, (std::vector<std::uint16_t>{2, 3}));
  const Decision three = fixture.decide(fixture.training(3)).decision;
  EXPECT_EQ(three.pool, "spare") << "only with the hot one are there three";
  EXPECT_EQ(three.fallback_reason, Reason::thermal);
}

TEST(ThermalPlacement, AnUnusableDeviceIsNeverUsed) {
  HotPoolFixture fixture;
  fixture.fleet_state.set_usable(fixture.big, 2, false);
  const PlacementResult two = fixture.decide(fixture.training(2));
  ASSERT_TRUE(two.place);
  EXPECT_EQ(two.place->devices, (std::vector<std::uint16_t>{1, 3}))
      << "device 0 has a replica, device 2 is unusable";
  const Decision four = fixture.decide(fixture.training(4)).decision;
  EXPECT_GT(rejected(four, Reason::unhealthy), 0U) << "no four usable ones in that group";
  fixture.fleet_state.set_usable(fixture.big, 2, true);
  EXPECT_EQ(fixture.decide(fixture.training(2)).place->devices, (std::vector<std::uint16_t>{2, 3}));
}

TEST(ThermalPlacement, ARequestsPowerIsReservedUntilSamplesShowIt) {
  HotPoolFixture fixture;
  const double idle_w = fixture.fleet_state.power_w();
  const ReplicaIndex replica = *fixture.fleet_state.find_replica(fixture.big, 0);
  const double context_idle_w = fixture.fleet_state.groups()[0].spec->power.context_idle_w;
  const auto promised = fixture.fleet_state.reserve_request(
      fixture.now, replica, 10, fixture.now + seconds(5), Duration{0}, {300});
  EXPECT_NEAR(fixture.fleet_state.reserved_w(), context_idle_w + 300 - 100, 0.1);
  fixture.fleet_state.reserve_request(fixture.now, replica, 10, fixture.now + seconds(5),
                                      Duration{0}, {350});
  EXPECT_NEAR(fixture.fleet_state.reserved_w(), context_idle_w + 350 - 100, 0.1)
      << "a level, not a sum";
  fixture.now += seconds(1);
  fixture.sample(fixture.big, {{Metric::power, 400}});
  EXPECT_NEAR(fixture.fleet_state.reserved_w(), context_idle_w + 350 - 400, 0.1);
  fixture.now += seconds(1);
  fixture.sample(fixture.big, {{Metric::power, 480}});
  EXPECT_NEAR(fixture.fleet_state.reserved_w(), 0, 0.01);
  fixture.now += reserved_power_timeout;
  fixture.sample(fixture.big, {{Metric::power, 100}});
  EXPECT_EQ(fixture.fleet_state.power_w(), idle_w);
  EXPECT_NEAR(fixture.fleet_state.reserved_w(), context_idle_w + 350 - 100, 0.1)
      << "a pause: they run on";
  fixture.fleet_state.release_request(replica, 10, promised);
  fixture.fleet_state.release_request(replica, 10);
  fixture.sample(fixture.big, {{Metric::power, 100}});
  EXPECT_EQ(fixture.fleet_state.reserved_w(), 0);
}

TEST(ThermalPlacement, APowerReservationIsReleasedWithItsRequest) {
  HotPoolFixture fixture;
  const ReplicaIndex replica = *fixture.fleet_state.find_replica(fixture.big, 0);
  fixture.fleet_state.reserve_request(fixture.now, replica, 10, fixture.now + seconds(5),
                                      Duration{0}, {300});
  fixture.fleet_state.reserve_request(fixture.now, replica, 10, fixture.now + seconds(5),
                                      Duration{0}, {400});
  const double both_w = fixture.fleet_state.reserved_w();
  fixture.fleet_state.release_request(replica, 10);
  EXPECT_NEAR(both_w - fixture.fleet_state.reserved_w(), 200, 0.1);
  fixture.fleet_state.release_request(replica, 10);
  EXPECT_NEAR(both_w - fixture.fleet_state.reserved_w(), 400, 0.1)
      << "what is left opens the device";
}

}  // namespace
}  // namespace drover::router
