// Lists of jobs: all ended ones can be had, in pages, and every answer says how many there are.
#include <set>

#include <gtest/gtest.h>

#include "fleet/codec/codec.h"
#include "tests/router/action_harness.h"

namespace drover::router {
namespace {

/// So many jobs that nothing can run; the first `cancelled` of them have been cancelled, in order.
struct Listed : RouterHarness {
  explicit Listed(std::uint64_t accepted, std::uint64_t cancelled) {
    for (std::uint64_t number = 1; number <= accepted; ++number) {
      receive(client, Submit{{serve_job(number)}});
      if (number <= cancelled) receive(client, CancelJobs{{to_text(job_id(number))}});
    }
    commit();
  }
  JobsReply ask(const JobsRequest& request) {
    forget();
    receive(client, request);
    return told<JobsReply>(client).at(0);
  }
};

TEST(JobListing, ReportsHowManyEndedJobsExistBesidesThoseShown) {
  Listed stage(110, 104);
  JobsRequest request;
  request.ended_max = 20;
  const JobsReply reply = stage.ask(request);
  EXPECT_EQ(reply.jobs.size(), 26U);
  EXPECT_EQ(reply.left_out, 0U) << "twenty were asked for";
  EXPECT_EQ(reply.ended_kept, 104U);
  EXPECT_EQ(reply.ended_ever, 104U);
  EXPECT_EQ(reply.jobs.at(6).job.id, job_id(104)) << "the last one that ended comes first";
}

TEST(JobListing, GivesAllEndedJobsInPagesAndEachOnce) {
  Listed stage(2'505, 2'500);
  JobsRequest request;
  request.ended_only = true;
  request.ended_max = 5'000;
  std::set<JobId> seen;
  for (int page = 0; page < 100; ++page) {
    const JobsReply reply = stage.ask(request);
    EXPECT_EQ(reply.left_out, 2'500 - seen.size() - reply.jobs.size());
    for (const JobChanged& job : reply.jobs) {
      EXPECT_TRUE(seen.insert(job.job.id).second);
      EXPECT_EQ(job.state, JobState::cancelled);
    }
    if (reply.jobs.empty()) break;
    request.ended_before = reply.jobs.back().job.id;
  }
  EXPECT_EQ(seen.size(), 2'500U);
}

TEST(JobListing, GivesAllOpenJobsInPagesAndEachOnce) {
  Listed stage(2'500, 0);
  JobsRequest request;
  request.ended_max = 0;
  std::set<JobId> seen;
  std::size_t pages = 0;
  for (; pages < 2'500; ++pages) {
    const JobsReply reply = stage.ask(request);
    EXPECT_EQ(reply.left_out, 2'500 - seen.size() - reply.jobs.size());
    for (const JobChanged& job : reply.jobs) EXPECT_TRUE(seen.insert(job.job.id).second);
    if (reply.left_out == 0) break;
    ASSERT_FALSE(reply.jobs.empty());
    request.open_after = reply.jobs.back().job.id;
  }
  EXPECT_EQ(seen.size(), 2'500U);
  EXPECT_GT(pages, 10U);
}

TEST(JobListing, AJobThatEndsBetweenPagesStillLeadsToTheNextPage) {
  Listed stage(300, 0);
  JobsRequest request;
  request.ended_max = 0;
  const JobId last = stage.ask(request).jobs.back().job.id;
  stage.receive(client, CancelJobs{{to_text(last)}});
  stage.commit();
  request.open_after = last;
  const JobsReply reply = stage.ask(request);
  ASSERT_FALSE(reply.jobs.empty());
  for (const JobChanged& job : reply.jobs) EXPECT_NE(job.job.id, last);
}

TEST(JobListing, AReplyIsOnePageHoweverManyJobsThereAre) {
  Listed stage(2'505, 2'500);
  for (const bool ended_only : {false, true}) {
    JobsRequest request;
    request.ended_only = ended_only;
    request.ended_max = 5'000;
    const JobsReply reply = stage.ask(request);
    EXPECT_LE(encode({"router", 1, {}, reply}).size(), 128U * 1024U);
    EXPECT_GT(reply.jobs.size(), 50U);
  }
}

TEST(JobListing, SearchesAllJobsForAStateNotOnlyTheLastOnes) {
  Listed stage(50, 2);
  stage.receive(client, EndRunRequest{});  // 48 fail after the two were cancelled
  stage.commit();
  JobsRequest request;
  request.state = JobState::cancelled;
  request.ended_max = 1;
  JobsReply reply = stage.ask(request);
  ASSERT_EQ(reply.jobs.size(), 1U);
  EXPECT_EQ(reply.jobs[0].job.id, job_id(2));
  EXPECT_EQ(reply.ended_kept, 2U);
  request.ended_before = reply.jobs[0].job.id;
  reply = stage.ask(request);
  ASSERT_EQ(reply.jobs.size(), 1U);
  EXPECT_EQ(reply.jobs[0].job.id, job_id(1));
  request.state = JobState::running;
  EXPECT_TRUE(stage.ask(request).jobs.empty());
}

TEST(JobListing, ReportsThatThereWereMoreJobsWhoseDetailsAreGone) {
  RouterSettings settings;
  settings.retention.ended_jobs = 3;
  RouterHarness stage(settings);
  for (std::uint64_t number = 1; number <= 9; ++number) {
    stage.receive(client, Submit{{serve_job(number)}});
    stage.receive(client, CancelJobs{{to_text(job_id(number))}});
  }
  stage.forget();
  JobsRequest request;
  request.ended_before = job_id(1);
  stage.receive(client, request);
  const JobsReply reply = stage.told<JobsReply>(client).at(0);
  EXPECT_EQ(reply.ended_kept, 3U);
  EXPECT_EQ(reply.ended_ever, 9U);
  EXPECT_TRUE(reply.jobs.empty()) << "nothing is kept that ended before one that has gone";
}

}  // namespace
}  // namespace drover::router
