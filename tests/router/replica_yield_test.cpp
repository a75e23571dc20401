// Idle replicas and the work that finds no devices because of them.
#include <algorithm>

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

/// A host of 8 H100; the router has started a replica on one of them, and its request is over.
struct IdleReplica : RouterHarness {
  explicit IdleReplica(Policy under = builtin_policy()) : RouterHarness({}, std::move(under)) {
    receive(1, Join{Role::agent, "h1", "drover test"});
    receive(1, registration("h1"));
    receive(9, Submit{{serve_job(1, "llama-2-7b")}});
    live(7, {{1, "h1"}});
    DROVER_REQUIRE(told<StartReplica>(1).size() == 1);
    own = replica("h1", told<StartReplica>(1).front().number, "llama-2-7b");
    own.devices = told<StartReplica>(1).front().devices;
    own.started_by_router = true;
    receive(1, ReplicaReport{own});
    live(1, {{1, "h1"}});
    DROVER_REQUIRE(told<Assign>(1).size() == 1);
    receive(1, finished_of(told<Assign>(1).front()));
    forget();
  }
  void leave() {
    own.state = ReplicaState::gone;
    receive(1, ReplicaReport{own});
  }
  Replica own;
};

TEST(ReplicaYielding, AnIdleReplicaLeavesForAWaitingGangLongBeforeItsRetirement) {
  IdleReplica stage;
  stage.receive(9, Submit{{train_job(2, 8)}});
  stage.live(20, {{1, "h1"}});
  EXPECT_TRUE(stage.told<RetireReplica>(1).empty()) << "it has not been idle for long";
  stage.live(15, {{1, "h1"}});
  const auto retired = stage.told<RetireReplica>(1);
  ASSERT_EQ(retired.size(), 1U);
  EXPECT_EQ(retired[0].number, stage.own.id.number);
  stage.leave();
  stage.live(1, {{1, "h1"}});
  const auto assigned = stage.told<Assign>(1);
  ASSERT_EQ(assigned.size(), 1U);
  EXPECT_EQ(assigned[0].devices.size(), 8U);
}

TEST(ReplicaYielding, TheFreedDevicesAreReservedForTheGangAlone) {
  IdleReplica stage;
  stage.receive(9, Submit{{train_job(2, 8)}});
  stage.live(35, {{1, "h1"}});
  ASSERT_EQ(stage.told<RetireReplica>(1).size(), 1U);
  stage.receive(9, Submit{{train_job(3, 1)}});
  stage.live(1, {{1, "h1"}});
  EXPECT_TRUE(stage.told<Assign>(1).empty()) << "the later one would have had room beside it";
  stage.leave();
  stage.live(1, {{1, "h1"}});
  ASSERT_EQ(stage.told<Assign>(1).size(), 1U);
  EXPECT_EQ(stage.told<Assign>(1)[0].job.id, job_id(2));
}

TEST(ReplicaYielding, AReplicaIsIdleOnceItsWorkEndsWhateverTheEstimate) {
  IdleReplica stage;
  Job hours = serve_job(4, "llama-2-7b");
  hours.work.kind = WorkKind::batch;
  hours.work.items = 100'000;
  stage.receive(9, Submit{{hours}});
  stage.live(2, {{1, "h1"}});
  ASSERT_EQ(stage.told<Assign>(1).size(), 1U);
  stage.receive(1, Accepted{hours.id, 1});
  stage.receive(9, Submit{{train_job(2, 8)}});
  stage.live(60, {{1, "h1"}});
  EXPECT_TRUE(stage.told<RetireReplica>(1).empty()) << "it works";
  stage.receive(9, CancelJobs{{to_text(hours.id)}});
  stage.live(1, {{1, "h1"}});
  Failed given_back;
  given_back.job = hours.id;
  given_back.attempt = 1;
  given_back.reason = Reason::cancelled;
  stage.receive(1, given_back);
  EXPECT_EQ(stage.router->summary(stage.now).running, 0U);
  stage.live(40, {{1, "h1"}});
  EXPECT_EQ(stage.told<RetireReplica>(1).size(), 1U);
}

/// The same, at work on a request for minutes; another host may serve its model as well.
struct BusyReplica : IdleReplica {
  explicit BusyReplica(const std::string& other_model) {
    receive(9, Submit{{serve_job(5, "llama-2-7b")}});
    live(1, {{1, "h1"}});
    DROVER_REQUIRE(told<Assign>(1).size() == 1);
    receive(1, Accepted{job_id(5), 1});
    receive(2, Join{Role::agent, "h2", "drover test"});
    Register said = registration("h2");
    said.replicas = {replica("h2", 0, other_model)};
    receive(2, said);
    receive(9, Submit{{train_job(2, 8)}});
    live(50, {{1, "h1"}, {2, "h2"}});
  }
};

TEST(ReplicaYielding, AReplicaThatOthersCanReplaceLeavesAfterItsCurrentRequests) {
  BusyReplica stage("llama-2-7b");
  ASSERT_EQ(stage.told<RetireReplica>(1).size(), 1U);
  stage.receive(9, Submit{{serve_job(6, "llama-2-7b")}});
  stage.live(1, {{1, "h1"}, {2, "h2"}});
  EXPECT_EQ(stage.told<Assign>(1).size(), 1U) << "what comes goes to the other";
  EXPECT_EQ(stage.told<Assign>(2).size(), 1U);
}

TEST(ReplicaYielding, TheOnlyReplicaOfAModelStaysWhileItHasWork) {
  BusyReplica stage("llama-3.1-8b");
  EXPECT_TRUE(stage.told<RetireReplica>(1).empty());
}

/// Its tenant is owed more than it costs to keep a host for it until the gang there ends, minutes
/// later than a spare replica could make room.
TEST(ReplicaYielding, AReplicaYieldsEvenIfOtherDevicesAreReservedForTheGang) {
  Policy policy = builtin_policy();
  policy.limits.tenants = {{"owed", {3, true}}, {"other", {1, true}}};
  IdleReplica stage(std::move(policy));
  Job others = train_job(2, 8), gang = train_job(3, 8);
  others.tenant = "other";
  others.priority = 10;
  others.work.steps = 30'000;
  gang.tenant = "owed";
  stage.receive(9, Submit{{others, gang}});
  stage.live(1, {{1, "h1"}});
  stage.receive(2, Join{Role::agent, "h2", "drover test"});
  stage.receive(2, stage.registration("h2"));
  stage.live(2, {{1, "h1"}, {2, "h2"}});
  ASSERT_EQ(stage.told<Assign>(2).size(), 1U);
  stage.receive(2, Accepted{others.id, 1});
  stage.live(12, {{1, "h1"}, {2, "h2"}});
  const auto events = stage.published<Event>();
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const Event& event) {
    return event.text.starts_with("h2/0-7 is reserved for it: tenant owed");
  }));
  stage.live(40, {{1, "h1"}, {2, "h2"}});
  EXPECT_EQ(stage.told<RetireReplica>(1).size(), 1U);
  stage.leave();
  stage.live(1, {{1, "h1"}, {2, "h2"}});
  ASSERT_EQ(stage.told<Assign>(1).size(), 1U);
  EXPECT_EQ(stage.told<Assign>(1)[0].job.id, gang.id);
}

TEST(ReplicaYielding, NoReplicaLeavesIfThereIsRoomOrItWouldNotHelp) {
  IdleReplica stage;
  stage.receive(9, Submit{{train_job(2, 4)}});
  stage.live(1, {{1, "h1"}});
  stage.receive(1, Accepted{job_id(2), 1});
  stage.receive(9, Submit{{train_job(3, 8)}});
  stage.live(60, {{1, "h1"}});
  EXPECT_EQ(stage.told<Assign>(1).size(), 1U) << "four of the seven";
  EXPECT_TRUE(stage.told<RetireReplica>(1).empty()) << "the gang of 8 would still lack four";
}

TEST(ReplicaYielding, AReplicaYieldsEvenIfTheGangReportsADrainedPreferredPool) {
  auto policy = parse_policy(R"(
[pool.a100]
match = { model = "a100*" }
[pool.h100]
match = { model = "h100*" }
[[rule]]
name = "all"
pools = ["a100", "h100"]
)",
                             "test.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  IdleReplica stage(*policy);
  stage.receive(2, Join{Role::agent, "h2", "drover test"});
  stage.receive(2, stage.registration("h2", 1, "a100-sxm-80gb"));
  stage.receive(9, SetDrain{"host:h2", true, Duration{0}});
  stage.receive(9, Submit{{train_job(2, 8)}});
  stage.live(35, {{1, "h1"}, {2, "h2"}});
  const WhyReply why = stage.router->why(stage.now, to_text(job_id(2)));
  ASSERT_TRUE(why.job);
  EXPECT_EQ(why.job->reason, Reason::drain) << "of the pool that it wants";
  EXPECT_EQ(stage.told<RetireReplica>(1).size(), 1U);
}

TEST(ReplicaYielding, AReplicaStaysIfItsWorkOutlastsTheReservation) {
  IdleReplica stage;
  Job hours = serve_job(4, "llama-2-7b");
  hours.work.kind = WorkKind::batch;
  hours.work.items = 1'000'000;
  stage.receive(9, Submit{{hours}});
  stage.live(1, {{1, "h1"}});
  ASSERT_EQ(stage.told<Assign>(1).size(), 1U);
  stage.receive(1, Accepted{hours.id, 1});
  stage.receive(2, Join{Role::agent, "h2", "drover test"});
  Register said = stage.registration("h2");
  said.replicas = {RouterHarness::replica("h2", 0, "llama-2-7b")};  // could take all of its work
  stage.receive(2, said);
  stage.receive(9, Submit{{train_job(2, 8)}});
  stage.live(60, {{1, "h1"}, {2, "h2"}});
  EXPECT_TRUE(stage.told<RetireReplica>(1).empty());
}

TEST(ReplicaYielding, TheDelayIsSetByThePolicy) {
  auto policy = parse_policy(std::string(builtin_policy_text()), "test.toml");
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(policy->replicas.yield_after, seconds(30));
}

TEST(ReplicaYielding, WhyNamesTheReplicaThatHoldsTheDevicesAndWhenItLeaves) {
  IdleReplica stage;
  stage.receive(9, Submit{{train_job(2, 8)}});
  stage.live(2, {{1, "h1"}});
  const WhyReply why = stage.router->why(stage.now, to_text(job_id(2)));
  ASSERT_EQ(why.nearest.size(), 1U) << "and nothing about an hour that nobody knows of";
  EXPECT_EQ(why.nearest[0].reason, Reason::capacity);
  EXPECT_EQ(why.nearest[0].amount, 0);
  EXPECT_EQ(why.nearest[0].change,
            "replica " + to_text(stage.own.id) + " (llama-2-7b) unloaded once surplus for 30s");
}

/// Two pools; requests of more than 3,000 tokens go to the first alone.
constexpr const char* by_length = R"(
[pool.h100]
match = { model = "h100*" }
[pool.a100]
match = { model = "a100*" }
[[rule]]
name = "long"
when = { prompt_tokens = ">3000" }
pools = ["a100"]
[[rule]]
name = "short"
pools = ["h100"]
)";

TEST(StarvedRequests, AShortOneGetsItsReplicaWhileALongOneWaitsForADrainedPool) {
  auto policy = parse_policy(by_length, "test.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  RouterHarness stage({}, *policy);
  for (const auto& [peer, device] :
       std::vector<std::pair<std::uint64_t, std::string>>{{1, "h100-sxm"}, {2, "a100-sxm-80gb"}}) {
    const std::string host = "h" + std::to_string(peer);
    stage.receive(peer, Join{Role::agent, host, "drover test"});
    stage.receive(peer, stage.registration(host, 1, device));
  }
  stage.receive(9, SetDrain{"pool:a100", true, Duration{0}});
  Job long_request = serve_job(1);
  long_request.work.input_tokens = 3500;
  stage.receive(9, Submit{{long_request}});
  Job short_request = serve_job(2);
  short_request.work.input_tokens = 2500;
  stage.receive(9, Submit{{short_request}});
  stage.live(8, {{1, "h1"}, {2, "h2"}});
  ASSERT_EQ(stage.told<StartReplica>(1).size(), 1U);
  Replica ready = RouterHarness::replica("h1", stage.told<StartReplica>(1)[0].number);
  ready.devices = stage.told<StartReplica>(1)[0].devices;
  stage.receive(1, ReplicaReport{ready});
  stage.live(1, {{1, "h1"}, {2, "h2"}});
  ASSERT_EQ(stage.told<Assign>(1).size(), 1U) << "the long one is older, and not like it";
  EXPECT_EQ(stage.told<Assign>(1)[0].job.id, job_id(2));
}

TEST(StarvedRequests, ASmallerOneGetsItsReplicaWhenTheOldestNeedsMoreThanIsFree) {
  auto policy = parse_policy(R"(
[pool.l4]
match = { model = "l4" }
[[rule]]
name = "all"
pools = ["l4"]
)",
                             "test.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  RouterHarness stage({}, *policy);
  stage.receive(1, Join{Role::agent, "h1", "drover test"});
  stage.receive(1, stage.registration("h1", 1, "l4", 2));
  stage.receive(9, Submit{{train_job(1, 1)}});
  stage.live(1, {{1, "h1"}});
  ASSERT_EQ(stage.told<Assign>(1).size(), 1U);
  stage.receive(1, Accepted{job_id(1), 1});
  Job large = serve_job(2);  // 24 GB hold the weights and some 40,000 tokens
  large.work.input_tokens = 60'000;
  Job small = large;
  small.id = job_id(3);
  small.work.input_tokens = 33'000;
  stage.receive(9, Submit{{large, small}});
  stage.live(10, {{1, "h1"}});
  ASSERT_EQ(stage.told<StartReplica>(1).size(), 1U);
  EXPECT_EQ(stage.told<StartReplica>(1)[0].devices.size(), 1U);
}

TEST(StarvedRequests, ThatWaitForTheRetryBudgetLoadNoReplica) {
  Policy policy = builtin_policy();
  policy.retry.budget = {0, 0, seconds(600)};
  RouterHarness stage({}, policy);
  stage.add_host(1, "h1");
  stage.receive(9, Submit{{serve_job(1)}});
  stage.tick();
  stage.commit();
  ASSERT_EQ(stage.told<Assign>(1).size(), 1U);
  Failed failed;
  failed.job = job_id(1);
  failed.attempt = 1;
  failed.incarnation = {1, 1};
  failed.reason = Reason::memory;
  stage.receive(1, failed);
  stage.live(20, {{1, "h1"}});
  EXPECT_TRUE(stage.told<StartReplica>(1).empty()) << "a replica is there, and idle";
}

TEST(Waiting, OneTrainingJobsDeadlineDoesNotKeepOthersFromIdleDevices) {
  RouterHarness stage;
  stage.receive(1, Join{Role::agent, "h1", "drover test"});
  stage.receive(1, stage.registration("h1"));
  Job hurried = train_job(1, 1);
  hurried.work.steps = 1'000'000;
  hurried.deadline = seconds(60);
  Job patient = hurried;
  patient.id = job_id(2);
  patient.deadline = Duration{0};
  stage.receive(9, Submit{{hurried, patient}});
  stage.live(2, {{1, "h1"}});
  ASSERT_EQ(stage.told<Assign>(1).size(), 1U);
  EXPECT_EQ(stage.told<Assign>(1)[0].job.id, job_id(2));
}

TEST(Waiting, EveryJobHasAnExplanationThoughOnlyOneOfItsKindWasEvaluated) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.receive(9, Submit{{train_job(1, 8), train_job(2, 8)}});
  stage.live(2, {{1, "h1"}});
  const WhyReply why = stage.router->why(stage.now, to_text(job_id(2)));
  EXPECT_EQ(why.problem, "");
  ASSERT_FALSE(why.decisions.empty());
  EXPECT_EQ(why.decisions.back().fallback_reason, Reason::capacity);
  EXPECT_EQ(why.job->reason, Reason::capacity);
  EXPECT_FALSE(why.candidates.empty());
  EXPECT_FALSE(why.nearest.empty());
}

}  // namespace
}  // namespace drover::router
