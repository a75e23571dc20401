// Power caps that are met: how far devices' own caps go, by table; and through the router.
#include "router/actions/power_caps.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/action_harness.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

/// Of a kind made for 700 W that can be capped to 200 W.
CappedDevice gpu(std::uint32_t number, double cap_w, double drawn_w) {
  return {number, 700, 200, cap_w, drawn_w, false};
}
/// Of a kind that draws up to 220 W and takes no cap.
CappedDevice tpu(std::uint32_t number, double drawn_w) {
  return {number, 220, 220, 220, drawn_w, false};
}

CappedGroup limit_with(double cap_w, std::vector<CappedDevice> devices) {
  CappedGroup limit;
  limit.cap_w = cap_w;
  limit.devices = std::move(devices);
  for (const CappedDevice& device : limit.devices) limit.drawn_w += device.drawn_w;
  return limit;
}

struct AllocationCase {
  const char* name;
  double cap_w;
  std::vector<CappedDevice> devices;
  std::vector<CapStep> steps;
};

class PowerHold : public ::testing::TestWithParam<AllocationCase> {};

TEST_P(PowerHold, LowersCapsImmediatelyAndAsFarAsNecessary) {
  EXPECT_EQ(lower_to_cap(limit_with(GetParam().cap_w, GetParam().devices)), GetParam().steps);
}

INSTANTIATE_TEST_SUITE_P(
    Table, PowerHold,
    ::testing::Values(
        AllocationCase{
            "under_the_cap_nothing_moves", 1300, {gpu(1, 700, 600), gpu(2, 700, 700)}, {}},
        AllocationCase{
            "all_get_the_same", 1000, {gpu(1, 700, 600), gpu(2, 700, 700)}, {{1, 485}, {2, 485}}},
        AllocationCase{"who_draws_less_is_left_alone",
                       1000,
                       {gpu(1, 700, 100), gpu(2, 700, 600), gpu(3, 700, 700)},
                       {{2, 435}, {3, 435}}},
        AllocationCase{"never_below_what_the_kind_takes",
                       300,
                       {gpu(1, 700, 600), gpu(2, 700, 700)},
                       {{1, 200}, {2, 200}}},
        AllocationCase{"what_takes_no_cap_is_borne_by_the_others",
                       1000,
                       {gpu(1, 700, 700), tpu(2, 200), tpu(3, 200)},
                       {{1, 570}}},
        AllocationCase{
            "what_was_lowered_is_not_told_again", 1000, {gpu(1, 485, 600), gpu(2, 485, 700)}, {}},
        AllocationCase{"without_a_cap_nothing_moves", 0, {gpu(1, 700, 700)}, {}}),
    [](const auto& named) { return std::string(named.param.name); });

TEST(PowerHold, ReportsTheLowestReachablePower) {
  const CappedGroup limit =
      limit_with(500, {gpu(1, 700, 600), gpu(2, 700, 100), tpu(3, 200), tpu(4, 210)});
  const CapReach reach = reach_of(limit, lower_to_cap(limit));
  EXPECT_EQ(reach.least_w, 200 + 100 + 200 + 210);
  EXPECT_EQ(reach.at_floor, 1U);
}

TEST(PowerHold, NeverRestoresMoreThanTheHeadroom) {
  const CappedGroup limit = limit_with(2000, {gpu(1, 200, 200), gpu(2, 300, 300), tpu(3, 200)});
  EXPECT_EQ(share_with_headroom(limit, 0), 0);
  EXPECT_EQ(share_with_headroom(limit, 900), 1) << "both whole again";
  const double share = share_with_headroom(limit, 300);
  EXPECT_LE((share * 700 - 200) + (share * 700 - 300), 302) << "whole watts of two devices";
  EXPECT_NEAR(share, 400.0 / 700, 0.003);
}

// ---- The router --------------------------------------------------------------------------------

/// Two hosts of H100s and a TPU slice, whose devices draw what the test says, within their caps.
struct Drawing : ActionHarness {
  explicit Drawing(Policy under = builtin_policy()) : ActionHarness({}, std::move(under)) {
    required_power_w[3] = 180;
    caps_w[3] = std::vector<double>(8, 220);
    run_with_heartbeats(2);
    forget();
  }
  /// One beat: what devices were told is in force, and shown.
  void beat_on() {
    for (const auto& [peer, host] : all_hosts) {
      if (silent.contains(peer)) continue;
      std::vector<double>& caps = caps_w.try_emplace(peer, 8, 700.0).first->second;
      for (const CapDevices& cap : told<CapDevices>(peer)) {
        EXPECT_NE(peer, 3U) << "a TPU takes no cap";
        for (const std::uint16_t device : cap.devices) {
          if (!deaf) caps[device] = cap.watts;
        }
        ++told_caps;
      }
      std::vector<Sample> rows = idle_samples(8);
      for (std::size_t device = 0; device < rows.size(); ++device) {
        rows[device][Metric::power_cap] = caps[device];
        rows[device][Metric::power] =
            std::min(required_power_w[peer], std::max(caps[device], peer == 3 ? 0 : slowest_w));
      }
      for (Sample& row : rows) row[Metric::power] += peer == 3 ? 0 : over_w;
      receive(peer, Heartbeat{});
      sampled.push_back({now, host, ++sequence, rows});
    }
    while (!sampled.empty() && sampled.front().at + late <= now) {
      const Sampled& one = sampled.front();
      router->receive(now, samples_peer,
                      {one.host, one.sequence, one.at, pack(one.host, one.rows)});
      sampled.pop_front();
    }
    tick();
    for (const Alert& alert : published<Alert>()) {
      if (alert.rule != "power_cap_unmet") continue;
      unmet = alert.raised ? alert.text : "";
    }
    forget();
    wait(seconds(1));
    commit();
  }
  void run_with_heartbeats(int beats) {
    for (int beat = 0; beat < beats; ++beat) beat_on();
  }
  double drawn_w() { return router->summary(now).power_w; }
  double lowest_w(std::uint64_t peer) {
    return *std::min_element(caps_w[peer].begin(), caps_w[peer].end());
  }
  ActionReply cap(double watts, bool admission_only = false) {
    SetPowerCap asked{"site", watts, Duration{}};
    asked.admission_only = admission_only;
    const ActionReply reply = ask(asked);
    // Told in the same breath.
    for (const std::uint64_t peer : {1U, 2U}) {
      for (const CapDevices& told_now : told<CapDevices>(peer)) {
        for (const std::uint16_t device : told_now.devices) caps_w[peer][device] = told_now.watts;
      }
    }
    return reply;
  }

  std::map<std::uint64_t, double> required_power_w{{1, 600}, {2, 500}, {3, 180}};
  std::map<std::uint64_t, std::vector<double>> caps_w;
  std::set<std::uint64_t> silent;
  std::string unmet;  // the alert that is up
  int told_caps = 0;
  double slowest_w = 0;  // a GPU draws no less for its work, whatever its cap
  double over_w = 0;     // a GPU draws so much more than its cap
  bool deaf = false;     // agents do not hear what they are told
  Duration late{};       // samples come so much later than they are true
  struct Sampled {
    Instant at{};
    std::string host;
    std::uint64_t sequence = 0;
    std::vector<Sample> rows;
  };
  std::deque<Sampled> sampled;
  std::uint64_t sequence = 100;
};

TEST(PowerHold, MeetsACapByLoweringDevicesAndRestoresThemWhenItEnds) {
  Drawing fleet;
  ASSERT_EQ(fleet.drawn_w(), 8 * (600 + 500 + 180));
  const ActionReply reply = fleet.cap(6000);
  EXPECT_TRUE(reply.applied);
  EXPECT_EQ(reply.summary, "the site: 10.2kW now, 6.00kW within 10s; 16 devices slow down");
  fleet.run_with_heartbeats(2);
  EXPECT_LE(fleet.drawn_w(), 6000);
  EXPECT_GE(fleet.drawn_w(), 0.9 * 6000) << "and no further down than it must";
  fleet.told_caps = 0;
  fleet.run_with_heartbeats(60);
  EXPECT_EQ(fleet.told_caps, 0) << "caps do not swing";
  EXPECT_EQ(fleet.unmet, "");
  EXPECT_EQ(fleet.ask(SetPowerCap{"site", 0, {}}).summary,
            "the site: cap removed, no limit applies");
  fleet.run_with_heartbeats(3);
  EXPECT_EQ(fleet.lowest_w(1), 700);
  EXPECT_EQ(fleet.lowest_w(2), 700);
  EXPECT_EQ(fleet.drawn_w(), 8 * (600 + 500 + 180));
}

TEST(PowerHold, AHigherCapRestoresAsMuchPowerAsFitsUnderIt) {
  Drawing fleet;
  fleet.cap(6000);
  fleet.run_with_heartbeats(5);
  const double before_w = fleet.lowest_w(1);
  fleet.cap(9000);
  fleet.run_with_heartbeats(5);
  EXPECT_GT(fleet.lowest_w(1), before_w);
  for (int second = 0; second < 60; ++second) {
    fleet.beat_on();
    EXPECT_LE(fleet.drawn_w(), 9000);
  }
  EXPECT_GE(fleet.drawn_w(), 0.75 * 9000);
}

TEST(PowerHold, ACapForNewWorkOnlyDoesNotSlowRunningWork) {
  Drawing fleet;
  EXPECT_EQ(fleet.cap(6000, true).summary,
            "the site: new work waits above 6.00kW, 10.2kW now; running work is not slowed");
  fleet.run_with_heartbeats(20);
  EXPECT_EQ(fleet.told_caps, 0);
  EXPECT_EQ(fleet.drawn_w(), 8 * (600 + 500 + 180));
  EXPECT_EQ(fleet.unmet, "") << "nobody asked for that";
}

TEST(PowerHold, AnUnreachableCapIsReportedAndRaisesAnAlertUntilItIsMet) {
  Drawing fleet;
  const ActionReply reply = fleet.cap(4000);
  EXPECT_EQ(reply.summary,
            "the site: 10.2kW now; can reach 4.64kW within 10s, but not 4.00kW: 16 devices at "
            "their floor, 8 TPUs accept no cap");
  fleet.run_with_heartbeats(3);
  EXPECT_EQ(fleet.unmet, "power 4.64kW of 4.00kW: 16 devices at their floor, 8 TPUs accept no cap");
  EXPECT_EQ(fleet.lowest_w(1), 200);
  fleet.required_power_w[3] = 60;  // its work has ended
  fleet.run_with_heartbeats(8);
  EXPECT_EQ(fleet.unmet, "");
}

TEST(PowerHold, ADevicesFloorIsItsPowerAtTheLowestClock) {
  Drawing fleet;
  fleet.slowest_w = 300;
  fleet.cap(5000);
  fleet.run_with_heartbeats(20);
  EXPECT_EQ(fleet.unmet, "power 6.24kW of 5.00kW: 16 devices at their floor, 8 TPUs accept no cap");
}

TEST(PowerHold, AlertsAfterTheStatedTimeIfDevicesDoNotApplyTheirCaps) {
  Drawing fleet;
  fleet.cap(6000);
  for (auto& [peer, caps] : fleet.caps_w) caps.assign(8, 700);  // as if nothing had been heard
  fleet.deaf = true;
  fleet.run_with_heartbeats(8);
  EXPECT_EQ(fleet.unmet, "") << "within the stated time";
  fleet.run_with_heartbeats(5);
  EXPECT_EQ(fleet.unmet,
            "power 10.2kW of 6.00kW: 16 devices have not applied the caps they were sent");
  fleet.deaf = false;
  fleet.run_with_heartbeats(8);
  EXPECT_EQ(fleet.unmet, "") << "told again until it is heard";
}

TEST(PowerHold, TheAlertReportsDevicesThatExceedTheirCaps) {
  Drawing fleet;
  fleet.over_w = 8;  // within what a board's reading may be wrong
  fleet.cap(4690);
  fleet.run_with_heartbeats(20);
  EXPECT_EQ(fleet.unmet, "power 4.77kW of 4.69kW: 16 devices draw more than their caps");
}

TEST(PowerHold, ReportsDevicesThatUseLessThanTheirSmallestCap) {
  Drawing fleet;
  fleet.receive(3, Leave{"SIGINT", 0});
  fleet.silent.insert(3);
  fleet.required_power_w[1] = fleet.required_power_w[2] = 150;
  fleet.run_with_heartbeats(2);
  EXPECT_EQ(fleet.cap(2000).summary,
            "the site: 2.40kW now; can reach 2.40kW within 10s, but not 2.00kW: 16 devices draw "
            "less than the smallest cap they accept");
  fleet.run_with_heartbeats(2);
  EXPECT_EQ(fleet.unmet,
            "power 2.40kW of 2.00kW: 16 devices draw less than the smallest cap they accept");
}

TEST(PowerHold, HostsThatLeftGracefullyDoNotCountTowardACap) {
  Drawing fleet;
  fleet.receive(2, Leave{"SIGINT", 0});
  fleet.silent.insert(2);
  fleet.run_with_heartbeats(2);
  EXPECT_EQ(fleet.ask(SetPowerCap{"site", 500, Duration{}}).problem,
            "500W is below what 16 devices of the site draw idle, 894W: no work would start there");
  EXPECT_EQ(fleet.cap(1000).summary,
            "the site: 6.24kW now; can reach 3.04kW within 10s, but not 1.00kW: 8 devices at their "
            "floor, 8 TPUs accept no cap");
}

TEST(PowerHold, LateSamplesDoNotCountAsAnUnmetCap) {
  Drawing fleet;
  fleet.late = seconds(15);
  fleet.run_with_heartbeats(20);
  EXPECT_EQ(fleet.cap(6000).summary,
            "the site: 10.2kW now, 6.00kW within 25s; 16 devices slow down");
  fleet.beat_on();
  fleet.told_caps = 0;
  for (int second = 0; second < 40; ++second) {
    fleet.beat_on();
    EXPECT_EQ(fleet.unmet, "") << second;
  }
  EXPECT_EQ(fleet.told_caps, 0) << "not told again what no sample can show yet";
  EXPECT_LE(fleet.drawn_w(), 6000);
}

TEST(PowerHold, ReportsWhichLimitsStillApplyAfterACapIsRemoved) {
  Drawing fleet;
  const SetPowerCap none{"site", 0, {}};
  EXPECT_EQ(fleet.ask(none).summary, "the site: no cap was set, no limit applies");
  fleet.ask(SetPowerCap{"pool:h100", 5000, {}});
  EXPECT_EQ(fleet.ask(none).summary,
            "the site: no cap was set, no limit of its own applies, but 5.00kW applies to pool "
            "h100");
  fleet.cap(6000);
  EXPECT_EQ(fleet.ask(SetPowerCap{"pool:h100", 0, {}}).summary,
            "pool h100: cap removed, no limit of its own applies, but 6.00kW applies to the site");
}

TEST(PowerHold, AHostThatComesBackUncappedIsBroughtUnderTheCap) {
  Drawing fleet;
  fleet.cap(6000);
  fleet.run_with_heartbeats(3);
  fleet.silent.insert(2);
  fleet.run_with_heartbeats(15);  // lost
  fleet.silent.clear();
  fleet.add_host(2, "h100-2", 2);
  fleet.caps_w[2].assign(8, 700);
  fleet.run_with_heartbeats(4);
  EXPECT_LE(fleet.drawn_w(), 6000);
  EXPECT_EQ(fleet.unmet, "");
}

TEST(PowerHold, ARestartedRouterHoldsTheCapAndRestoresDevicesItLoweredBefore) {
  Drawing fleet;
  fleet.cap(6000);
  fleet.run_with_heartbeats(3);
  ASSERT_TRUE(fleet.restart());
  fleet.join_all();
  for (auto& [peer, caps] : fleet.caps_w) {
    if (peer != 3) caps.assign(8, 700);
  }
  fleet.run_with_heartbeats(4);
  EXPECT_LE(fleet.drawn_w(), 6000) << "the cap is a row of the ledger";
  ASSERT_LT(fleet.lowest_w(1), 700);
  fleet.receive(client, SetPowerCap{"site", 0, {}});
  fleet.commit();
  ASSERT_TRUE(fleet.restart());
  fleet.join_all();
  fleet.run_with_heartbeats(4);
  EXPECT_EQ(fleet.lowest_w(1), 700) << "samples tell what is lowered";
}

TEST(PowerHold, EnforcesThePolicysOwnCapsUnlessThePolicySaysOtherwise) {
  for (const bool enforce : {true, false}) {
    auto policy = parse_policy(fmt::format(R"([pool.h100]
match = {{ model = "h100*" }}
[pool.rest]
match = {{ rest = true }}
[[rule]]
name = "all"
[limits]
power_enforce = {}
power_cap_w = {{ "pool.h100" = 5000 }}
)",
                                           enforce),
                               "test.toml");
    ASSERT_TRUE(policy.ok()) << policy.error().message;
    Drawing fleet(std::move(policy).value());
    fleet.run_with_heartbeats(4);
    EXPECT_EQ(fleet.drawn_w() <= 5000 + 8 * 180, enforce);
  }
}

TEST(PowerHold, ACapBelowIdlePowerRequiresConfirmation) {
  Drawing fleet;
  SetPowerCap tiny{"site", 5, Duration{}};
  const ActionReply asked = fleet.ask(tiny);
  EXPECT_FALSE(asked.applied);
  EXPECT_TRUE(asked.confirm);
  EXPECT_EQ(asked.problem,
            "5W is below what 24 devices of the site draw idle, 1.47kW: no work would start there");
  EXPECT_TRUE(fleet.published<PolicyChanged>().empty());
  tiny.confirmed = true;
  EXPECT_TRUE(fleet.ask(tiny).applied);
  fleet.run_with_heartbeats(3);
  EXPECT_EQ(fleet.unmet,
            "power 4.64kW of 5W: 24 devices draw 1.47kW idle, 16 devices at their floor, 8 TPUs "
            "accept no cap");
}

}  // namespace
}  // namespace drover::router
