#include "router/attempts/waiting_jobs.h"

#include <gtest/gtest.h>

#include "tests/router/table_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

TEST(WaitingJobs, AreLateOnceAtTheirDeadlineUnlessAnAttemptRuns) {
  RouterTables tables;
  Job job = serve_job(1);
  job.deadline = seconds(10);
  JobRecord& waits = tables.jobs.add(job, tables.now);
  job.id = job_id(2);
  JobRecord& runs = tables.jobs.add(job, tables.now);
  runs.state = JobState::running;
  tables.waiting.watch_deadline(waits);
  tables.waiting.watch_deadline(runs);
  EXPECT_EQ(tables.waiting.take_late(tables.now + seconds(9)), nullptr);
  EXPECT_EQ(tables.waiting.take_late(tables.now + seconds(10)), &waits);
  EXPECT_EQ(tables.waiting.take_late(tables.now + seconds(10)), nullptr);
}

TEST(WaitingJobs, OnlyFailedJobsWaitForTheRetryBudget) {
  RouterTables tables;
  tables.policy.retry.budget = {0, 1, seconds(10)};
  JobRecord& record = tables.jobs.add(serve_job(1), tables.now);
  tables.waiting.retry_began(tables.now);
  EXPECT_EQ(tables.waiting.retry_allowed_at(tables.now, record), tables.now);
  record.failed_last = true;
  EXPECT_EQ(tables.waiting.retry_would_be_allowed_at(tables.now, record), tables.now + seconds(10));
  EXPECT_EQ(tables.waiting.retry_allowed_at(tables.now, record), tables.now + seconds(10));
}

TEST(WaitingJobs, JoinTheQueueWithTheirClassAndLeaveItOnce) {
  RouterTables tables;
  JobRecord& record = tables.jobs.add(serve_job(1), tables.now);
  tables.waiting.add(record);
  EXPECT_EQ(tables.queue.size(), 1u);
  EXPECT_NE(record.rule, "");
  tables.waiting.remove(record);
  tables.waiting.remove(record);
  EXPECT_EQ(tables.queue.size(), 0u);
}

}  // namespace
}  // namespace drover::router
