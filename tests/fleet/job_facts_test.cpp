#include "fleet/job_facts.h"

#include <cmath>

#include <gtest/gtest.h>

namespace drover {
namespace {

JobChanged job_in(JobState state, WorkKind kind, double progress) {
  JobChanged job;
  job.state = state;
  job.job.work.kind = kind;
  job.progress = progress;
  return job;
}

TEST(JobFacts, ProgressIsKnownForRunningWorkThatReportsIt) {
  EXPECT_EQ(known_progress(job_in(JobState::running, WorkKind::train, 0.4)), 0.4);
  EXPECT_EQ(known_progress(job_in(JobState::running, WorkKind::batch, 0.4)), 0.4);
  EXPECT_TRUE(std::isnan(known_progress(job_in(JobState::running, WorkKind::train, 0))))
      << "it has reported none yet";
  EXPECT_TRUE(std::isnan(known_progress(job_in(JobState::running, WorkKind::serve, 0.4))));
  EXPECT_TRUE(std::isnan(known_progress(job_in(JobState::queued, WorkKind::train, 0.4))))
      << "of an attempt that is over";
  EXPECT_EQ(known_progress(job_in(JobState::finished, WorkKind::serve, 0)), 1);
}

TEST(JobFacts, RemainingTimeIsKnownForWorkThatReportsProgress) {
  JobChanged training = job_in(JobState::running, WorkKind::train, 0.4);
  training.remaining_s = 60;
  EXPECT_EQ(known_remaining_s(training), 60);
  JobChanged request = job_in(JobState::running, WorkKind::serve, 0);
  request.remaining_s = 60;
  EXPECT_TRUE(std::isnan(known_remaining_s(request))) << "that is how long it was expected to take";
  training.state = JobState::queued;
  EXPECT_TRUE(std::isnan(known_remaining_s(training)));
}

TEST(JobFacts, UsageIsKnownOnceAnAttemptOrTheJobHasEnded) {
  JobChanged job = job_in(JobState::running, WorkKind::train, 0);
  EXPECT_FALSE(is_usage_known(job));
  job.usage.device_s = 3;
  EXPECT_TRUE(is_usage_known(job));
  EXPECT_TRUE(is_usage_known(job_in(JobState::cancelled, WorkKind::train, 0)))
      << "one that was cancelled while it waited has cost nothing";
}

}  // namespace
}  // namespace drover
