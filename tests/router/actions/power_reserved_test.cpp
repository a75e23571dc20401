// Under a cap a place is judged by the watts that would be reserved for the work there, no more and
// no less.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/router/decision_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

struct Capped : DecisionFixture {
  Capped()
      : DecisionFixture(
            "[policy]\nname = \"t\"\ndefault_action = \"queue\"\n"
            "[pool.big]\nmatch = { kind = \"gpu\" }\n"
            "[[rule]]\nname = \"all\"\npools = [\"big\"]\nscore = { queue = 1 }\n"),
        host(add_host("big-1", "h100-sxm", 8)) {
    draw(100);
  }
  ReplicaIndex add(std::vector<std::uint16_t> devices, std::uint32_t number = 0) {
    const ReplicaIndex replica =
        add_replica(host, number, "llama-3.1-8b", std::move(devices), Precision::bf16);
    Replica more = fleet_state.replicas()[replica].replica;
    more.batch_max = 512;
    more.kv_capacity_tokens = 10'000'000;
    return fleet_state.apply(now, host, more);
  }
  void draw(double each_w) {
    now += seconds(1);
    sample(host, {{Metric::power, each_w}});
  }
  double believed_w() const { return fleet_state.power_w() + fleet_state.reserved_w(); }
  void cap(double watts) { policy.limits.site_power_cap_w = watts; }
  /// Decides one request, and promises it where it goes.
  bool place_one() {
    const PlacementResult result = DecisionFixture::decide(request());
    if (!result.place) return false;
    const Allocation& place = *result.place;
    fleet_state.reserve_request(now, *place.replica, 640, now + seconds(5),
                                from_seconds(place.first_token_s - place.wait_s), place.serving);
    return true;
  }
  double context_idle_w() const { return fleet_state.groups()[0].spec->power.context_idle_w; }
  /// What a replica of so many devices draws with so many requests, prompts being read.
  double level_w(int devices, std::uint32_t requests) {
    const devices::Placement placement{fleet_state.groups()[0].spec, devices, Precision::bf16};
    const Job job = request();
    const Estimator::Run run =
        estimator.serving(placement, *ask(job).model).run(job.work, requests);
    return context_idle_w() * devices + std::max(run.power_w, run.prompt_w);
  }

  HostIndex host;
};

TEST(PowerReserved, ARequestThatAddsNoWattsIsPlacedThoughNoneAreLeft) {
  Capped fleet;
  fleet.add({0});
  ASSERT_TRUE(fleet.place_one());
  // Decoding two requests reads the same weights as decoding one.
  ASSERT_LT(fleet.level_w(1, 2) - fleet.level_w(1, 1), 5);
  fleet.cap(fleet.believed_w() + 5);
  EXPECT_TRUE(fleet.place_one());
}

TEST(PowerReserved, EstimatedPowerNeverExceedsTheCapAsTheBatchGrows) {
  for (const double sampled_w : {100.0, 250.0, 400.0}) {
    Capped fleet;
    fleet.add({0});
    fleet.draw(sampled_w);
    fleet.cap(fleet.believed_w());
    int placed = 0;
    int waited = 0;
    while (placed < 300) {
      if (fleet.place_one()) {
        ++placed;
        EXPECT_LE(fleet.believed_w(), fleet.policy.limits.site_power_cap_w + 0.01) << placed;
        continue;
      }
      ++waited;
      fleet.cap(fleet.policy.limits.site_power_cap_w + 2);
    }
    EXPECT_GT(waited, 3) << sampled_w;
  }
}

TEST(PowerReserved, HoldsBackNoRequestThatWouldStayBelowTheCap) {
  Capped fleet;
  fleet.add({0});
  fleet.cap(fleet.believed_w());
  const double others_w = 7 * 100;
  for (std::uint32_t placed = 0; placed < 300;) {
    if (fleet.place_one()) {
      ++placed;
      continue;
    }
    EXPECT_GT(others_w + fleet.level_w(1, placed + 1), fleet.policy.limits.site_power_cap_w)
        << placed;
    fleet.cap(fleet.policy.limits.site_power_cap_w + 2);
  }
}

TEST(PowerReserved, HeldWorkReportsThePowerItNeeds) {
  for (const double slo_s : {0.0, 1e-9}) {  // a wish, given up before the power is
    Capped fleet;
    fleet.add({0});
    fleet.policy.rules[0].slo_ttft_s = slo_s;
    fleet.cap(fleet.believed_w() + 5);
    const PlacementResult result = fleet.DecisionFixture::decide(fleet.request());
    ASSERT_EQ(result.decision.action, Action::queue);
    ASSERT_TRUE(result.required_power_w) << slo_s;
    EXPECT_GT(*result.required_power_w, 5);
  }
}

TEST(PowerReserved, ADeviceThatIsCappedAddsNoMoreThanItsCapAllows) {
  Capped fleet;
  const ReplicaIndex replica = fleet.add({0});
  const ServingPower hungry{2000, 2000};  // more than it is made for
  const double open = fleet.fleet_state.added_w(replica, hungry);
  fleet.now += seconds(1);
  fleet.sample(fleet.host, {{Metric::power, 100}, {Metric::power_cap, 300}});
  EXPECT_NEAR(fleet.fleet_state.added_w(replica, hungry), 200, 0.5);
  EXPECT_GT(open, 1500);
}

TEST(PowerReserved, PowerThatSamplesAlreadyShowIsNotAddedAgain) {
  Capped fleet;
  fleet.add({0, 1, 2, 3});
  for (int request = 0; request < 2; ++request) ASSERT_TRUE(fleet.place_one());
  fleet.draw(fleet.level_w(4, 2) / 4 + 1);
  // One of the two ends: until the next sample the devices draw what they drew.
  fleet.fleet_state.release_request(*fleet.fleet_state.find_replica(fleet.host, 0), 640);
  fleet.cap(fleet.believed_w() + 1);
  EXPECT_TRUE(fleet.place_one());
  EXPECT_LE(fleet.believed_w(), fleet.policy.limits.site_power_cap_w);
}

TEST(PowerReserved, ReplicasOnOneDeviceAreCheckedAgainstTheirCombinedPower) {
  Capped fleet;
  fleet.add({0}, 0);
  fleet.add({0}, 1);
  for (int placed = 0; placed < 20; ++placed) {
    const PlacementResult result = fleet.decide(fleet.request());
    ASSERT_TRUE(result.place);
    const double before_w = fleet.believed_w();
    const double added_w = fleet.fleet_state.added_w(*result.place->replica, result.place->serving);
    fleet.fleet_state.reserve_request(fleet.now, *result.place->replica, 640,
                                      fleet.now + seconds(5), seconds(1), result.place->serving);
    EXPECT_NEAR(fleet.believed_w() - before_w, added_w, 0.01) << placed;
    if (placed % 5 == 4) fleet.draw(120 + 10 * placed);
  }
}

TEST(PowerReserved, PrefillPowerStaysReservedUntilPrefillEndsWhateverSamplesShow) {
  Capped fleet;
  const ReplicaIndex replica = fleet.add({0});
  const double others_w = 7 * 100;
  const ServingPower power{200, 400};
  const auto reservation = [&](Duration prompt) {
    fleet.fleet_state.reserve_request(fleet.now, replica, 640, fleet.now + seconds(30), prompt,
                                      power);
  };
  reservation(seconds(3));
  EXPECT_NEAR(fleet.believed_w(), others_w + fleet.context_idle_w() + 400, 0.01);
  reservation(seconds(2));
  for (int second = 1; second < 5; ++second) {
    fleet.draw(second == 2 ? fleet.context_idle_w() + 410
                           : 100);  // one sample shows a prompt, then a pause
    const double others_draw_w = second == 2 ? 7 * (fleet.context_idle_w() + 410) : others_w;
    const double level_w = second == 2 ? 410 : 400;
    EXPECT_NEAR(fleet.believed_w(), others_draw_w + fleet.context_idle_w() + level_w, 0.01)
        << second;
  }
  fleet.draw(100);
  EXPECT_NEAR(fleet.believed_w(), others_w + fleet.context_idle_w() + 200, 0.01)
      << "decoding from here on";
  fleet.fleet_state.release_request(replica, 640);
  reservation(seconds(3));
  EXPECT_NEAR(fleet.believed_w(), others_w + fleet.context_idle_w() + 400, 0.01);
  fleet.fleet_state.release_request(replica, 640);
  fleet.fleet_state.release_request(replica, 640);
  EXPECT_LE(fleet.believed_w(), others_w + fleet.context_idle_w() + 0.01)
      << "nothing is left to be read";
}

TEST(PowerReserved, PrefillsThatOverrunTheirEstimateStayReservedWhileSamplesShowThem) {
  Capped fleet;
  const ReplicaIndex replica = fleet.add({0});
  fleet.fleet_state.reserve_request(fleet.now, replica, 640, fleet.now + seconds(60), seconds(1),
                                    {200, 400});
  // Read between steps of decoding, every third second shows a part of it.
  for (int second = 1; second <= 30; ++second) {
    const bool reads = second % 3 == 2;
    const double drawn_w = fleet.context_idle_w() + (reads ? 400 : 200);
    fleet.draw(drawn_w);
    const double expected_w = second < 2 ? drawn_w : fleet.context_idle_w() + 400;
    EXPECT_NEAR(fleet.believed_w() - 7 * drawn_w, expected_w, 0.01) << second;
  }
  for (int second = 1; second <= 12; ++second) fleet.draw(fleet.context_idle_w() + 200);
  EXPECT_NEAR(fleet.believed_w(), 8 * (fleet.context_idle_w() + 200), 0.01)
      << "nothing more is read";
}

}  // namespace
}  // namespace drover::router
