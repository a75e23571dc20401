// The details of a job: its attempts over time, and where a request's time went.
#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_session.h"

namespace drover::tui {
namespace {

constexpr Instant story_moment(int second) {
  return SampleFleet::start + std::chrono::seconds(second);
}

/// A training job that was preempted, ran again, paused and saved a checkpoint.
void tell_job_story(SampleSession& session) {
  JobChanged job = session.fleet.jobs.front();
  const auto tell = [&](int second) {
    session.dashboard->receive(story_moment(second), publish_peer,
                               session.fleet.published(job, story_moment(second)));
  };
  const auto change = [&](int second, JobState state, std::uint32_t attempt,
                          const std::string& target) {
    job.state = state;
    job.attempt = attempt;
    job.target = target;
    job.since = story_moment(second);
    tell(second);
  };
  job.job.id = {0xabcdef0123456789, 1};
  job.submitted = story_moment(-20);
  job.job.tenant = "story";
  change(-14, JobState::leased, 1, "gpu-a/4-7");
  change(-11, JobState::running, 1, "gpu-a/4-7");
  job.steps_saved = 400;
  tell(-2);
  job.returned = "attempt 1 was requeued at 02:38:05 (preempted: its devices are reserved)";
  job.reason = Reason::capacity;
  change(4, JobState::queued, 1, "");
  job.reason.reset();
  change(15, JobState::leased, 2, "gpu-b/0-3");
  change(20, JobState::running, 2, "gpu-b/0-3");
  job.pause = Pause::peer;
  tell(26);
  job.pause = Pause::none;
  job.steps_saved = 800;
  tell(33);
}

TEST(JobDetails, OfATrainingJobMatchTheReference) {
  for (const Size size : {Size{80, 24}, Size{120, 40}, Size{200, 60}}) {
    SampleSession session("jobs", size);
    tell_job_story(session);
    session.type("/job~bert");
    session.press({"Enter", "f", "j", "j", "Enter"});
    expect_screen("job-attempts-" + std::to_string(size.columns),
                  styled_text(session.dashboard->draw(SampleFleet::after_40s)));
  }
}

TEST(JobDetails, OfAFinishedRequestMatchTheReference) {
  for (const Size size : {Size{80, 24}, Size{120, 40}}) {
    SampleSession session("jobs", size);
    JobChanged job = session.fleet.jobs.back();
    job.job.id = {0x0badf00d00000000, 1};
    job.since = story_moment(38);
    job.submitted = story_moment(34);
    job.latency_s = 4;
    job.outcome = {job.job.work.input_tokens, 301, 0, 0.4, 3.4};
    session.dashboard->receive(story_moment(38), publish_peer,
                               session.fleet.published(job, story_moment(38)));
    session.press({"f", "f", "f", "f", "f", "j", "Enter"});
    expect_screen("job-request-" + std::to_string(size.columns),
                  styled_text(session.dashboard->draw(SampleFleet::after_40s)));
  }
}

TEST(JobDetails, TheAttemptsReadWithoutUnicode) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "jobs", true);
  for (const char* key : {"f", "j", "Enter"}) dashboard->press(SampleFleet::after_40s, {key});
  const std::string text = dashboard->draw(SampleFleet::after_40s).to_text();
  const std::string line = line_with(text, " 1 gpu-a/4-7          ");
  EXPECT_NE(line.find("...#####"), std::string::npos) << text;
  EXPECT_NE(text.find(". waits  # runs"), std::string::npos) << text;
}

}  // namespace
}  // namespace drover::tui
