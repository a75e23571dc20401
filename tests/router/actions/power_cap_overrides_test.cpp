// Power caps through the router, and what a watcher is told: alerts, captions, snapshots.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/action_harness.h"

namespace drover::router {
namespace {

using Fleet = ActionHarness;
using std::chrono::minutes;
using std::chrono::seconds;

// ---- Power -------------------------------------------------------------------------------------

TEST(PowerAndAlerts, APowerCapHoldsNewWorkBackUntilItEnds) {
  Fleet stage;
  // All idle: 24 devices at 100 W.
  const ActionReply reply = stage.ask(SetPowerCap{"site", 2410, seconds(30)});
  EXPECT_TRUE(reply.applied) << reply.problem;
  EXPECT_EQ(reply.targets, std::vector<std::string>{"site"});
  ASSERT_EQ(stage.published<PolicyChanged>().size(), 1U);
  EXPECT_EQ(stage.published<PolicyChanged>()[0].site_power_cap_w, 2410);
  EXPECT_EQ(stage.published<Audit>().at(0).action, "cap 2.41kW for 30s");
  stage.receive(client, Submit{{serve_job(1)}});
  stage.live(5, all_hosts);
  EXPECT_EQ(stage.told<Assign>(1).size() + stage.told<Assign>(2).size(), 0U);
  EXPECT_EQ(stage.published<Decision>().back().fallback_reason, Reason::power_cap);
  stage.forget();
  stage.live(26, all_hosts);
  ASSERT_EQ(stage.published<PolicyChanged>().size(), 1U);
  EXPECT_EQ(stage.published<PolicyChanged>()[0].site_power_cap_w, 0);
  EXPECT_EQ(stage.told<Assign>(1).size() + stage.told<Assign>(2).size(), 1U);
}

TEST(PowerAndAlerts, PowerReservedForRequestsCountsBeforeAnySampleShowsIt) {
  Fleet stage;
  stage.ask(SetPowerCap{"site", 3500, Duration{}});
  EXPECT_EQ(stage.router->summary(stage.now).power_w, 2400);
  for (std::uint64_t job = 1; job <= 40; ++job) stage.receive(client, Submit{{serve_job(job)}});
  stage.tick();
  stage.commit();
  const std::size_t placed = stage.told<Assign>(1).size() + stage.told<Assign>(2).size();
  EXPECT_GT(placed, 0U);
  EXPECT_LT(placed, 16U) << "both replicas hold 8";
  const Summary summary = stage.router->summary(stage.now);
  EXPECT_GT(summary.power_reserved_w, 0);
  EXPECT_LE(summary.power_w + summary.power_reserved_w, 3500);
  EXPECT_EQ(stage.published<Decision>().back().fallback_reason, Reason::power_cap);
}

TEST(PowerAndAlerts, APoolsCapLeavesOtherPoolsAlone) {
  Fleet stage;
  EXPECT_TRUE(stage.ask(SetPowerCap{"pool:h100", 1600, Duration{}}).applied);
  const PolicyChanged told = stage.published<PolicyChanged>().at(0);
  const auto pool = std::find_if(told.pools.begin(), told.pools.end(),
                                 [](const PoolLimits& each) { return each.name == "h100"; });
  ASSERT_NE(pool, told.pools.end());
  EXPECT_EQ(pool->power_cap_w, 1600);
  EXPECT_EQ(told.site_power_cap_w, 0);
  stage.receive(client, Submit{{train_job(1, 8)}});
  stage.live(1, all_hosts);
  EXPECT_EQ(stage.told<Assign>(3).size(), 1U);
}

TEST(PowerAndAlerts, AnInvalidCapIsRefused) {
  for (const auto& [cap, problem] : std::vector<std::pair<SetPowerCap, std::string>>{
           {{"host:h100-1", 100, {}}, "host:h100-1 has no power cap"},
           {{"pool:h10", 100, {}}, "did you mean h100?"},
           {{"site", -1, {}}, "expected 0"},
           {{"site", 1e12, {}}, "expected 0"},
           {{"site", 100, -seconds(1)}, "to a week"}}) {
    Fleet stage;
    const ActionReply reply = stage.ask(cap);
    EXPECT_FALSE(reply.applied);
    EXPECT_NE(reply.problem.find(problem), std::string::npos) << reply.problem;
    EXPECT_TRUE(stage.published<PolicyChanged>().empty());
    EXPECT_EQ(stage.published<Audit>().size(), 1U);
  }
}

TEST(PowerAndAlerts, CapsInForceSurviveARestartOfTheRouter) {
  Fleet stage;
  stage.ask(SetPowerCap{"site", 9000, Duration{}});
  stage.ask(SetPowerCap{"pool:h100", 5000, seconds(40)});
  stage.ask(SetPowerCap{"pool:v5e", 900, seconds(5)});
  stage.live(10, all_hosts);
  ASSERT_TRUE(stage.restart());
  stage.tick();
  ASSERT_EQ(stage.published<PolicyChanged>().size(), 1U);
  const PolicyChanged again = stage.published<PolicyChanged>()[0];
  EXPECT_EQ(again.site_power_cap_w, 9000);
  for (const PoolLimits& pool : again.pools) {
    EXPECT_EQ(pool.power_cap_w, pool.name == "h100" ? 5000 : 0) << pool.name;
  }
  stage.wait(seconds(31));
  const PolicyChanged last = stage.published<PolicyChanged>().back();
  for (const PoolLimits& pool : last.pools) {
    EXPECT_EQ(pool.power_cap_w, 0) << pool.name;
  }
}

TEST(PowerAndAlerts, ZeroWattsRestoreThePolicysOwnCap) {
  Policy policy = builtin_policy();
  policy.limits.site_power_cap_w = 20'000;
  RouterHarness stage({}, policy);
  stage.receive(client, SetPowerCap{"site", 5000, Duration{}});
  stage.tick();
  EXPECT_EQ(stage.published<PolicyChanged>().back().site_power_cap_w, 5000);
  stage.receive(client, SetPowerCap{"site", 0, Duration{}});
  stage.tick();
  EXPECT_EQ(stage.published<PolicyChanged>().back().site_power_cap_w, 20'000);
}

// ---- Captions, alerts, snapshots ---------------------------------------------------------------

TEST(PowerAndAlerts, AlertsAreRaisedAndClearedAsThingsHappen) {
  Fleet stage;
  const auto alerts = [&](const std::string& rule) {
    std::vector<bool> raised;
    for (const Alert& alert : stage.published<Alert>()) {
      if (alert.rule == rule) raised.push_back(alert.raised);
    }
    return raised;
  };
  stage.receive(3, DeviceReport{1, false, 0, "lost"});
  stage.live(4, {{1, "h100-1"}, {3, "v5e-1"}});
  EXPECT_EQ(alerts("device_unusable"), std::vector<bool>{true});
  EXPECT_EQ(alerts("host_suspect"), std::vector<bool>{true});
  stage.live(10, {{1, "h100-1"}, {3, "v5e-1"}});
  EXPECT_EQ(alerts("host_suspect"), (std::vector<bool>{true, false}));
  EXPECT_EQ(alerts("host_lost"), std::vector<bool>{true});
  stage.add_host(2, "h100-2");
  stage.receive(3, DeviceReport{1, true, 0, ""});
  stage.live(2, all_hosts);
  EXPECT_EQ(alerts("host_lost"), (std::vector<bool>{true, false}));
  EXPECT_EQ(alerts("device_unusable"), (std::vector<bool>{true, false}));
}

TEST(PowerAndAlerts, AHostThatLeavesGracefullyRaisesNoAlert) {
  Fleet stage;
  stage.receive(2, Leave{"SIGTERM", 0});
  stage.live(3, {{1, "h100-1"}, {3, "v5e-1"}});
  EXPECT_TRUE(stage.published<Alert>().empty());
}

TEST(PowerAndAlerts, WaitingWorkAndPowerAtItsCapRaiseAlerts) {
  Fleet stage;
  stage.ask(SetPowerCap{"site", 2400, Duration{}});
  stage.receive(client, Submit{{serve_job(1)}});
  stage.live(14, all_hosts);
  std::set<std::string> rules;
  for (const Alert& alert : stage.published<Alert>()) rules.insert(alert.rule);
  EXPECT_EQ(rules, (std::set<std::string>{"jobs_waiting", "power_cap"}));
}

TEST(PowerAndAlerts, ALateViewerReceivesEverythingInForce) {
  Fleet stage;
  stage.ask(inject("h100-1/3", "hang", minutes(5)));
  stage.ask(SetPowerCap{"site", 9000, Duration{}});
  stage.receive(1, DeviceReport{5, false, 48, "Xid 48"});
  stage.receive(client, Caption{"A burst overflows to GPUs", "3", 2, 6, false});
  stage.live(2, all_hosts);
  stage.forget();
  stage.receive(20, SnapshotRequest{});
  std::vector<DeviceChanged> devices;
  std::vector<Alert> alerts;
  std::vector<Caption> captions;
  std::vector<PolicyChanged> policies;
  std::vector<HostChanged> hosts;
  for (const SnapshotPart& part : stage.told<SnapshotPart>(20)) {
    for (const std::string& bytes : part.messages) {
      const Message body = decode(bytes).value().body;
      if (const auto* it = std::get_if<DeviceChanged>(&body)) devices.push_back(*it);
      if (const auto* it = std::get_if<Alert>(&body)) alerts.push_back(*it);
      if (const auto* it = std::get_if<Caption>(&body)) captions.push_back(*it);
      if (const auto* it = std::get_if<PolicyChanged>(&body)) policies.push_back(*it);
      if (const auto* it = std::get_if<HostChanged>(&body)) hosts.push_back(*it);
    }
  }
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].injected, std::vector<std::string>{"hang"});
  EXPECT_FALSE(devices[1].usable);
  ASSERT_EQ(alerts.size(), 1U);
  EXPECT_EQ(alerts[0].rule, "device_unusable");
  EXPECT_EQ(alerts[0].subject, "h100-1/5");
  ASSERT_EQ(captions.size(), 1U);
  EXPECT_EQ(captions[0].text, "A burst overflows to GPUs");
  ASSERT_EQ(policies.size(), 1U);
  EXPECT_EQ(policies[0].site_power_cap_w, 9000);
  ASSERT_EQ(hosts.size(), 3U);
  EXPECT_EQ(hosts[0].pools, std::vector<std::string>{"h100"});
  EXPECT_EQ(hosts[2].pools, std::vector<std::string>{"v5e"});
}

TEST(PowerAndAlerts, ACaptionDisappearsWithTheClientThatSentIt) {
  Fleet stage;
  stage.receive(client, Caption{"one", "", 1, 2, false});
  EXPECT_EQ(stage.published<Caption>().size(), 1U);
  stage.live(700, all_hosts);
  ASSERT_EQ(stage.published<Caption>().size(), 2U);
  EXPECT_TRUE(stage.published<Caption>()[1].text.empty());
}

TEST(PowerAndAlerts, AViewerMayNotAct) {
  Fleet stage;
  stage.receive(21, Join{Role::viewer, "top", "drover test"});
  stage.receive(21, inject("h100-1/0", "hang"));
  stage.tick();
  stage.commit();
  EXPECT_EQ(stage.faults_told(), 0U);
  EXPECT_EQ(stage.told<RequestError>(21).size(), 1U);
}

}  // namespace
}  // namespace drover::router
