// Work keeps away from devices that slow down for heat, or soon will, and comes back at once when
// they have cooled.
#include <gtest/gtest.h>

#include "tests/router/small_fleet.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

// The H100's software slows it down at 87 C.
constexpr double limit_c = 87;

struct Hall : SmallFleet {
  Hall()
      : SmallFleet(
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
  Decision chat() { return SmallFleet::decide(request()).decision; }
  bool hot(HostIndex host, std::uint16_t number) const {
    return (roster.devices().condition[roster.hosts()[host].devices[number]] & condition_hot) != 0;
  }
  void warm_one(std::uint16_t number) {
    Sample row;
    row.device = number;
    row[Metric::throttle] = throttle_thermal_software;
    row[Metric::temperature] = limit_c;
    now += seconds(1);
    roster.apply(now, big, ++sample_sequence, pack("big-1", std::vector<Sample>{row}));
  }

  HostIndex big;
  HostIndex spare;
};

TEST(Heat, ADeviceThatThrottlesForHeatSendsWorkElsewhere) {
  Hall hall;
  EXPECT_EQ(hall.chat().pool, "big");
  hall.at(hall.big, limit_c, throttle_thermal_software);
  hall.at(hall.spare, 60);
  const Decision away = hall.chat();
  EXPECT_EQ(away.pool, "spare");
  EXPECT_EQ(away.fallback_reason, Reason::thermal);
}

TEST(Heat, ADeviceThatWillReachItsLimitWithinSecondsIsLeftInTime) {
  Hall hall;
  hall.at(hall.big, 84);
  hall.at(hall.big, 85.5);
  EXPECT_TRUE(hall.hot(hall.big, 0)) << "1.5 K a second, 1.5 K below the limit";
}

TEST(Heat, ADeviceThatIsWarmAndSteadyIsNotLeft) {
  Hall hall;
  for (const double warm_c : {84.0, 84.9, 85.1, 85.2, 85.2}) hall.at(hall.big, warm_c);
  hall.at(hall.spare, 60);
  EXPECT_FALSE(hall.hot(hall.big, 0));
  EXPECT_EQ(hall.chat().pool, "big");
}

TEST(Heat, AHotDeviceStaysHotUntilItIsWellBelowItsLimit) {
  Hall hall;
  hall.at(hall.big, limit_c, throttle_thermal_software);
  for (const double cooling_c : {86.0, 84.0, 82.0}) {
    hall.at(hall.big, cooling_c);
    EXPECT_TRUE(hall.hot(hall.big, 0)) << cooling_c << ": it would flap";
  }
  hall.at(hall.big, limit_c - heat_release_c);
  hall.at(hall.spare, 60);
  EXPECT_FALSE(hall.hot(hall.big, 0));
  const Decision back = hall.chat();
  EXPECT_EQ(back.pool, "big") << "wanted again at once";
  EXPECT_FALSE(back.fallback_reason.has_value());
}

TEST(Heat, ADeviceThatIsBrakedForAnotherReasonIsNotHot) {
  Hall hall;
  hall.at(hall.big, 60, throttle_hardware_slowdown);
  EXPECT_FALSE(hall.hot(hall.big, 0)) << "a power brake on a cool device";
  hall.at(hall.big, limit_c - 4, throttle_hardware_slowdown);
  hall.at(hall.big, limit_c - 4);
  EXPECT_FALSE(hall.hot(hall.big, 0)) << "warm and steady when the brake is let go";
  hall.at(hall.spare, 60);
  EXPECT_EQ(hall.chat().pool, "big");
  hall.at(hall.big, limit_c, throttle_hardware_slowdown | throttle_thermal_hardware);
  EXPECT_TRUE(hall.hot(hall.big, 0));
}

TEST(Heat, AGangTakesTheCoolDevicesOfAGroup) {
  Hall hall;
  hall.warm_one(1);
  hall.sample(hall.spare, {{Metric::temperature, 60}});
  const Verdict two = hall.decide(hall.training(2));
  ASSERT_TRUE(two.place);
  EXPECT_EQ(two.place->devices, (std::vector<std::uint16_t>{2, 3}));
  const Decision three = hall.decide(hall.training(3)).decision;
  EXPECT_EQ(three.pool, "spare") << "only with the hot one are there three";
  EXPECT_EQ(three.fallback_reason, Reason::thermal);
}

TEST(Heat, AnUnusableDeviceIsNeverTaken) {
  Hall hall;
  hall.roster.set_usable(hall.big, 2, false);
  const Verdict two = hall.decide(hall.training(2));
  ASSERT_TRUE(two.place);
  EXPECT_EQ(two.place->devices, (std::vector<std::uint16_t>{1, 3}))
      << "device 0 has a replica, device 2 is unusable";
  const Decision four = hall.decide(hall.training(4)).decision;
  EXPECT_GT(rejected(four, Reason::unhealthy), 0U) << "no four usable ones in that group";
  hall.roster.set_usable(hall.big, 2, true);
  EXPECT_EQ(hall.decide(hall.training(2)).place->devices, (std::vector<std::uint16_t>{2, 3}));
}

TEST(Heat, WattsOfAReplicasRequestsAreReservedWhileTheyRunAndSamplesShowThemNot) {
  Hall hall;
  const double idle_w = hall.roster.power_w();
  const ReplicaIndex replica = *hall.roster.find_replica(hall.big, 0);
  const double open_w = hall.roster.groups()[0].spec->open_w;
  const auto promised =
      hall.roster.promise_request(hall.now, replica, 10, hall.now + seconds(5), Duration{0}, {300});
  EXPECT_NEAR(hall.roster.promised_w(), open_w + 300 - 100, 0.1);
  hall.roster.promise_request(hall.now, replica, 10, hall.now + seconds(5), Duration{0}, {350});
  EXPECT_NEAR(hall.roster.promised_w(), open_w + 350 - 100, 0.1) << "a level, not a sum";
  hall.now += seconds(1);
  hall.sample(hall.big, {{Metric::power, 400}});
  EXPECT_NEAR(hall.roster.promised_w(), open_w + 350 - 400, 0.1);
  hall.now += seconds(1);
  hall.sample(hall.big, {{Metric::power, 480}});
  EXPECT_NEAR(hall.roster.promised_w(), 0, 0.01);
  hall.now += promised_power_span;
  hall.sample(hall.big, {{Metric::power, 100}});
  EXPECT_EQ(hall.roster.power_w(), idle_w);
  EXPECT_NEAR(hall.roster.promised_w(), open_w + 350 - 100, 0.1) << "a pause: they run on";
  hall.roster.release_request(replica, 10, promised);
  hall.roster.release_request(replica, 10);
  hall.sample(hall.big, {{Metric::power, 100}});
  EXPECT_EQ(hall.roster.promised_w(), 0);
}

TEST(Heat, APromiseIsGivenBackWithItsRequest) {
  Hall hall;
  const ReplicaIndex replica = *hall.roster.find_replica(hall.big, 0);
  hall.roster.promise_request(hall.now, replica, 10, hall.now + seconds(5), Duration{0}, {300});
  hall.roster.promise_request(hall.now, replica, 10, hall.now + seconds(5), Duration{0}, {400});
  const double both_w = hall.roster.promised_w();
  hall.roster.release_request(replica, 10);
  EXPECT_NEAR(both_w - hall.roster.promised_w(), 200, 0.1);
  hall.roster.release_request(replica, 10);
  EXPECT_NEAR(both_w - hall.roster.promised_w(), 400, 0.1) << "what is left opens the device";
}

}  // namespace
}  // namespace drover::router
