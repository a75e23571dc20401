// `why` as a router answers it: true for the job as it stands, and without a trace in what follows.
#include <gtest/gtest.h>

#include <set>

#include "fleet/codec/codec.h"
#include "router/decision/candidates.h"
#include "router/lint/policy_file.h"
#include "tests/router/decision_fixture.h"
#include "tests/router/gang_fixture.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

WhyReply why(RouterHarness& stage, std::uint64_t number) {
  return stage.router->why(stage.now, to_text(job_id(number)));
}

/// A gang of 8 that was refused, on a host of 8, under a policy that lets nothing be repeated.
struct HeldRetry : GangHarness {
  static Policy without_retries() {
    Policy policy = builtin_policy();
    policy.retry.budget = {0, 0, seconds(10)};
    return policy;
  }
  HeldRetry() : GangHarness(without_retries()) {
    add(1);
    submit(1, 8);
    receive(1, Refused{job_id(1), 1, Reason::capacity, ""});
    run_with_heartbeats(3);
  }
};

TEST(Why, OfAHeldRetryNamesTheBudgetIfNothingElseIsMissing) {
  HeldRetry stage;
  const WhyReply reply = why(stage, 1);
  ASSERT_EQ(reply.nearest.size(), 1U);
  EXPECT_EQ(reply.nearest[0].change, "a retry budget ([retry] budget) that allows retries");
  EXPECT_EQ(reply.decisions.back().fallback_reason, Reason::budget);
}

TEST(Why, OfAHeldRetryOnAFullFleetNamesWhatElseIsMissing) {
  HeldRetry stage;
  stage.submit(2, 8);
  stage.run_with_heartbeats(1);
  const WhyReply reply = why(stage, 1);
  ASSERT_FALSE(reply.nearest.empty());
  for (const NearestFit& fit : reply.nearest) EXPECT_NE(fit.reason, Reason::budget) << fit.change;
  EXPECT_EQ(reply.nearest[0].reason, Reason::capacity);
  EXPECT_NE(reply.nearest[0].change.find(", and a retry budget"), std::string::npos)
      << reply.nearest[0].change;
  EXPECT_EQ(reply.job->reason, Reason::budget);
}

TEST(Why, OfAHeldRetryIsAvailableAfterARestart) {
  HeldRetry stage;
  ASSERT_TRUE(stage.restart());
  const WhyReply reply = why(stage, 1);
  EXPECT_EQ(reply.problem, "");
  ASSERT_FALSE(reply.decisions.empty());
  EXPECT_EQ(reply.decisions.back().action, Action::queue);
  EXPECT_EQ(reply.decisions.back().fallback_reason, Reason::budget);
}

TEST(Why, OfAWaitingJobShowsTheCurrentStateOfCandidates) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.receive(9, Submit{{train_job(1, 8)}});
  stage.live(2, {{1, "h1"}});
  ASSERT_EQ(why(stage, 1).candidates.size(), 1U);
  stage.add_host(2, "h2");
  stage.live(2, {{1, "h1"}, {2, "h2"}});
  const WhyReply reply = why(stage, 1);
  EXPECT_EQ(reply.decisions.size(), 1U) << "it waits for the same as before";
  EXPECT_EQ(reply.candidates.size(), 2U) << "though another host has come since";
  EXPECT_EQ(reply.candidates_of_decision, 0U);
}

TEST(Why, ExplainsTheJobItselfEvenIfASimilarOneWaitsForSomethingElse) {
  Policy policy = policy_of(R"([pool.gpu]
match = { kind = "gpu" }
[replicas]
manage = false
[[rule]]
name = "all"
)");
  policy.impossible_after_s = 0;
  RouterHarness stage({}, policy);
  stage.receive(1, Join{Role::agent, "h1", "drover test"});
  Register said = stage.registration("h1");
  said.replicas = {RouterHarness::replica("h1", 0)};
  said.replicas[0].kv_capacity_tokens = 1000;
  said.replicas[0].kv_used_tokens = 900;
  stage.receive(1, said);
  Job longer = serve_job(1);
  longer.work.input_tokens = 900;
  Job shorter = serve_job(2);
  shorter.work.input_tokens = 600;
  stage.receive(9, Submit{{longer, shorter}});
  stage.live(2, {{1, "h1"}});
  stage.receive(9, JobsRequest{});
  const auto listed = stage.told<JobsReply>(9);
  ASSERT_FALSE(listed.empty());
  std::map<JobId, std::optional<Reason>> reasons;
  for (const JobChanged& job : listed.back().jobs) reasons[job.job.id] = job.reason;
  EXPECT_EQ(reasons[longer.id], Reason::memory) << "it never fits";
  EXPECT_EQ(reasons[shorter.id], Reason::capacity) << "it will";
  for (const std::uint64_t number : {1U, 2U}) {
    const WhyReply reply = why(stage, number);
    EXPECT_EQ(reply.job->reason, reasons[job_id(number)]);
    EXPECT_EQ(reply.decisions.back().fallback_reason, reasons[job_id(number)]);
  }
}

/// A gang of a higher priority for which another one makes room, over some seconds; all that the
/// router said, as bytes.
std::vector<std::string> said_while(bool asked) {
  GangHarness fixture(policy_of(urgent_rules));
  fixture.add(1);
  Job running = train_job(1, 8);
  running.work_class = "research";
  running.work.steps = 1'000'000;
  fixture.receive(GangHarness::client, Submit{{running}});
  fixture.run_with_heartbeats(1);
  fixture.accept(1, 1, 1.0);
  Job urgent = train_job(2, 8);
  urgent.priority = 5;
  urgent.work.steps = 999;
  fixture.receive(GangHarness::client, Submit{{urgent}});
  for (int second = 0; second < 30; ++second) {
    fixture.run_with_heartbeats(1);
    if (second == 10) fixture.submit(3, 1);
    for (const std::uint64_t number : {1U, 2U, 3U}) {
      if (asked) why(fixture, number);
    }
  }
  std::vector<std::string> said;
  const auto events = fixture.published<Event>();
  EXPECT_TRUE(std::any_of(events.begin(), events.end(),
                          [](const Event& event) { return event.text.starts_with("preempts"); }));
  for (const Send& send : fixture.delivered) said.push_back(encode(send.envelope));
  return said;
}

TEST(Why, DoesNotChangeWhatTheRouterSendsLater) {
  const std::vector<std::string> unasked = said_while(false);
  const std::vector<std::string> asked = said_while(true);
  ASSERT_EQ(unasked.size(), asked.size());
  for (std::size_t at = 0; at < asked.size(); ++at) ASSERT_EQ(unasked[at], asked[at]) << at;
}

TEST(Why, NamesEachCandidateOnceDespiteAFailedStickyFallback) {
  DecisionFixture fleet(R"([pool.h100]
match = { model = "h100*" }
[pool.l4]
match = { model = "l4" }
[[rule]]
name = "all"
pools = ["h100"]
  [[rule.fallback]]
  on = "*"
  to = "l4"
  failback = { after_s = 600 }
)");
  for (const HostIndex host :
       {fleet.add_host("fast", "h100-sxm", 1), fleet.add_host("small", "l4", 1)}) {
    fleet.fleet_state.reserve_gang(fleet.now, {9, host}, host, {0}, fleet.now + seconds(60), 0);
  }
  FailbackState route;
  route.fallback = 0;
  route.fell_back = fleet.now;
  route.probes = 1;
  const Job job = fleet.training(1);
  PlacementRequest ask = fleet.ask(job);
  ask.failback = &route;
  ASSERT_FALSE(fleet.decide(ask).place);
  std::set<std::pair<std::uint16_t, std::uint32_t>> seen;
  for (const RecordRow& row : fleet.estimator.scratch().record) {
    EXPECT_TRUE(seen.emplace(row.pool, row.place).second) << "twice in pool " << row.pool;
  }
  EXPECT_EQ(seen.size(), 2U);
}

}  // namespace
}  // namespace drover::router
