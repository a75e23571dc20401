// Jobs that people end: when they end, as what, and that each ends once.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "router/jobs/accounting.h"
#include "tests/router/action_harness.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

CancelJobs cancel(std::vector<std::uint64_t> numbers) {
  CancelJobs jobs;
  for (const std::uint64_t number : numbers) jobs.jobs.push_back(to_text(job_id(number)));
  return jobs;
}

CancelReply ask(RouterHarness& stage, Message action) {
  stage.forget();
  stage.receive(client, std::move(action));
  stage.commit();
  const auto replies = stage.told<CancelReply>(client);
  DROVER_REQUIRE(replies.size() == 1);
  return replies[0];
}

std::vector<Transition> ends_of(const RouterHarness& stage, std::uint64_t number) {
  std::vector<Transition> ends;
  for (const LedgerRow& row : stage.disk) {
    const bool end = row.transition == Transition::finished || row.transition == Transition::failed;
    if (end && row.job == job_id(number)) ends.push_back(row.transition);
  }
  return ends;
}

JobChanged last_of(const RouterHarness& stage) {
  const auto changes = stage.published<JobChanged>();
  DROVER_REQUIRE(!changes.empty());
  return changes.back();
}

Failed obeyed(const Assign& assign) {
  return {assign.job.id, assign.attempt, {}, Reason::cancelled, "", {1, 2, 3}};
}

const std::vector<Transition> failed_once{Transition::failed};
const std::vector<Transition> finished_once{Transition::finished};

/// One job runs, and a client called ann is there.
struct Running : Assigned {
  Running() {
    receive(client, Join{Role::client, "ann", "drover test"});
    receive(1, Accepted{job_id(1), 1});
    commit();
    forget();
  }
};

TEST(Cancelling, AQueuedJobEndsOnDiskBeforeTheReply) {
  RouterHarness stage;
  stage.receive(client, Join{Role::client, "ann", "drover test"});
  stage.receive(client, Submit{{serve_job(1)}});
  stage.commit();
  stage.receive(client, cancel({1}));
  EXPECT_TRUE(stage.told<CancelReply>(client).empty());
  stage.commit();
  const CancelReply reply = stage.told<CancelReply>(client).at(0);
  ASSERT_EQ(reply.results.size(), 1U);
  EXPECT_EQ(reply.results[0].status, CancelStatus::cancelled);
  EXPECT_EQ(reply.results[0].job, job_id(1));
  EXPECT_EQ(last_of(stage).state, JobState::cancelled);
  EXPECT_EQ(last_of(stage).reason, Reason::cancelled);
  EXPECT_EQ(last_of(stage).detail, "cancelled by ann");
  EXPECT_EQ(ends_of(stage, 1), failed_once);
  EXPECT_EQ(stage.router->summary(stage.now).queued, 0U);
}

TEST(Cancelling, NamesTheUserTheHostAndTheProvenKey) {
  struct Case {
    const char* name;
    const char* key;
    const char* shown;
  };
  for (const Case& c : {Case{"ann:node-7", "", "ann@node-7"}, Case{"ann", "", "ann"},
                        Case{"ann:node-7", "ops", "ops/ann@node-7"},
                        Case{"ops:node-7", "guest", "guest/ops@node-7"},
                        Case{"ann:10.0.0.7:22", "", "ann@10.0.0.7:22"}}) {
    RouterHarness stage;
    const Join join{Role::client, c.name, "drover test"};
    stage.router->receive(stage.now, {Channel::control, client}, {"peer", 1, stage.now, join},
                          c.key);
    stage.receive(client, Submit{{serve_job(1)}});
    stage.commit();
    stage.receive(client, cancel({1}));
    stage.commit();
    EXPECT_EQ(last_of(stage).detail, fmt::format("cancelled by {}", c.shown));
    EXPECT_EQ(stage.published<Audit>().at(0).who, c.shown);
  }
}

TEST(Cancelling, ARunningJobEndsWhenItsAgentConfirms) {
  Running stage;
  stage.receive(client, cancel({1}));
  EXPECT_TRUE(stage.told<Cancel>(1).empty()) << "not before it is on record";
  stage.commit();
  EXPECT_EQ(stage.told<Cancel>(1).at(0), (Cancel{job_id(1), 1, Reason::cancelled}));
  const CancelResult result = stage.told<CancelReply>(client).at(0).results.at(0);
  EXPECT_EQ(result.status, CancelStatus::cancelling);
  EXPECT_EQ(result.detail, "attempt 1 on h1/r0 is being cancelled");
  EXPECT_EQ(last_of(stage).state, JobState::running);
  EXPECT_EQ(last_of(stage).detail, "being cancelled by ann");
  EXPECT_TRUE(ends_of(stage, 1).empty());
  stage.receive(1, obeyed(stage.assign));
  stage.commit();
  EXPECT_EQ(last_of(stage).reason, Reason::cancelled);
  EXPECT_EQ(last_of(stage).detail, "cancelled by ann");
  EXPECT_EQ(ends_of(stage, 1), failed_once);
  EXPECT_EQ(stage.router->summary(stage.now).wasted, (Usage{1, 2, 3})) << "it is charged";
  EXPECT_EQ(stage.told<ResultStored>(1).size(), 1U);
}

TEST(Cancelling, KeepsOnlyTheEndThatIsWrittenFirst) {
  Running finished_first;
  ask(finished_first, cancel({1}));
  finished_first.receive(1, finished_of(finished_first.assign));
  finished_first.receive(1, obeyed(finished_first.assign));
  finished_first.commit();
  EXPECT_EQ(ends_of(finished_first, 1), finished_once);
  EXPECT_EQ(finished_first.router->summary(finished_first.now).stale_results, 0U);

  Running cancelled_first;
  ask(cancelled_first, cancel({1}));
  cancelled_first.receive(1, obeyed(cancelled_first.assign));
  cancelled_first.receive(1, finished_of(cancelled_first.assign));
  cancelled_first.commit();
  EXPECT_EQ(ends_of(cancelled_first, 1), failed_once);
  EXPECT_EQ(cancelled_first.told<ResultStored>(1).size(), 2U) << "the agent may forget it";

  Running before;
  before.receive(1, finished_of(before.assign));
  const CancelResult late = ask(before, cancel({1})).results.at(0);
  EXPECT_EQ(late.status, CancelStatus::ended);
  EXPECT_EQ(late.detail, "it had finished already");
  EXPECT_TRUE(before.told<Cancel>(1).empty());
  EXPECT_EQ(ends_of(before, 1), finished_once);
}

TEST(Cancelling, EndsAsCancelledOnAnyFailureOrRefusalByTheAgent) {
  for (const Reason reason : {Reason::unhealthy, Reason::memory, Reason::drain}) {
    Running stage;
    ask(stage, cancel({1}));
    stage.receive(1, Failed{job_id(1), 1, {}, reason, "boom", {}});
    stage.commit();
    EXPECT_EQ(last_of(stage).reason, Reason::cancelled) << to_text(reason);
    EXPECT_EQ(ends_of(stage, 1), failed_once);
  }
  Assigned refused;
  ask(refused, cancel({1}));
  refused.receive(1, Refused{job_id(1), 1, Reason::capacity, ""});
  refused.commit();
  EXPECT_EQ(ends_of(refused, 1), failed_once);
}

TEST(Cancelling, AJobWhoseHostIsLostEndsAsCancelledInsteadOfRunningAgain) {
  Running stage;
  stage.add_host(2, "h2");
  ask(stage, cancel({1}));
  stage.live(13, {{2, "h2"}});
  EXPECT_EQ(ends_of(stage, 1), failed_once);
  EXPECT_TRUE(stage.told<Assign>(2).empty());
  EXPECT_EQ(stage.router->summary(stage.now).queued, 0U);
}

TEST(Cancelling, CancelIsResentEachHeartbeatUntilTheAttemptEnds) {
  Running stage;
  ask(stage, cancel({1}));
  stage.live(3, {{1, "h1"}});
  EXPECT_EQ(stage.told<Cancel>(1).size(), 4U);
  stage.receive(1, obeyed(stage.assign));
  stage.forget();
  stage.live(3, {{1, "h1"}});
  EXPECT_TRUE(stage.told<Cancel>(1).empty());
}

TEST(Cancelling, IsNotForgottenWhenTheRouterRestartsInTheMiddle) {
  for (const bool held : {true, false}) {
    Running stage;
    ask(stage, cancel({1}));
    ASSERT_TRUE(stage.restart());
    stage.forget();
    Register registration = stage.registration("h1");
    registration.replicas = {RouterHarness::replica("h1", 0)};
    if (held) registration.held = {{job_id(1), 1}};
    stage.receive(1, registration);
    stage.live(1, {{1, "h1"}});
    if (held) {
      ASSERT_FALSE(stage.told<Cancel>(1).empty());
      EXPECT_EQ(stage.told<Cancel>(1)[0].reason, Reason::cancelled);
      EXPECT_TRUE(ends_of(stage, 1).empty());
      stage.receive(1, obeyed(stage.assign));
      stage.commit();
    }
    EXPECT_EQ(ends_of(stage, 1), failed_once) << held;
    EXPECT_EQ(last_of(stage).detail, "cancelled by ann");
    EXPECT_TRUE(stage.told<Assign>(1).empty());
  }
}

TEST(Cancelling, WaitsOnlyOnceForAHostThatStaysAwayAfterARestart) {
  Running stage;
  ask(stage, cancel({1}));
  ASSERT_TRUE(stage.restart());
  stage.wait(seconds(13));
  stage.commit();
  EXPECT_EQ(ends_of(stage, 1), failed_once);
}

TEST(Cancelling, IsDoneOnceWhenRequestedTwice) {
  Running stage;
  ask(stage, cancel({1}));
  const std::size_t rows = stage.disk.size();
  EXPECT_EQ(ask(stage, cancel({1, 1})).results.at(1).status, CancelStatus::cancelling);
  EXPECT_EQ(stage.disk.size(), rows + 1) << "the audit alone";
  stage.receive(1, obeyed(stage.assign));
  const CancelResult again = ask(stage, cancel({1})).results.at(0);
  EXPECT_EQ(again.status, CancelStatus::cancelled);
  EXPECT_EQ(again.detail, "it had been cancelled already");
  EXPECT_EQ(ends_of(stage, 1), failed_once);
}

TEST(Cancelling, ReportsTheOutcomeForEachJob) {
  struct Case {
    std::string asked;
    CancelStatus status;
    std::string detail;
  };
  Running stage;
  stage.receive(client, Submit{{serve_job(2, "llama-3.1-70b"), serve_job(0x21, "llama-3.1-70b")}});
  stage.receive(client, EndRunRequest{});  // all of them fail
  stage.receive(1, Failed{job_id(1), 1, {}, Reason::ended, "", {}});
  stage.commit();
  const Case cases[] = {
      {to_text(job_id(2)), CancelStatus::ended,
       "it had failed already: the run ended before the job did"},
      {to_text(job_id(7)), CancelStatus::unknown,
       "no job id begins with \"00000000000000000000000000000007\"; expected a job id (32 digits "
       "0-9 a-f) or its first digits"},
      {"00", CancelStatus::unknown, "several jobs begin with \"00\"; give more digits"},
      {"", CancelStatus::unknown,
       "no job id begins with \"\"; expected a job id (32 digits 0-9 a-f) or its first digits"},
      {"x\x1b", CancelStatus::unknown,
       "no job id begins with \"x^[\"; expected a job id (32 digits 0-9 a-f) or its first digits"},
  };
  for (const Case& each : cases) {
    const CancelResult result = ask(stage, CancelJobs{{each.asked}}).results.at(0);
    EXPECT_EQ(result.status, each.status) << each.asked;
    EXPECT_EQ(result.detail, each.detail);
    EXPECT_FALSE(stage.published<Audit>().at(0).applied);
  }
  EXPECT_EQ(ask(stage, CancelJobs{}).problem, "no job given, expected ids or their first digits");
}

TEST(Cancelling, KnowsAJobThatEndedTooLongAgoToBeShown) {
  RouterSettings settings;
  settings.retention.ended_jobs = 1;
  RouterHarness stage(settings);
  stage.receive(client, Submit{{serve_job(1), serve_job(2)}});
  ask(stage, cancel({1, 2}));
  const CancelResult result = ask(stage, cancel({1})).results.at(0);
  EXPECT_EQ(result.status, CancelStatus::cancelled);
  EXPECT_EQ(result.job, job_id(1));
  EXPECT_EQ(result.detail, "it had been cancelled already");
}

TEST(Cancelling, IsCountedSeparatelyInAllTotalsEvenAfterARestart) {
  Running stage;
  stage.receive(client, Submit{{serve_job(2, "llama-3.1-70b"), serve_job(3, "llama-3.1-70b")}});
  ask(stage, cancel({1, 2}));
  stage.receive(1, obeyed(stage.assign));
  stage.receive(client, EndRunRequest{});  // the third fails
  stage.commit();
  for (const bool restarted : {false, true}) {
    if (restarted) {
      ASSERT_TRUE(stage.restart());
    }
    const Summary sums = stage.router->summary(stage.now);
    EXPECT_EQ(sums.cancelled, 2U) << restarted;
    EXPECT_EQ(sums.failed, 1U) << restarted;
    EXPECT_FALSE(sums.failures.contains(Reason::cancelled));
    EXPECT_EQ(sums.accepted, sums.finished + sums.failed + sums.cancelled);
    JobsRequest request;
    request.state = JobState::cancelled;
    stage.forget();
    stage.receive(client, request);
    const JobsReply reply = stage.told<JobsReply>(client).at(0);
    ASSERT_EQ(reply.jobs.size(), 2U) << restarted;
    EXPECT_EQ(reply.jobs[0].detail, "cancelled by ann");
    EXPECT_EQ(reply.ended_ever, 2U);
  }
}

TEST(Cancelling, IsAuditedOnceForAllJobsOfTheRequest) {
  Running stage;
  stage.receive(client, Submit{{serve_job(2, "llama-3.1-70b")}});
  const CancelReply reply = ask(stage, cancel({1, 2, 3}));
  ASSERT_EQ(reply.results.size(), 3U);
  const Audit audit = stage.published<Audit>().at(0);
  EXPECT_EQ(audit.who, "ann");
  EXPECT_EQ(audit.action, "cancel");
  EXPECT_TRUE(audit.applied);
  EXPECT_EQ(audit.detail,
            "1 job is cancelled; 1 running job is being cancelled: done when the host replies, "
            "unless the result comes first; 1 is not known");
  EXPECT_TRUE(audit.target.starts_with("job:" + to_text(job_id(1)))) << audit.target;
}

}  // namespace
}  // namespace drover::router
