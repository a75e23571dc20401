// What a Summary says of pools, of money, and of what work came to.
#include "router/jobs/pool_reports.h"

#include <string>

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/action_harness.h"

namespace drover::router {
namespace {

using Fleet = ActionHarness;
using std::chrono::seconds;

PoolReport pool(Fleet& fleet, const std::string& name) {
  for (const PoolReport& report : fleet.router->summary(fleet.now).pools) {
    if (report.name == name) return report;
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(PoolReports, FollowTheOrderOfThePolicy) {
  Fleet fleet;
  const Summary summary = fleet.router->summary(fleet.now);
  ASSERT_EQ(summary.pools.size(), fleet.policy.pools.size());
  for (std::size_t at = 0; at < summary.pools.size(); ++at) {
    EXPECT_EQ(summary.pools[at].name, fleet.policy.pools[at].name);
  }
}

TEST(PoolReports, CountEachDeviceByWhatKeepsWorkAway) {
  Fleet fleet;
  PoolReport expected;
  expected.name = "h100";
  expected.devices = expected.usable = 16;
  expected.power_w = 1600;
  EXPECT_EQ(pool(fleet, "h100"), expected);
  fleet.ask(SetDrain{"h100-1/1", true, {}});
  fleet.receive(1, DeviceReport{5, false, 48, "Xid 48"});
  fleet.receive(1, DeviceReport{1, false, 48, "Xid 48"});
  expected.drained = 1;
  expected.unusable = 2;
  expected.usable = 14;
  const PoolReport found = pool(fleet, "h100");
  EXPECT_EQ(found.drained, expected.drained);
  EXPECT_EQ(found.unusable, expected.unusable);
  EXPECT_EQ(found.usable, expected.usable) << "one is both";
  EXPECT_EQ(pool(fleet, "v5e").usable, 8U);
}

TEST(PoolReports, TrackHostsThatFallSilentAreLostOrLeave) {
  Fleet fleet;
  fleet.live(4, {{2, "h100-2"}, {3, "v5e-1"}});
  EXPECT_EQ(pool(fleet, "h100").suspect, 8U);
  EXPECT_EQ(pool(fleet, "h100").usable, 8U);
  fleet.live(15, {{2, "h100-2"}, {3, "v5e-1"}});
  PoolReport expected;
  expected.name = "h100";
  expected.devices = expected.usable = expected.lost = 8;
  expected.power_w = 800;
  EXPECT_EQ(pool(fleet, "h100"), expected);
  fleet.receive(3, Leave{"SIGTERM", 0});
  EXPECT_EQ(pool(fleet, "v5e"), (PoolReport{"v5e"})) << "who left cleanly is no loss";
}

TEST(PoolReports, ShowTheQueueAndPowerCapOfAPool) {
  Fleet fleet;
  fleet.ask(SetPowerCap{"pool:h100", 1600, {}});
  fleet.receive(client, Submit{{train_job(1, 8), train_job(2, 8)}});
  fleet.live(1, all_hosts);
  std::string wanted;
  for (const Decision& decision : fleet.published<Decision>()) wanted = decision.preferred_pool;
  ASSERT_EQ(wanted, "v5e");
  EXPECT_EQ(fleet.router->summary(fleet.now).queued, 1U) << "the other has the slice";
  EXPECT_EQ(pool(fleet, "v5e").queued, 1U);
  EXPECT_EQ(pool(fleet, "h100").queued, 0U) << "where it may not go either";
  EXPECT_EQ(pool(fleet, "h100").power_cap_w, 1600);
}

TEST(PoolReports, CountOnlyTheCostOfWorkingDevices) {
  Policy policy = builtin_policy();
  policy.limits.budget_usd_per_h = 500;
  Fleet fleet({}, policy);
  EXPECT_EQ(fleet.router->summary(fleet.now).spend_usd_per_h, 0);
  EXPECT_EQ(fleet.router->summary(fleet.now).budget_usd_per_h, 500);
  fleet.receive(client, Submit{{train_job(1, 4)}});
  fleet.live(1, all_hosts);
  ASSERT_EQ(fleet.told<Assign>(3).size(), 1U);
  const double each =
      devices::Catalogue::embedded().device("tpu-v5e").value()->spec.price.usd_per_h;
  ASSERT_GT(each, 0);
  EXPECT_DOUBLE_EQ(fleet.router->summary(fleet.now).spend_usd_per_h, 4 * each);
  EXPECT_DOUBLE_EQ(pool(fleet, "v5e").spend_usd_per_h, 4 * each);
  EXPECT_EQ(pool(fleet, "h100").spend_usd_per_h, 0);
}

// ---- What work came to -------------------------------------------------------------------------

Finished finished_with(const Assign& assign, Usage usage, Outcome outcome) {
  Finished finished;
  finished.job = assign.job.id;
  finished.attempt = assign.attempt;
  finished.incarnation = {1, 1};
  finished.usage = usage;
  finished.outcome = outcome;
  return finished;
}

TEST(DeliveredWork, IsReportedForFinishedJobsAlongsideTheirCharges) {
  Fleet fleet;
  fleet.receive(client, Submit{{serve_job(1), train_job(2, 8)}});
  fleet.live(1, all_hosts);
  for (const std::uint64_t peer : {1U, 2U, 3U}) {
    for (const Assign& assign : fleet.told<Assign>(peer)) {
      const bool trains = assign.job.work.kind == WorkKind::train;
      fleet.receive(peer, Accepted{assign.job.id, assign.attempt});
      fleet.receive(
          peer, finished_with(assign, {trains ? 80.0 : 1.0, trains ? 900.0 : 30.0, 0},
                              trains ? Outcome{0, 0, 100, 0, 10} : Outcome{512, 128, 0, 0.1, 1}));
    }
  }
  fleet.tick();
  fleet.commit();
  const Summary summary = fleet.router->summary(fleet.now);
  ASSERT_EQ(summary.finished, 2U);
  EXPECT_EQ(summary.tokens_work.jobs, 1U);
  EXPECT_EQ(summary.tokens_work.units, 640U);
  EXPECT_EQ(summary.tokens_work.charged.energy_j, 30);
  EXPECT_EQ(summary.steps_work.jobs, 1U);
  EXPECT_EQ(summary.steps_work.units, 100U);
  EXPECT_EQ(summary.steps_work.charged.energy_j, 900);
  Usage both = summary.tokens_work.charged;
  both += summary.steps_work.charged;
  EXPECT_EQ(both, summary.charged);
  ASSERT_TRUE(fleet.restart());
  const Summary again = fleet.router->summary(fleet.now);
  EXPECT_EQ(again.tokens_work, summary.tokens_work);
  EXPECT_EQ(again.steps_work, summary.steps_work);
}

// ---- Pools that overlap ------------------------------------------------------------------------

TEST(PoolReports, ADeviceInSeveralPoolsCountsInEachAndItsHostListsThem) {
  const Result<Policy> policy = parse_policy(R"(
[policy]
name = "overlapping"
[pool.first-rack]
match = { rack = "rack-1" }
[pool.gpu]
match = { kind = "gpu" }
[pool.all]
match = {}
[[rule]]
name = "any"
pools = ["all"]
)",
                                             "overlapping.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  Fleet fleet({}, *policy);
  EXPECT_EQ(pool(fleet, "gpu").devices, 16U);
  EXPECT_EQ(pool(fleet, "all").devices, 24U);
  fleet.receive(3, Leave{"SIGTERM", 0});
  fleet.add_host(6, "h6");
  fleet.tick();
  std::map<std::string, HostChanged> hosts;
  for (HostChanged& host : fleet.published<HostChanged>()) hosts[host.registration.host] = host;
  const std::string rack = hosts["h6"].registration.rack;
  ASSERT_EQ(rack, "rack-1");
  EXPECT_EQ(hosts["h6"].pools, std::vector<std::string>{"first-rack"});
  EXPECT_EQ(hosts["h6"].further_pools, (std::vector<GroupPool>{{0, "gpu"}, {0, "all"}}));
  EXPECT_EQ(hosts["v5e-1"].pools, std::vector<std::string>{"all"});
  EXPECT_EQ(hosts["v5e-1"].further_pools, std::vector<GroupPool>{});
}

// ---- Hosts -------------------------------------------------------------------------------------

TEST(Hosts, ArePublishedWithTheKeyOfTheirAgent) {
  Fleet fleet;
  fleet.router->receive(fleet.now, {Channel::control, 5},
                        {"peer", 1, fleet.now, Join{Role::agent, "h5", "drover test"}}, "h5.agent");
  fleet.router->receive(fleet.now, {Channel::control, 5},
                        {"peer", 2, fleet.now, fleet.registration("h5")}, "h5.agent");
  fleet.add_host(6, "h6");
  fleet.tick();
  std::map<std::string, std::string> keys;
  for (const HostChanged& host : fleet.published<HostChanged>()) {
    keys[host.registration.host] = host.secured_by;
  }
  EXPECT_EQ(keys["h5"], "h5.agent");
  EXPECT_EQ(keys["h6"], "");
}

}  // namespace
}  // namespace drover::router
