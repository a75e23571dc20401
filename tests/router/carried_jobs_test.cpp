// How much jobs may carry in lists and texts: the router's memory is bounded in bytes, not only in
// the number of jobs.
#include <string>

#include <gtest/gtest.h>

#include "router/jobs/job_table.h"
#include "router/lint/policy_file.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

Job laden_job(std::uint64_t number) {
  Job job = train_job(number, 8);
  for (int number = 0; number < 60; ++number) {
    job.work.throughputs.push_back({"d" + std::to_string(number) + std::string(60, 'x'), 8, 1.5});
  }
  return job;
}

SubmitResult submit(RouterHarness& stage, const Job& job) {
  stage.delivered.clear();
  stage.receive(9, Submit{{job}});
  stage.commit();
  const auto replies = stage.told<SubmitReply>(9);
  DROVER_REQUIRE(replies.size() == 1 && replies[0].results.size() == 1);
  return replies[0].results[0];
}

TEST(JobPayloads, CountListsAndLongTextsButNotShortOnes) {
  EXPECT_EQ(payload_bytes(serve_job(1)), 0U);
  Job job = serve_job(1);
  job.work.prefix.assign(100, 7);
  EXPECT_EQ(payload_bytes(job), 800U);
  job = serve_job(1);
  job.tenant = std::string(60, 't');
  EXPECT_EQ(payload_bytes(job), 61U);
  job = train_job(1, 8);
  job.work.ops = {"short", std::string(60, 'o')};
  EXPECT_EQ(payload_bytes(job), 2 * sizeof(std::string) + 61);
  job = train_job(1, 8);
  job.work.versions = {{"cuda", "12.4"}};
  EXPECT_GT(payload_bytes(job), 2 * sizeof(std::string));
  EXPECT_GT(payload_bytes(laden_job(1)), 60 * (sizeof(MeasuredThroughput) + 60));
  job = laden_job(1);
  job.work.ops.assign(32, std::string(64, 'o'));
  for (int at = 0; at < 4; ++at) {
    job.work.throughputs.push_back(job.work.throughputs.front());
  }
  for (int at = 0; at < 16; ++at) {
    job.work.versions[std::to_string(at) + std::string(60, 'n')] = std::string(64, '1');
  }
  EXPECT_LT(payload_bytes(job), 20U * 1024) << "no job carries more";
}

TEST(JobPayloads, BeyondTheLimitAreRefusedWhileOtherJobsAreAccepted) {
  Policy policy = builtin_policy();
  policy.limits.queue_max = 1024;
  RouterHarness stage({}, policy);
  stage.receive(9, Join{Role::client, "ann", "drover test"});
  const std::size_t fit = payload_bytes_max(1024) / payload_bytes(laden_job(1));
  std::uint64_t number = 0;
  while (number < fit) {
    ASSERT_EQ(submit(stage, laden_job(++number)).status, SubmitStatus::accepted) << number;
  }
  const SubmitResult refused = submit(stage, laden_job(fit + 1));
  EXPECT_EQ(refused.status, SubmitStatus::refused);
  EXPECT_EQ(refused.reason, Reason::capacity);
  EXPECT_EQ(refused.detail, std::to_string(fit) +
                                " open jobs use 1.0M for measured throughputs, operations and "
                                "prompts; the limit is 1.0M");
  EXPECT_EQ(submit(stage, serve_job(5'000)).status, SubmitStatus::accepted) << "it carries nothing";
  EXPECT_EQ(submit(stage, laden_job(1)).status, SubmitStatus::exists);

  stage.receive(9, CancelJobs{{to_text(job_id(1))}});
  stage.commit();
  EXPECT_EQ(submit(stage, laden_job(fit + 1)).status, SubmitStatus::accepted) << "one has ended";
}

TEST(JobPayloads, OfAcceptedJobsAreRestoredEvenBeyondTheLimit) {
  Policy policy = builtin_policy();
  policy.limits.queue_max = 100'000;
  RouterHarness stage({}, policy);
  stage.receive(9, Join{Role::client, "ann", "drover test"});
  for (std::uint64_t number = 1; number <= 300; ++number) submit(stage, laden_job(number));
  stage.policy.limits.queue_max = 1024;  // they carry more than its room
  ASSERT_TRUE(stage.restart());
  EXPECT_EQ(stage.router->summary(stage.now).queued, 300U);
}

TEST(JobPayloads, LimitHowManyEndedJobsAreKeptInFull) {
  JobTable book(1'000);
  for (std::uint64_t number = 1; number <= 500; ++number) {
    JobRecord& record = book.add(laden_job(number), Instant{});
    record.state = JobState::finished;
    book.ended(record);
  }
  EXPECT_EQ(book.open_payload_bytes(), 0U);
  EXPECT_EQ(book.ended_jobs().size(), payload_bytes_max(1'000) / payload_bytes(laden_job(1)));
  EXPECT_EQ(book.ended_jobs().back()->job.id, job_id(500));
  EXPECT_TRUE(book.remembered(job_id(1)));
}

}  // namespace
}  // namespace drover::router
