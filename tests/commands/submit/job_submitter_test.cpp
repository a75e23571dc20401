#include "commands/submit/job_submitter.h"

#include <gtest/gtest.h>

namespace drover::commands {
namespace {

using std::chrono::milliseconds;
constexpr WallTime start{};

Job job(std::uint64_t number) {
  Job made;
  made.id = {7, number};
  made.work.model = "llama-3.1-8b";
  return made;
}

SubmitReply reply_to(const Submit& submit, SubmitStatus status = SubmitStatus::accepted) {
  SubmitReply reply;
  for (const Job& sent : submit.jobs) {
    SubmitResult result;
    result.job = sent.id;
    result.status = status;
    reply.results.push_back(result);
  }
  return reply;
}

TEST(JobSubmitter, SendsJobsInOrderInBatchesThatFitASubmit) {
  JobSubmitter delivery;
  for (std::uint64_t i = 0; i < submit_jobs_max + 1; ++i) delivery.add(job(i));
  const auto sends = delivery.due(start);
  ASSERT_EQ(sends.size(), 2U);
  EXPECT_EQ(sends[0].jobs.size(), submit_jobs_max);
  ASSERT_EQ(sends[1].jobs.size(), 1U);
  EXPECT_EQ(sends[1].jobs[0].id.low, submit_jobs_max);
}

TEST(JobSubmitter, SendsNothingTwiceBeforeTheRetryTimeout) {
  JobSubmitter delivery;
  delivery.add(job(1));
  delivery.due(start);
  EXPECT_TRUE(delivery.due(start + JobSubmitter::retry_after - milliseconds(1)).empty());
}

TEST(JobSubmitter, ResendsTheSameJobAfterTheRetryTimeout) {
  JobSubmitter delivery;
  delivery.add(job(1));
  const auto first = delivery.due(start);
  EXPECT_EQ(delivery.next_deadline(), start + JobSubmitter::retry_after);
  const auto again = delivery.due(start + JobSubmitter::retry_after);
  EXPECT_EQ(again, first);
  EXPECT_EQ(delivery.counts().sent_again, 1U);
}

TEST(JobSubmitter, ResendsOnlyUnacknowledgedJobs) {
  JobSubmitter delivery;
  delivery.add(job(1));
  delivery.add(job(2));
  delivery.due(start);
  delivery.receive(reply_to(Submit{{job(1)}}));
  const auto again = delivery.due(start + JobSubmitter::retry_after);
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].jobs, std::vector<Job>{job(2)});
}

TEST(JobSubmitter, ReportsEachAcceptedJobOnceAndNoOther) {
  JobSubmitter delivery;
  std::vector<JobId> taken;
  delivery.on_accepted = [&](JobId id) { taken.push_back(id); };
  for (const std::uint64_t number : {1, 2, 3}) delivery.add(job(number));
  delivery.due(start);
  delivery.receive(reply_to({{job(2)}}));
  delivery.receive(reply_to({{job(2)}}, SubmitStatus::exists));
  delivery.receive(reply_to({{job(1)}}, SubmitStatus::exists));
  delivery.receive(reply_to({{job(3)}}, SubmitStatus::refused));
  EXPECT_EQ(taken, (std::vector<JobId>{job(2).id, job(1).id}));
}

TEST(JobSubmitter, CountsEachJobOnceHoweverOftenItIsAcknowledged) {
  JobSubmitter delivery;
  delivery.add(job(1));
  const auto sends = delivery.due(start);
  delivery.receive(reply_to(sends[0]));
  delivery.receive(reply_to(sends[0], SubmitStatus::exists));
  EXPECT_EQ(delivery.counts().accepted, 1U);
  EXPECT_EQ(delivery.counts().existed, 0U);
  EXPECT_EQ(delivery.open(), 0U);
}

TEST(JobSubmitter, CountsReportedRefusalsAsEnded) {
  JobSubmitter delivery;
  int told = 0;
  delivery.on_refusal = [&](const SubmitResult&) { ++told; };
  delivery.add(job(1));
  delivery.receive(reply_to(delivery.due(start)[0], SubmitStatus::refused));
  delivery.add(job(2));
  delivery.receive(reply_to(delivery.due(start)[0], SubmitStatus::conflict));
  EXPECT_EQ(told, 2);
  EXPECT_EQ(delivery.counts().refused, 2U);
  EXPECT_EQ(delivery.open(), 0U);
}

TEST(JobSubmitter, HoldsBackJobsBeyondTheInFlightLimit) {
  JobSubmitter delivery;
  const std::uint64_t more = 100;
  for (std::uint64_t i = 0; i < JobSubmitter::in_flight_max + more; ++i) delivery.add(job(i));
  const auto sends = delivery.due(start);
  std::size_t sent = 0;
  for (const Submit& submit : sends) sent += submit.jobs.size();
  EXPECT_EQ(sent, JobSubmitter::in_flight_max);
  for (const Submit& submit : sends) delivery.receive(reply_to(submit));
  const auto rest_of_them = delivery.due(start + milliseconds(1));
  ASSERT_EQ(rest_of_them.size(), 1U);
  EXPECT_EQ(rest_of_them[0].jobs.size(), more);
}

TEST(JobSubmitter, WaitsForNothingWhenAllIsAcknowledged) {
  JobSubmitter delivery;
  EXPECT_EQ(delivery.next_deadline(), WallTime::max());
  delivery.add(job(1));
  delivery.receive(reply_to(delivery.due(start)[0]));
  EXPECT_EQ(delivery.next_deadline(), WallTime::max());
}

TEST(JobSubmitter, IgnoresAnswersAboutJobsItDidNotSend) {
  JobSubmitter delivery;
  delivery.receive(reply_to(Submit{{job(9)}}));
  const JobSubmitter::Counts& counts = delivery.counts();
  EXPECT_EQ(counts.accepted + counts.existed + counts.refused, 0U);
}

}  // namespace
}  // namespace drover::commands
