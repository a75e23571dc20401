// Work that is lost through no fault of its own comes back at once, and only waiting counts as
// waiting.
#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

Job long_training(std::uint64_t number, std::uint16_t devices = 1) {
  Job job = train_job(number, devices);
  job.work.steps = 1'000'000;
  return job;
}

/// `count` trainings of one device on h1, running; h2 comes after them.
struct Trainings : RouterHarness {
  explicit Trainings(std::uint64_t count, Policy under = builtin_policy())
      : RouterHarness({}, std::move(under)) {
    join("h1", 1);
    for (std::uint64_t number = 1; number <= count; ++number) {
      receive(9, Submit{{long_training(number)}});
    }
    tick();
    commit();
    for (const Assign& assign : told<Assign>(1)) {
      receive(1, Accepted{assign.job.id, assign.attempt});
    }
    commit();
    join("h2", 2);
  }
  void join(const std::string& host, std::uint64_t peer) {
    receive(peer, Join{Role::agent, host, "drover test"});
    receive(peer, registration(host));
    beat(peer, host);
  }
  /// Where half of the hosts fall silent at once, their work is held for a while before it is
  /// moved.
  void live_until_assigned(std::uint64_t peer, const std::string& host, std::size_t jobs) {
    for (int second = 0; second < 30 && told<Assign>(peer).size() < jobs; ++second) {
      live(1, {{peer, host}});
    }
  }
};

TEST(LostWork, AllTrainingJobsOfALostHostRestartAtOnceGivenRoom) {
  Trainings stage(8);
  ASSERT_EQ(stage.told<Assign>(1).size(), 8U);
  stage.live_until_assigned(2, "h2", 8);
  EXPECT_EQ(stage.told<Assign>(2).size(), 8U) << "whatever the retry budget";
  const Summary summary = stage.router->summary(stage.now);
  EXPECT_EQ(summary.queued, 0U);
  EXPECT_EQ(summary.running, 8U);
}

TEST(LostWork, RepeatedlyLostHostsFailNoJob) {
  Policy policy = builtin_policy();
  policy.retry.attempts_max = 1;
  Trainings stage(1, policy);
  std::vector<std::pair<std::uint64_t, std::string>> alive = {{2, "h2"}};
  for (std::uint64_t life = 2; life < 6; ++life) {
    const auto& [peer, name] = alive.front();
    stage.live_until_assigned(peer, name, 1);
    ASSERT_EQ(stage.told<Assign>(peer).size(), 1U) << "life " << life;
    stage.receive(peer, Accepted{job_id(1), stage.told<Assign>(peer).front().attempt});
    const std::uint64_t next = peer + 1;
    const std::string fresh = "h" + std::to_string(next);
    stage.join(fresh, next);
    alive = {{next, fresh}};
  }
  EXPECT_EQ(stage.router->summary(stage.now).failed, 0U);
}

TEST(LostWork, StaysUncountedAfterARouterRestart) {
  Policy policy = builtin_policy();
  policy.retry.attempts_max = 1;
  Trainings stage(1, policy);
  stage.live(30, {});
  ASSERT_TRUE(stage.restart());
  stage.join("h2", 2);
  stage.live(1, {{2, "h2"}});
  EXPECT_EQ(stage.told<Assign>(2).size(), 1U);
  EXPECT_EQ(stage.router->summary(stage.now).failed, 0U);
}

/// What an agent says of its work when it has not heard the router for as long as a lease.
void end_with_the_lease(RouterHarness& stage, std::uint64_t peer, const Assign& assign) {
  Failed ended;
  ended.job = assign.job.id;
  ended.attempt = assign.attempt;
  ended.incarnation = {1, 1};
  ended.reason = Reason::unhealthy;
  ended.host_lost = true;
  stage.receive(peer, ended);
}

TEST(LostWork, LeaseExpiryDuringARouterOutageIsNotCountedAsAFailure) {
  Policy policy = builtin_policy();
  policy.retry.attempts_max = 1;
  Trainings stage(8, policy);
  const auto held = stage.told<Assign>(1);
  ASSERT_EQ(held.size(), 8U);
  ASSERT_TRUE(stage.restart());
  stage.receive(1, Join{Role::agent, "h1", "drover test"});
  Register said = stage.registration("h1");
  for (const Assign& assign : held) said.held.push_back({assign.job.id, assign.attempt});
  stage.receive(1, said);
  stage.beat(1, "h1");
  for (const Assign& assign : held) end_with_the_lease(stage, 1, assign);
  stage.live(2, {{1, "h1"}});
  EXPECT_EQ(stage.told<Assign>(1).size(), 8U) << "at once, and where they were: it is not at fault";
  EXPECT_EQ(stage.router->summary(stage.now).failed, 0U);
}

TEST(LostWork, IsRequeuedBeyondTheRetryBudgetAfterAnEarlierFailure) {
  Policy policy = builtin_policy();
  policy.retry.budget = {0, 1, seconds(600)};
  Trainings stage(1, policy);
  const Assign first = stage.told<Assign>(1).front();
  Failed failed;
  failed.job = first.job.id;
  failed.attempt = first.attempt;
  failed.incarnation = {1, 1};
  failed.reason = Reason::memory;
  stage.receive(1, failed);  // takes the one retry of the budget, on the other host
  stage.live(3, {{1, "h1"}, {2, "h2"}});
  ASSERT_EQ(stage.told<Assign>(2).size(), 1U);
  stage.receive(2, Accepted{first.job.id, 2});
  for (int second = 0; second < 30 && stage.told<Assign>(1).size() < 2; ++second) {
    stage.live(1, {{1, "h1"}});  // h2 is lost
  }
  EXPECT_EQ(stage.told<Assign>(1).size(), 2U) << "its second attempt failed through no fault";
}

TEST(LostWork, WaitsUnderTheMatchingRuleOfANewPolicy) {
  Trainings stage(2);
  auto fresh = parse_policy(R"(
[policy]
version = 2
[pool.h100]
match = { model = "h100*" }
[pool.a100]
match = { model = "a100*" }
[[rule]]
name = "large"
when = { kind = "training", batch = ">100" }
pools = ["a100"]
[[rule]]
name = "small"
pools = ["h100"]
)",
                            "test.toml");
  ASSERT_TRUE(fresh.ok()) << fresh.error().message;
  stage.receive(9, ApplyPolicy{fresh->text, "test.toml"});
  stage.commit();
  stage.live_until_assigned(2, "h2", 2);
  ASSERT_EQ(stage.told<Assign>(2).size(), 2U);
  const WhyReply why = stage.router->why(stage.now, to_text(job_id(1)));
  ASSERT_FALSE(why.decisions.empty());
  EXPECT_EQ(why.decisions.back().rule, "small");
}

Policy with_longest_wait(const std::string& wait) {
  auto policy = parse_policy(R"(
[pool.h100]
match = { model = "h100*" }
[[rule]]
name = "all"
pools = ["h100"]
  [[rule.fallback]]
  on = "*"
  action = "queue"
  max_wait_s = )" + wait + "\n",
                             "test.toml");
  DROVER_REQUIRE(policy.ok());
  return *policy;
}

TEST(LostWork, OnlyWaitingCountsAgainstTheMaximumWait) {
  RouterHarness stage({}, with_longest_wait("20"));
  stage.add_host(1, "h1");
  stage.receive(9, Submit{{long_training(1, 8)}});
  stage.receive(9, Submit{{long_training(2)}});
  stage.tick();
  stage.commit();
  const auto assigned = stage.told<Assign>(1);
  ASSERT_EQ(assigned.size(), 1U) << "a replica has one device: the gang of 8 waits";
  stage.receive(1, Accepted{job_id(2), 1});
  stage.live(25, {{1, "h1"}});
  EXPECT_EQ(stage.router->summary(stage.now).failed, 1U) << "the gang has waited for 20 s";
  stage.live(15, {});  // the host is lost, the training comes back
  Summary summary = stage.router->summary(stage.now);
  EXPECT_EQ(summary.failed, 1U) << "it ran for 25 s, and has waited for some 5";
  EXPECT_EQ(summary.queued, 1U);
  stage.live(20, {});
  summary = stage.router->summary(stage.now);
  EXPECT_EQ(summary.failed, 2U) << "now it has waited for 20 s";
  const WhyReply why = stage.router->why(stage.now, to_text(job_id(2)));
  ASSERT_TRUE(why.job);
  EXPECT_EQ(why.job->detail, "waited 20 s, the longest that its rule allows");
}

TEST(LostWork, ARejectingPolicyReportsThatThereIsNoRoomNow) {
  auto policy = parse_policy(R"(
[policy]
default_action = "reject"
[pool.h100]
match = { model = "h100*" }
[[rule]]
name = "all"
pools = ["h100"]
)",
                             "test.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  RouterHarness stage({}, *policy);
  stage.add_host(1, "h1");
  stage.receive(9, Submit{{train_job(1, 8)}});
  stage.tick();
  stage.commit();
  const WhyReply why = stage.router->why(stage.now, to_text(job_id(1)));
  ASSERT_TRUE(why.job);
  EXPECT_EQ(why.job->state, JobState::failed);
  EXPECT_NE(why.job->detail.find("no capacity now"), std::string::npos) << why.job->detail;
}

TEST(LostWork, ARejectingPolicyReportsCapacityIfOnlyAnotherPoolCanNeverRunIt) {
  auto policy = parse_policy(R"(
[policy]
default_action = "reject"
[pool.v5e]
match = { model = "v5e" }
[pool.h100]
match = { model = "h100*" }
[[rule]]
name = "all"
pools = ["v5e", "h100"]
)",
                             "test.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  RouterHarness stage({}, *policy);
  stage.add_host(1, "h1");  // a replica has one device: no room for a gang of 8
  stage.receive(2, Join{Role::agent, "t1", "drover test"});
  stage.receive(2, stage.registration("t1", 1, "tpu-v5e"));
  Job job = train_job(1, 8);
  job.work.precisions = {Precision::fp16};  // no TPU has it
  stage.receive(9, Submit{{job}});
  stage.tick();
  stage.commit();
  const WhyReply why = stage.router->why(stage.now, to_text(job_id(1)));
  ASSERT_TRUE(why.job);
  EXPECT_NE(why.job->detail.find("no capacity now"), std::string::npos) << why.job->detail;
  EXPECT_EQ(why.job->reason, Reason::capacity);
}

TEST(LostWork, ARejectingPolicyReportsThatNoRuleMatches) {
  auto policy = parse_policy(R"(
[policy]
default_action = "reject"
[pool.h100]
match = { model = "h100*" }
[[rule]]
name = "serving"
when = { kind = "inference" }
pools = ["h100"]
)",
                             "test.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  RouterHarness stage({}, *policy);
  stage.add_host(1, "h1");
  stage.receive(9, Submit{{train_job(1, 1)}});
  stage.tick();
  stage.commit();
  const WhyReply why = stage.router->why(stage.now, to_text(job_id(1)));
  ASSERT_TRUE(why.job);
  EXPECT_EQ(why.job->detail, "no rule of the policy matches it");
}

}  // namespace
}  // namespace drover::router
