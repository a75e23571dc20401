// Faults by effects: what each does to devices and work, and what the agent says of it.
#include <gtest/gtest.h>

#include <set>

#include "fleet/xid.h"
#include "tests/agents/agent_harness.h"

namespace drover::agents {
namespace {

struct FaultCase {
  const char* name;
  const char* text;
  bool reported;    // the driver tells of it
  bool work_fails;  // and the replica is gone
  bool unusable;    // until the fault ends
  bool no_samples;
  std::uint32_t xid;
};

class EachFault : public testing::TestWithParam<FaultCase> {
 protected:
  EachFault() : talk(settings_of("h100-sxm:4", "llama-3.1-8b:0,llama-3.1-8b:3")) {
    talk.welcome(seconds(1), seconds(10));
    talk.from_router(to_replica(serve_job(1, chat_model, 1000, 60'000), 0));
    talk.from_router(to_devices(train_job(2, "bert-large", 1'000'000, 64, 512, 1), {1}));
    talk.from_router(to_replica(serve_job(3, chat_model, 1000, 60'000), 1));
    talk.pass(milliseconds(2500), seconds(1));
    talk.forget();
    heard = talk.now;
    talk.from_router(fault(GetParam().text, seconds(30), {0, 1}));
  }
  std::set<std::uint16_t> sampled() const {
    std::set<std::uint16_t> devices;
    for (const SampleBatch& batch : talk.all<SampleBatch>()) {
      devices.insert(batch.devices.begin(), batch.devices.end());
    }
    return devices;
  }
  AgentDialogue talk;
  Instant heard;
};

TEST_P(EachFault, IsReportedWithTheDriversMessage) {
  const auto reports = talk.all<DeviceReport>();
  ASSERT_EQ(reports.size(), GetParam().reported ? 2u : 0u);
  for (std::size_t at = 0; at < reports.size(); ++at) {
    EXPECT_EQ(reports[at].device, at);
    EXPECT_EQ(reports[at].usable, !GetParam().unusable);
    EXPECT_EQ(reports[at].xid, GetParam().xid);
    EXPECT_FALSE(reports[at].detail.empty());
  }
  if (!reports.empty()) {
    EXPECT_TRUE(std::holds_alternative<DeviceReport>(talk.said.front().envelope.body))
        << "before what follows from it";
  }
}

TEST_P(EachFault, EndsOrSparesRunningWorkAsSpecified) {
  const auto failed = talk.all<Failed>();
  ASSERT_EQ(failed.size(), GetParam().work_fails ? 2u : 0u);
  for (const Failed& one : failed) {
    EXPECT_EQ(one.reason, Reason::unhealthy);
    EXPECT_NEAR(one.usage.device_s, 2.5, 1e-6) << "what it has used is charged";
    EXPECT_GT(one.usage.energy_j, 100);
    EXPECT_NE(one.detail.find("device node1/"), std::string::npos);
    EXPECT_NE(one.detail.find(talk.all<DeviceReport>().front().detail), std::string::npos);
  }
  std::size_t gone = 0;
  for (const ReplicaReport& report : talk.all<ReplicaReport>()) {
    EXPECT_EQ(report.replica.id.number, 0u) << "the others stay";
    gone += report.replica.state == ReplicaState::gone ? 1 : 0;
  }
  EXPECT_EQ(gone, GetParam().work_fails ? 1u : 0u);
}

TEST_P(EachFault, AcceptsNewWorkOnlyWhereItCanRun) {
  talk.forget();
  talk.from_router(to_replica(serve_job(7, chat_model, 10, 10), 0));
  talk.from_router(to_devices(train_job(8, "bert-large", 10, 64, 512, 1), {2}));
  talk.from_router(to_devices(train_job(9, "bert-large", 10, 64, 512, 1), {1}));
  talk.from_router(StartReplica{7, chat_model, "", Precision::bf16, {1}});
  EXPECT_EQ(talk.all<Accepted>().front().job, job_id(GetParam().unusable ? 8 : 7));
  if (!GetParam().unusable) return;
  const auto refused = talk.all<Refused>();
  ASSERT_EQ(refused.size(), 2u);
  for (const Refused& one : refused) EXPECT_EQ(one.reason, Reason::unhealthy) << one.detail;
  const auto reports = talk.all<ReplicaReport>();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].replica.state, ReplicaState::gone);
  EXPECT_EQ(reports[0].replica.detail.find("unhealthy: device node1/1: "), 0u);
}

TEST_P(EachFault, SamplesOnlyVisibleDevices) {
  talk.pass(seconds(5), seconds(1));
  const std::set<std::uint16_t> all{0, 1, 2, 3}, others{2, 3};
  EXPECT_EQ(sampled(), GetParam().no_samples ? others : all);
}

TEST_P(EachFault, RepeatsItsDeviceReportsAfterARegistrationWhileItLasts) {
  talk.forget();
  talk.from_router(Reregister{});
  EXPECT_EQ(talk.all<DeviceReport>().size(), GetParam().unusable ? 2u : 0u);
  talk.pass(seconds(40), seconds(1));
  talk.forget();
  talk.from_router(Reregister{});
  EXPECT_TRUE(talk.all<DeviceReport>().empty());
}

TEST_P(EachFault, IsIncludedInEachRegistrationWhileItLasts) {
  const Fault asked = fault(GetParam().text, seconds(30), {0, 1}).fault;
  std::vector<ActiveFault> told{{false, {0, 1}, asked, heard + seconds(30)}};
  if (asked.kind == FaultKind::slow_link) told[0].devices = {0, 1, 2, 3};  // its whole group
  if (clears_immediately(asked)) told.clear();
  talk.from_router(Reregister{});
  EXPECT_EQ(talk.all<Register>().back().faults, told);
  talk.pass(seconds(40), seconds(1));
  talk.from_router(Reregister{});
  EXPECT_TRUE(talk.all<Register>().back().faults.empty());
}

TEST_P(EachFault, EndsByItselfToTheNanosecond) {
  talk.forget();
  talk.pass(seconds(40), seconds(1));
  std::size_t reports = 0;
  for (const Send& send : talk.said) {
    const auto* report = std::get_if<DeviceReport>(&send.envelope.body);
    if (report == nullptr) continue;
    ++reports;
    EXPECT_EQ(send.envelope.at, heard + seconds(30));
    EXPECT_TRUE(report->usable);
    EXPECT_EQ(report->detail, "");
  }
  EXPECT_EQ(reports, GetParam().unusable ? 2u : 0u);
}

TEST_P(EachFault, ReloadsTheConfiguredReplicas) {
  talk.pass(seconds(45), seconds(1));
  std::vector<ReplicaState> states;
  for (const ReplicaReport& report : talk.all<ReplicaReport>()) {
    if (report.replica.id.number == 0) states.push_back(report.replica.state);
  }
  talk.forget();
  talk.from_router(Reregister{});
  const Register registration = talk.all<Register>().front();
  ASSERT_EQ(registration.replicas.size(), 2u);
  for (const Replica& replica : registration.replicas)
    EXPECT_EQ(replica.state, ReplicaState::ready);
  if (!GetParam().work_fails) return;
  const std::vector<ReplicaState> life{ReplicaState::gone, ReplicaState::loading,
                                       ReplicaState::ready};
  EXPECT_EQ(states, life);
}

INSTANTIATE_TEST_SUITE_P(
    Table, EachFault,
    testing::Values(
        //        name            text             told   fails  unusable unseen xid
        FaultCase{"throttle", "throttle=0.5", false, false, false, false, 0},
        FaultCase{"hang", "hang", false, false, false, false, 0},
        FaultCase{"slow_link", "slow-link=0.1", false, false, false, false, 0},
        FaultCase{"ecc", "ecc", true, true, true, false, 0},
        FaultCase{"lose", "lose", true, true, true, true, 79},
        FaultCase{"xid_79", "xid=79", true, true, true, true, 79},
        FaultCase{"xid_48", "xid=48", true, true, true, false, 48},
        FaultCase{"xid_119", "xid=119", true, true, true, false, 119},
        FaultCase{"xid_31", "xid=31", true, true, false, false, 31},
        FaultCase{"xid_94", "xid=94", true, true, false, false, 94},
        FaultCase{"xid_63", "xid=63", true, false, false, false, 63},
        FaultCase{"xid_unknown", "xid=500", true, false, false, false, 500}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Faults, TheNextDeadlineIsTheEndOfTheFirstFault) {
  AgentSettings settings = settings_of("h100-sxm:2", "");
  settings.sample_every = std::chrono::hours(1);
  AgentDialogue talk(settings);
  talk.welcome(std::chrono::hours(1), Duration{0});
  const Instant quiet = talk.agent.next_deadline();
  talk.from_router(fault("throttle=0.5", milliseconds(7500), {0}));
  talk.from_router(fault("ecc", milliseconds(2500), {1}));
  EXPECT_EQ(talk.agent.next_deadline(), talk.now + milliseconds(2500));
  talk.pass(milliseconds(2500));
  EXPECT_EQ(talk.agent.next_deadline(), talk.now + milliseconds(5000));
  talk.pass(milliseconds(5000));
  EXPECT_EQ(talk.agent.next_deadline(), quiet) << "as if there had been none";
}

TEST(Faults, ADeviceIsUsableAgainWhenTheLastOfItsFaultsEnds) {
  AgentDialogue talk(settings_of("h100-sxm:1", ""));
  talk.welcome();
  talk.from_router(fault("ecc", seconds(10), {0}));
  talk.from_router(fault("xid=48", seconds(5), {0}));
  talk.forget();
  talk.pass(seconds(7), seconds(1));
  ASSERT_EQ(talk.all<DeviceReport>().size(), 1u);
  EXPECT_FALSE(talk.all<DeviceReport>()[0].usable) << "still for its memory";
  EXPECT_EQ(talk.all<DeviceReport>()[0].xid, 0u);
  talk.pass(seconds(7), seconds(1));
  ASSERT_EQ(talk.all<DeviceReport>().size(), 2u);
  EXPECT_TRUE(talk.all<DeviceReport>()[1].usable);
}

TEST(Faults, ReplicasTheRouterStartedOrRetiredAreNotReloadedAfterAFault) {
  AgentDialogue talk(settings_of("h100-sxm:3", "llama-3.1-8b:0,llama-3.1-8b:1"));
  talk.welcome(seconds(1), seconds(10));
  talk.from_router(StartReplica{9, chat_model, "", Precision::bf16, {2}});
  talk.pass(seconds(60), seconds(1));
  talk.from_router(fault("ecc", seconds(10), {0, 1, 2}));
  talk.from_router(RetireReplica{1});
  talk.forget();
  talk.pass(seconds(60), seconds(1));
  talk.from_router(Reregister{});
  const Register registration = talk.all<Register>().back();
  ASSERT_EQ(registration.replicas.size(), 1u);
  EXPECT_EQ(registration.replicas[0].id.number, 0u);
}

}  // namespace
}  // namespace drover::agents
