#include "router/router.h"

#include <gtest/gtest.h>

#include <map>

#include "router/lint/policy_file.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

// ---- Meeting -----------------------------------------------------------------------------------

TEST(JoinProtocol, AnUnknownAgentIsAskedToReregisterOncePerHeartbeat) {
  RouterHarness stage;
  for (int message = 0; message < 10; ++message) stage.receive(1, Heartbeat{});
  EXPECT_EQ(stage.told<Reregister>(1).size(), 1u);
  stage.wait(seconds(1));
  stage.receive(1, Heartbeat{});
  EXPECT_EQ(stage.told<Reregister>(1).size(), 2u);
}

TEST(JoinProtocol, TheNewestIncarnationOfAHostWins) {
  RouterHarness stage;
  stage.add_host(1, "h1", 1);
  stage.add_host(2, "h1", 2);
  EXPECT_EQ(stage.told<Superseded>(1).size(), 1u);
  EXPECT_TRUE(stage.told<Superseded>(2).empty());
  stage.receive(3, stage.registration("h1", 1));
  EXPECT_EQ(stage.told<Superseded>(3).size(), 1u) << "the old life stays replaced";
}

TEST(JoinProtocol, ARoleMaySendOnlyTheMessagesInItsTable) {
  RouterHarness stage;
  stage.receive(1, Join{Role::viewer, "screen", ""});
  stage.receive(2, Join{Role::client, "feeder", ""});
  stage.receive(3, Join{Role::agent, "h3", ""});
  const std::vector<std::pair<std::uint64_t, Message>> misplaced = {
      {1, Submit{}},    {1, EndRunRequest{}}, {1, Heartbeat{}}, {1, stage.registration("h1")},
      {2, Finished{}},  {2, Accepted{}},      {3, Submit{}},    {3, SnapshotRequest{}},
      {2, JobChanged{}}};
  for (const auto& [peer, message] : misplaced) {
    stage.forget();
    stage.receive(peer, message);
    EXPECT_EQ(stage.told<RequestError>(peer).size(), 1u) << kind_name(message);
  }
  EXPECT_EQ(stage.router->summary(stage.now).undecodable, misplaced.size());
  stage.forget();
  stage.receive(1, RequestError{"no"});
  EXPECT_TRUE(stage.delivered.empty()) << "never a problem for a problem";
}

TEST(JoinProtocol, WorkThatTheAgentStillHoldsContinues) {
  Assigned stage;
  stage.receive(1, Accepted{job_id(1), 1});
  stage.commit();
  ASSERT_TRUE(stage.restart());
  Register registration = stage.registration("h1");
  registration.replicas = {RouterHarness::replica("h1", 0)};
  registration.held = {{job_id(1), 1}};
  stage.receive(5, registration);
  stage.live(20, {{5, "h1"}});
  EXPECT_TRUE(stage.told<Assign>(5).empty());
  EXPECT_TRUE(stage.told<Cancel>(5).empty());
  stage.receive(5, finished_of(stage.assign));
  stage.commit();
  EXPECT_EQ(stage.told<ResultStored>(5).size(), 1u);
  EXPECT_EQ(stage.router->summary(stage.now).finished, 1u);
}

TEST(JoinProtocol, WorkThatTheAgentLostIsRequeued) {
  Assigned stage;
  Register registration = stage.registration("h1", 2);
  registration.replicas = {RouterHarness::replica("h1", 0)};
  stage.receive(2, registration);
  stage.live(2, {{2, "h1"}});
  const auto again = stage.told<Assign>(2);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].attempt, 2u);
}

TEST(JoinProtocol, WorkThatTheLedgerDoesNotKnowIsCancelled) {
  RouterHarness stage;
  Register registration = stage.registration("h1");
  registration.held = {{job_id(77), 3}};
  stage.receive(1, registration);
  const auto cancels = stage.told<Cancel>(1);
  ASSERT_EQ(cancels.size(), 1u);
  EXPECT_EQ(cancels[0].job, job_id(77));
}

// ---- Submit ------------------------------------------------------------------------------------

TEST(Submitting, IsAnsweredOnlyWhenTheJobIsOnDisk) {
  RouterHarness stage;
  stage.receive(9, Submit{{serve_job(1)}});
  EXPECT_TRUE(stage.told<SubmitReply>(9).empty());
  stage.receive(9, Submit{{serve_job(1)}});
  EXPECT_TRUE(stage.told<SubmitReply>(9).empty()) << "`exists` waits for the same write";
  stage.commit();
  const auto replies = stage.told<SubmitReply>(9);
  ASSERT_EQ(replies.size(), 2u);
  EXPECT_EQ(replies[0].results[0].status, SubmitStatus::accepted);
  EXPECT_EQ(replies[1].results[0].status, SubmitStatus::exists);
}

struct Submission {
  const char* what;
  Job job;
  SubmitStatus status;
  Reason reason = Reason::invalid;
  const char* named = "";
};

Job changed(void (*change)(Job&)) {
  Job job = serve_job(5);
  change(job);
  return job;
}

TEST(Submitting, InvalidOrConflictingJobsAreRefusedOnSubmit) {
  RouterHarness stage;
  stage.receive(9, Submit{{serve_job(1)}});
  stage.commit();
  const std::vector<Submission> cases = {
      {"same content", serve_job(1), SubmitStatus::exists},
      {"other content",
       [] {
         Job job = serve_job(1);
         job.priority = 3;
         return job;
       }(),
       SubmitStatus::conflict},
      {"unknown model", changed([](Job& job) { job.work.model = "lama-3.1-8b"; }),
       SubmitStatus::refused, Reason::invalid, "llama-3.1-8b"},
      {"hostile model", changed([](Job& job) { job.work.model = "\x1b[2J"; }),
       SubmitStatus::refused, Reason::invalid, "model"},
      {"model that generates no tokens", changed([](Job& job) { job.work.model = "resnet-50"; }),
       SubmitStatus::refused, Reason::invalid, "resnet-50"},
      {"no prompt", changed([](Job& job) { job.work.input_tokens = 0; }), SubmitStatus::refused,
       Reason::invalid, "input_tokens"},
      {"endless output", changed([](Job& job) { job.work.output_tokens = 0xffffffff; }),
       SubmitStatus::refused, Reason::invalid, "output_tokens"},
      {"bad tenant", changed([](Job& job) { job.tenant = "a b"; }), SubmitStatus::refused,
       Reason::invalid, "tenant"},
      {"no id", changed([](Job& job) { job.id = {}; }), SubmitStatus::refused, Reason::invalid,
       "id"},
      {"gang of none",
       [] {
         Job job = train_job(5, 0);
         return job;
       }(),
       SubmitStatus::refused, Reason::invalid, "devices"},
      {"deadline in the past", changed([](Job& job) { job.deadline = Duration{-1}; }),
       SubmitStatus::refused, Reason::invalid, "deadline"},
  };
  for (const Submission& each : cases) {
    stage.forget();
    stage.receive(9, Submit{{each.job}});
    stage.commit();
    const auto replies = stage.told<SubmitReply>(9);
    ASSERT_EQ(replies.size(), 1u) << each.what;
    const SubmitResult& result = replies[0].results[0];
    EXPECT_EQ(result.status, each.status) << each.what;
    if (each.status != SubmitStatus::refused) continue;
    EXPECT_EQ(result.reason, each.reason) << each.what;
    EXPECT_NE(result.detail.find(each.named), std::string::npos) << result.detail;
    EXPECT_EQ(result.detail.find('\x1b'), std::string::npos) << each.what;
  }
}

TEST(Submitting, IsRefusedWhenTheQueueIsFull) {
  Policy policy = builtin_policy();
  policy.limits.queue_max = 2;
  RouterHarness stage({}, policy);
  stage.receive(9, Submit{{serve_job(1), serve_job(2), serve_job(3), serve_job(3)}});
  stage.commit();
  const auto reply = stage.told<SubmitReply>(9).front();
  EXPECT_EQ(reply.results[1].status, SubmitStatus::accepted);
  EXPECT_EQ(reply.results[2].status, SubmitStatus::refused);
  EXPECT_EQ(reply.results[2].reason, Reason::capacity);
  EXPECT_EQ(stage.router->summary(stage.now).refused, 2u) << "each is judged anew";
}

TEST(Submitting, CountsTokensOncePerAcceptedJob) {
  RouterHarness stage;
  Job batch = serve_job(3);
  batch.work.kind = WorkKind::batch;
  batch.work.items = 10;
  stage.receive(9, Submit{{serve_job(1), serve_job(1), train_job(2, 1), batch}});
  const Summary summary = stage.router->summary(stage.now);
  EXPECT_EQ(summary.accepted, 3u);
  EXPECT_EQ(summary.input_tokens, 11u * 512);
  EXPECT_EQ(summary.output_tokens, 11u * 128);
}

// ---- Attempts ----------------------------------------------------------------------------------

TEST(Attempts, AnAssignmentWaitsForItsLeaseOnDisk) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.receive(9, Submit{{serve_job(1)}});
  stage.tick();
  EXPECT_TRUE(stage.told<Assign>(1).empty());
  stage.commit();
  ASSERT_EQ(stage.told<Assign>(1).size(), 1u);
  EXPECT_NE(stage.told<Assign>(1)[0].model_spec, "");
}

TEST(Attempts, ACancelNeverOvertakesItsAssignment) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.receive(9, Submit{{serve_job(1)}});
  stage.tick();
  stage.receive(9, EndRunRequest{});
  EXPECT_TRUE(stage.told<Cancel>(1).empty());
  stage.commit();
  std::vector<std::string> order;
  for (const Send& send : stage.delivered) {
    if (send.to.number != 1 || send.to.channel != Channel::control) continue;
    const std::string kind(kind_name(send.envelope.body));
    if (kind == "Assign" || kind == "Cancel") order.push_back(kind);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"Assign", "Cancel"}));
}

TEST(Attempts, AResultIsAcknowledgedWhenItIsOnDisk) {
  Assigned stage;
  stage.receive(1, finished_of(stage.assign));
  EXPECT_TRUE(stage.told<ResultStored>(1).empty());
  stage.commit();
  EXPECT_EQ(stage.told<ResultStored>(1).size(), 1u);
  stage.receive(1, finished_of(stage.assign));
  EXPECT_EQ(stage.told<ResultStored>(1).size(), 2u) << "told again, answered again";
  const Summary summary = stage.router->summary(stage.now);
  EXPECT_EQ(summary.finished, 1u);
  EXPECT_EQ(summary.stale_results, 0u);
  EXPECT_DOUBLE_EQ(summary.charged.energy_j, 5);
}

TEST(Attempts, ARefusalUsesOneAndTheLastReasonIsReported) {
  Assigned stage;
  for (std::uint32_t attempt = 1; attempt <= stage.policy.retry.attempts_max; ++attempt) {
    ASSERT_EQ(stage.told<Assign>(1).size(), attempt);
    stage.receive(1, Refused{job_id(1), attempt, Reason::memory, "does not fit"});
    stage.live(5, {{1, "h1"}});  // the longest back-off is four seconds
  }
  const Summary summary = stage.router->summary(stage.now);
  EXPECT_EQ(summary.failed, 1u);
  EXPECT_EQ(summary.failures.at(Reason::memory), 1u);
  EXPECT_EQ(summary.retries, stage.policy.retry.attempts_max - 1);
}

TEST(Attempts, RetriesStayWithinTheirBudget) {
  Policy policy = builtin_policy();
  policy.retry.budget = {0, 2, seconds(10)};
  RouterHarness stage({}, policy);
  stage.add_host(1, "h1");
  for (std::uint64_t number = 1; number <= 6; ++number) {
    stage.receive(9, Submit{{serve_job(number)}});
  }
  stage.tick();
  stage.commit();
  const auto first = stage.told<Assign>(1);
  ASSERT_EQ(first.size(), 6u);
  for (const Assign& assign : first) {
    stage.receive(1, Refused{assign.job.id, assign.attempt, Reason::capacity, ""});
  }
  stage.forget();
  stage.live(3, {{1, "h1"}});
  const auto again = stage.told<Assign>(1);
  ASSERT_EQ(again.size(), 2u);
  const Summary summary = stage.router->summary(stage.now);
  EXPECT_EQ(summary.queued_for, (std::map<Reason, std::uint64_t>{{Reason::budget, 4}}));
  const WhyReply why = stage.router->why(stage.now, to_text(first[2].job.id));
  ASSERT_TRUE(why.job);
  EXPECT_EQ(why.job->reason, Reason::budget) << "and not what failed before";
  EXPECT_NE(why.job->detail.find("retry budget"), std::string::npos) << why.job->detail;
  std::string told;
  for (const JobChanged& changed : stage.published<JobChanged>()) {
    if (changed.job.id == first[2].job.id) told = changed.detail;
  }
  EXPECT_EQ(told, why.job->detail) << "who listens knows it as well, whenever he looks";
  ASSERT_EQ(why.nearest.size(), 1U);
  EXPECT_EQ(why.nearest[0].reason, Reason::budget);
  EXPECT_GT(why.nearest[0].amount, 5);
  stage.live(static_cast<int>(why.nearest[0].amount) + 1, {{1, "h1"}});
  EXPECT_GT(stage.told<Assign>(1).size(), 2U) << "none of those that run has ended";
}

TEST(Attempts, ALateResultIsStoredAndNeverCharged) {
  Assigned stage;
  stage.wait(seconds(13));
  stage.commit();
  EXPECT_EQ(stage.router->summary(stage.now).running, 0u) << "the host was lost";
  stage.add_host(2, "h2");
  stage.wait(seconds(1));
  stage.commit();
  const auto second = stage.told<Assign>(2);
  ASSERT_EQ(second.size(), 1u);
  stage.receive(2, finished_of(second[0], 7));
  stage.add_host(1, "h1");
  stage.forget();
  stage.receive(1, finished_of(stage.assign, 100));
  stage.commit();
  EXPECT_EQ(stage.told<ResultStored>(1).size(), 1u);
  stage.receive(1, finished_of(stage.assign, 100));
  const Summary summary = stage.router->summary(stage.now);
  EXPECT_EQ(summary.stale_results, 1u);
  EXPECT_EQ(summary.finished, 1u);
  EXPECT_DOUBLE_EQ(summary.charged.energy_j, 7);
}

TEST(Attempts, AJobThatWaitsPastItsDeadlineFails) {
  RouterHarness stage;
  Job job = serve_job(1);
  job.deadline = seconds(5);
  stage.receive(9, Submit{{job}});
  stage.wait(seconds(4));
  EXPECT_EQ(stage.router->summary(stage.now).failed, 0u);
  stage.wait(seconds(1));
  EXPECT_EQ(stage.router->summary(stage.now).failures.at(Reason::deadline), 1u);
}

TEST(Attempts, AGangHoldsItsDevicesUntilItEnds) {
  RouterHarness stage;
  Register registration = stage.registration("h1");
  stage.receive(1, registration);
  stage.receive_samples("h1", 1, RouterHarness::idle_samples(8));
  stage.receive(9, Submit{{train_job(1, 8), train_job(2, 8)}});
  stage.live(2, {});
  stage.receive_samples("h1", 2, RouterHarness::idle_samples(8));
  stage.live(1, {});
  const auto first = stage.told<Assign>(1);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].devices.size(), 8u);
  Finished finished = finished_of(first[0]);
  stage.receive(1, finished);
  stage.tick();
  stage.commit();
  EXPECT_EQ(stage.told<Assign>(1).size(), 2u);
}

}  // namespace
}  // namespace drover::router
