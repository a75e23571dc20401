// Faults injected through the router: whom they reach, what is on record before anything happens,
// what agents say of their devices.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/router/action_harness.h"

namespace drover::router {
namespace {

using Fleet = ActionHarness;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// ---- Faults ------------------------------------------------------------------------------------

TEST(Actions, TakeEffectOnlyOnceRecordedOnDisk) {
  Fleet stage;
  stage.receive(client, inject("h100-1/3", "xid=79"));
  stage.tick();
  EXPECT_EQ(stage.faults_told(), 0U);
  EXPECT_TRUE(stage.told<ActionReply>(client).empty());
  stage.commit();
  ASSERT_EQ(stage.told<ApplyFault>(1).size(), 1U);
  const ApplyFault told = stage.told<ApplyFault>(1)[0];
  EXPECT_FALSE(told.host);
  EXPECT_EQ(told.devices, std::vector<std::uint16_t>{3});
  EXPECT_EQ(told.fault, inject("h100-1/3", "xid=79").fault);
  const ActionReply reply = stage.told<ActionReply>(client).at(0);
  EXPECT_TRUE(reply.applied);
  EXPECT_EQ(reply.targets, std::vector<std::string>{"h100-1/3"});
  const Audit audit = stage.published<Audit>().at(0);
  EXPECT_EQ(audit, (Audit{"ann", "inject xid=79 for 60s", "h100-1/3", true, reply.summary}));
  EXPECT_EQ(reply.summary,
            "h100-1/3: xid=79 for 60s: unusable for that time; work there fails and is requeued; "
            "nothing runs there now");
  EXPECT_EQ(stage.disk.back().transition, Transition::audit);
  EXPECT_EQ(std::get<Audit>(decode(stage.disk.back().payload)->body), audit);
}

TEST(Actions, AFaultReachesEverythingInItsTarget) {
  struct Case {
    std::string target, fault;
    std::vector<std::string> reached;
  };
  const std::vector<std::string> tpus{"v5e-1/0", "v5e-1/1", "v5e-1/2", "v5e-1/3",
                                      "v5e-1/4", "v5e-1/5", "v5e-1/6", "v5e-1/7"};
  const Case cases[] = {{"device:v5e-1/2", "hang", {"v5e-1/2"}},
                        {"pool:v5e", "ecc", tpus},
                        {"rack:rack-2", "throttle=0.5", tpus},
                        {"pool:v5e", "lose", tpus},
                        {"rack:rack-2", "lose", {"v5e-1"}},
                        {"host:h100-2", "lose", {"h100-2"}},
                        {"rack:rack-1", "inlet=+10C", {"h100-1", "h100-2"}},
                        {"pool:h100", "inlet=+10C", {"h100-1", "h100-2"}},
                        {"site", "inlet=+10C", {"h100-1", "h100-2", "v5e-1"}}};
  for (const Case& each : cases) {
    Fleet stage;
    const ActionReply reply = stage.ask(inject(each.target, each.fault));
    EXPECT_TRUE(reply.applied) << each.target << ' ' << each.fault << ": " << reply.problem;
    EXPECT_EQ(reply.targets, each.reached) << each.target << ' ' << each.fault;
  }
}

TEST(Actions, ThatAreInvalidAreRefusedAuditedAndReachNoOne) {
  struct Case {
    InjectFault inject;
    std::string problem;
  };
  InjectFault many = inject("host:h100-1", "hang");
  many.any = 9;
  InjectFault strange = inject("h100-1/0", "throttle");
  strange.fault.amount = 7;
  const Case cases[] = {
      {inject("v5e-1/0", "xid=79"), "only NVIDIA GPUs have Xids: v5e-1/0 is a tpu-v5e"},
      {inject("site", "lose"), "the whole site cannot be lost"},
      {inject("h100-1/0", "inlet=+10C"), "inject into host:h100-1"},
      {inject("host:h100-3", "hang"), "no host \"h100-3\"; did you mean h100-1 or h100-2?"},
      {inject("h100-3/0", "hang"), "no host \"h100-3\""},
      {inject("rack:moon", "hang"), "no rack \"moon\"; known: rack-1, rack-2"},
      {inject("pool:h10", "hang"), "no pool \"h10\"; did you mean h100?"},
      {inject("pool:a100", "hang"), "pool:a100 has no reachable device"},
      {inject("h100-1/8", "hang"), "h100-1 has devices 0 to 7"},
      {inject("nonsense", "hang"), "target \"nonsense\": expected"},
      {inject("h100-1/0", "hang", seconds(0)), "expected more than 0 s and at most a week"},
      {inject("h100-1/0", "hang", hours(169)), "at most a week"},
      {many, "any 9: only 8 devices or groups of host:h100-1 can be reached"},
      {strange, "throttle"},
  };
  for (const Case& each : cases) {
    Fleet stage;
    const ActionReply reply = stage.ask(each.inject);
    EXPECT_FALSE(reply.applied) << each.problem;
    EXPECT_NE(reply.problem.find(each.problem), std::string::npos) << reply.problem;
    EXPECT_EQ(stage.faults_told(), 0U);
    EXPECT_TRUE(stage.published<DeviceChanged>().empty());
    ASSERT_EQ(stage.published<Audit>().size(), 1U);
    EXPECT_FALSE(stage.published<Audit>()[0].applied);
    EXPECT_EQ(stage.disk.back().transition, Transition::audit);
  }
}

TEST(Actions, ALostHostCannotBeReached) {
  Fleet stage;
  stage.live(13, {{1, "h100-1"}, {3, "v5e-1"}});
  EXPECT_EQ(stage.ask(inject("h100-2/0", "hang")).problem, "h100-2 is lost: it cannot be reached");
  EXPECT_EQ(stage.ask(inject("rack:rack-1", "lose")).targets, std::vector<std::string>{"h100-1"});
}

TEST(Actions, ASilentHostIsNotReportedAsReached) {
  Fleet stage;
  stage.live(4, {{1, "h100-1"}, {3, "v5e-1"}});
  EXPECT_EQ(stage.ask(inject("h100-2/0", "hang")).problem,
            "h100-2 does not respond and may not receive the fault");
  EXPECT_EQ(stage.ask(inject("rack:rack-1", "lose")).targets, std::vector<std::string>{"h100-1"});
  EXPECT_EQ(stage.told<ApplyFault>(2).size(), 0U);
  stage.live(1, all_hosts);
  EXPECT_TRUE(stage.ask(inject("h100-2/0", "hang")).applied) << "heartbeats again";
}

TEST(Actions, ARandomPickTakesTheRequestedCountAndRepeatsForTheSameSeed) {
  std::set<std::vector<std::string>> drawn;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    InjectFault some = inject("pool:h100", "hang");
    some.any = 3;
    some.seed = seed;
    Fleet first;
    const ActionReply reply = first.ask(some);
    EXPECT_EQ(reply.targets.size(), 3U);
    EXPECT_TRUE(std::is_sorted(reply.targets.begin(), reply.targets.end()));
    EXPECT_EQ(first.published<Audit>().at(0).action,
              fmt::format("inject hang for 60s, any 3 with seed {}", seed));
    Fleet again;
    EXPECT_EQ(again.ask(some).targets, reply.targets);
    drawn.insert(reply.targets);
  }
  EXPECT_GT(drawn.size(), 4U) << "other seeds draw others";
}

TEST(Actions, AFaultIsShownUntilItEndsOrItsHostRestarts) {
  Fleet stage;
  stage.ask(inject("h100-1/3", "throttle=0.5", seconds(30)));
  ASSERT_EQ(stage.published<DeviceChanged>().size(), 1U);
  const DeviceChanged begun = stage.published<DeviceChanged>()[0];
  EXPECT_EQ(begun.host, "h100-1");
  EXPECT_EQ(begun.device, 3);
  EXPECT_TRUE(begun.usable);
  EXPECT_EQ(begun.injected, std::vector<std::string>{"throttle=0.5"});
  stage.forget();
  stage.live(29, all_hosts);
  EXPECT_TRUE(stage.published<DeviceChanged>().empty());
  stage.live(2, all_hosts);
  ASSERT_EQ(stage.published<DeviceChanged>().size(), 1U);
  EXPECT_TRUE(stage.published<DeviceChanged>()[0].injected.empty());

  stage.ask(inject("h100-1/3", "throttle=0.5", minutes(30)));
  stage.forget();
  stage.live(13, {{2, "h100-2"}, {3, "v5e-1"}});
  ASSERT_EQ(stage.published<DeviceChanged>().size(), 1U);
  EXPECT_EQ(stage.published<DeviceChanged>()[0].injected, begun.injected)
      << "lost, or only cut off";
  stage.receive(1, stage.registration("h100-1", 2));
  EXPECT_TRUE(stage.published<DeviceChanged>().back().injected.empty());
}

// ---- Devices -----------------------------------------------------------------------------------

TEST(Actions, AnUnusableDeviceGetsNoNewWorkUntilItsAgentSaysOtherwise) {
  Fleet stage;
  stage.receive(1, DeviceReport{0, false, 79, "Xid 79: GPU has fallen off the bus"});
  ASSERT_EQ(stage.published<DeviceChanged>().size(), 1U);
  EXPECT_FALSE(stage.published<DeviceChanged>()[0].usable);
  EXPECT_EQ(stage.published<DeviceChanged>()[0].detail, "Xid 79: GPU has fallen off the bus");
  stage.receive(1, DeviceReport{0, false, 79, "Xid 79: GPU has fallen off the bus"});
  EXPECT_EQ(stage.published<DeviceChanged>().size(), 1U) << "said again: no change";
  stage.receive(2, DeviceReport{0, false, 0, ""});
  stage.receive(client, Submit{{serve_job(1)}});
  stage.live(1, all_hosts);
  EXPECT_EQ(stage.told<Assign>(1).size() + stage.told<Assign>(2).size(), 0U);
  ASSERT_FALSE(stage.published<Decision>().empty());
  EXPECT_EQ(stage.published<Decision>().back().fallback_reason, Reason::unhealthy);
  stage.receive(2, DeviceReport{0, true, 0, ""});
  stage.live(1, all_hosts);
  EXPECT_EQ(stage.told<Assign>(2).size(), 1U);
}

TEST(Actions, AGangAvoidsAnUnusableDeviceWherePossible) {
  Fleet stage;
  stage.receive(1, DeviceReport{2, false, 0, "lost"});
  stage.receive(2, DeviceReport{2, false, 0, "lost"});
  Job job = train_job(1, 8);
  stage.receive(client, Submit{{job}});
  stage.receive(3, DeviceReport{7, false, 0, "lost"});
  stage.live(1, all_hosts);
  EXPECT_EQ(
      stage.told<Assign>(1).size() + stage.told<Assign>(2).size() + stage.told<Assign>(3).size(),
      0U);
  EXPECT_EQ(stage.published<Decision>().back().fallback_reason, Reason::unhealthy);
  stage.receive(3, DeviceReport{7, true, 0, ""});
  stage.live(1, all_hosts);
  EXPECT_EQ(stage.told<Assign>(3).size(), 1U);
  stage.receive(client, Submit{{train_job(2, 4)}});
  stage.live(1, all_hosts);
  std::vector<Assign> four = stage.told<Assign>(1);
  for (const Assign& assign : stage.told<Assign>(2)) four.push_back(assign);
  ASSERT_EQ(four.size(), 1U);
  EXPECT_EQ(std::count(four[0].devices.begin(), four[0].devices.end(), 2), 0);
}

TEST(Actions, AReportAboutAnUnknownDeviceIsDropped) {
  Fleet stage;
  stage.receive(1, DeviceReport{8, false, 0, "?"});
  EXPECT_TRUE(stage.published<DeviceChanged>().empty());
  EXPECT_EQ(stage.router->summary(stage.now).undecodable, 1U);
}

TEST(Actions, DeviceReportsNotRepeatedAfterARegistrationExpire) {
  Fleet stage;
  stage.receive(1, DeviceReport{0, false, 0, "lost"});
  stage.receive(1, DeviceReport{1, false, 0, "lost"});
  Register again = stage.registration("h100-1");
  stage.forget();
  stage.receive(1, again);
  stage.receive(1, DeviceReport{1, false, 0, "lost"});
  EXPECT_TRUE(stage.published<DeviceChanged>().empty()) << "nothing flaps";
  stage.live(2, all_hosts);
  ASSERT_EQ(stage.published<DeviceChanged>().size(), 1U);
  EXPECT_EQ(stage.published<DeviceChanged>()[0].device, 0);
  EXPECT_TRUE(stage.published<DeviceChanged>()[0].usable);
}

TEST(Actions, DeviceReportsExpireWithTheirHost) {
  Fleet stage;
  stage.receive(1, DeviceReport{0, false, 0, "lost"});
  stage.live(13, {{2, "h100-2"}, {3, "v5e-1"}});
  EXPECT_TRUE(stage.published<DeviceChanged>().back().usable);
  stage.forget();
  stage.add_host(1, "h100-1");
  stage.receive(2, DeviceReport{0, false, 0, "lost"});
  stage.receive(client, Submit{{serve_job(1)}});
  stage.tick();
  stage.commit();
  EXPECT_EQ(stage.told<Assign>(1).size(), 1U);
}

}  // namespace
}  // namespace drover::router
