// Jobs that no place can run, attempts that are repeated too soon, results of another life.
#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::size_t assigned(const RouterHarness& stage, std::uint64_t peer) {
  return stage.told<Assign>(peer).size();
}

// ---- Back-off ----------------------------------------------------------------------------------

TEST(BackOff, TheOnlyTargetIsRetriedAfterOneTwoAndFourSeconds) {
  Assigned stage;
  std::uint32_t attempt = 1;
  for (const int span_s : {1, 2, 4}) {
    SCOPED_TRACE(span_s);
    stage.receive(1, Refused{job_id(1), attempt, Reason::capacity, ""});
    stage.tick();
    stage.commit();
    EXPECT_EQ(assigned(stage, 1), attempt);
    stage.live(span_s - 1, {{1, "h1"}});
    stage.wait(milliseconds(900));
    stage.commit();
    EXPECT_EQ(assigned(stage, 1), attempt);
    stage.beat(1, "h1");
    stage.wait(milliseconds(100));
    stage.commit();
    EXPECT_EQ(assigned(stage, 1), ++attempt);
  }
}

TEST(BackOff, AnotherTargetIsTriedAtOnce) {
  Assigned stage;
  stage.add_host(2, "h2");
  stage.receive(1, Refused{job_id(1), 1, Reason::capacity, ""});
  stage.tick();
  stage.commit();
  EXPECT_EQ(assigned(stage, 2), 1U);
}

TEST(BackOff, AHostThatJoinsEndsTheWait) {
  Policy policy = builtin_policy();
  policy.retry.backoff_s = 100;
  Assigned stage({}, policy);
  stage.receive(1, Refused{job_id(1), 1, Reason::capacity, ""});
  stage.live(2, {{1, "h1"}});
  EXPECT_EQ(assigned(stage, 1), 1U);
  stage.add_host(2, "h2");
  stage.tick();
  stage.commit();
  EXPECT_EQ(assigned(stage, 2), 1U);
}

TEST(BackOff, AJobInBackOffDoesNotHoldUpOthersOfItsKind) {
  Assigned stage;
  stage.receive(1, Refused{job_id(1), 1, Reason::capacity, ""});
  stage.receive(9, Submit{{serve_job(2)}});
  stage.tick();
  stage.commit();
  ASSERT_EQ(assigned(stage, 1), 2U);
  EXPECT_EQ(stage.told<Assign>(1)[1].job.id, job_id(2));
}

// ---- Impossible jobs ---------------------------------------------------------------------------

struct Impossible : RouterHarness {
  using RouterHarness::RouterHarness;
  /// What became of the job, as published last.
  JobChanged last(std::uint64_t number) const {
    JobChanged found;
    for (const JobChanged& change : published<JobChanged>()) {
      if (change.job.id == job_id(number)) found = change;
    }
    return found;
  }
};

TEST(ImpossibleJobs, FailAtOnceIfARequestExceedsTheContext) {
  Impossible stage;
  Job job = serve_job(1);
  job.work.input_tokens = 200'000;  // llama-3.1: 131,072
  stage.receive(9, Submit{{job}});
  stage.tick();
  EXPECT_EQ(stage.last(1).state, JobState::failed);
  EXPECT_EQ(stage.last(1).reason, Reason::context);
}

TEST(ImpossibleJobs, FailAfterTheGracePeriodIfNoDeviceCanRunThem) {
  struct Case {
    const char* what;
    Job job;
    Reason reason;
  };
  Job ops = serve_job(1);
  ops.work.ops = {"custom_cuda"};
  Job large = train_job(1, 1);
  large.work.model = "llama-3.1-70b";
  Job four_bits = serve_job(1);
  four_bits.work.precisions = {Precision::fp32};
  const Case cases[] = {{"a gang larger than any group", train_job(1, 16), Reason::topology},
                        {"an operation that TPUs miss", ops, Reason::op_unsupported},
                        {"no memory holds it", large, Reason::memory},
                        {"no precision that the rule allows", four_bits, Reason::precision}};
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    Impossible stage;
    stage.receive(1, Join{Role::agent, "h1", "drover test"});
    stage.receive(1, stage.registration("h1", 1, "tpu-v5e"));
    stage.receive(9, Submit{{each.job}});
    stage.live(29, {{1, "h1"}});
    EXPECT_EQ(stage.last(1).state, JobState::queued);
    EXPECT_EQ(stage.last(1).reason, each.reason);
    stage.live(3, {{1, "h1"}});
    EXPECT_EQ(stage.last(1).state, JobState::failed);
    EXPECT_EQ(stage.last(1).reason, each.reason);
    EXPECT_EQ(stage.router->summary(stage.now).failures.at(each.reason), 1U);
    const auto decisions = stage.published<Decision>();
    ASSERT_FALSE(decisions.empty());
    EXPECT_EQ(decisions.back().action, Action::reject);
    EXPECT_EQ(decisions.back().fallback_reason, each.reason);
  }
}

TEST(ImpossibleJobs, RunOnAHostThatJoinsInTime) {
  Impossible stage;
  stage.receive(1, Join{Role::agent, "h1", "drover test"});
  stage.receive(1, stage.registration("h1", 1, "h100-sxm", 4));
  stage.receive(9, Submit{{train_job(1, 8)}});
  stage.live(20, {{1, "h1"}});
  stage.receive(2, Join{Role::agent, "h2", "drover test"});
  stage.receive(2, stage.registration("h2"));
  stage.live(2, {{1, "h1"}, {2, "h2"}});
  EXPECT_EQ(assigned(stage, 2), 1U);
}

TEST(ImpossibleJobs, DoNotFailWhileTheFleetIsEmptyBusyOrLost) {
  Impossible empty;
  empty.receive(9, Submit{{train_job(1, 8)}});
  empty.wait(seconds(60));
  EXPECT_EQ(empty.last(1).state, JobState::queued);
  EXPECT_EQ(empty.last(1).reason, Reason::capacity);

  Impossible busy;
  busy.add_host(1, "h1");  // a replica holds one of its eight devices
  busy.receive(9, Submit{{train_job(1, 8)}});
  busy.live(60, {{1, "h1"}});
  EXPECT_EQ(busy.last(1).state, JobState::queued);
  busy.wait(seconds(60));
  EXPECT_EQ(busy.last(1).state, JobState::queued);
}

TEST(ImpossibleJobs, WaitForeverWithoutAGracePeriod) {
  Policy policy = builtin_policy();
  policy.impossible_after_s = 0;
  Impossible stage({}, policy);
  stage.add_host(1, "h1");
  stage.receive(9, Submit{{train_job(1, 16)}});
  stage.live(60, {{1, "h1"}});
  EXPECT_EQ(stage.last(1).state, JobState::queued);
}

// ---- Fencing -----------------------------------------------------------------------------------

TEST(Fencing, AResultFromAnotherIncarnationOfTheHostIsStale) {
  Assigned stage;
  Finished other = finished_of(stage.assign);
  other.incarnation = {1, 9};
  stage.receive(1, other);
  Failed failed;
  failed.job = other.job;
  failed.attempt = other.attempt;
  failed.incarnation = {1, 9};
  stage.receive(1, failed);
  Summary summary = stage.router->summary(stage.now);
  EXPECT_EQ(summary.finished, 0U);
  EXPECT_EQ(summary.retries, 0U);
  EXPECT_EQ(summary.stale_results, 1U);
  EXPECT_EQ(summary.running, 1U);

  Finished own = finished_of(stage.assign);
  own.incarnation = {1, 1};
  stage.receive(1, own);
  stage.commit();
  summary = stage.router->summary(stage.now);
  EXPECT_EQ(summary.finished, 1U);
  EXPECT_DOUBLE_EQ(summary.charged.energy_j, 5);
  EXPECT_EQ(stage.told<ResultStored>(1).size(), 3U);
}

}  // namespace
}  // namespace drover::router
