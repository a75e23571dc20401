// Work of higher priority takes the place of other work: who is told when, who gets the devices,
// and that nothing is lost by it but steps since a checkpoint.
#include <algorithm>

#include <gtest/gtest.h>

#include "router/jobs/victim_selection.h"
#include "tests/router/gang_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

Job training(std::uint64_t number, std::uint16_t devices, int priority,
             const std::string& work_class = "research") {
  Job job = train_job(number, devices);
  job.work.steps = 1000;
  job.work.checkpoint_steps = 100;
  job.priority = static_cast<std::int8_t>(priority);
  job.work_class = work_class;
  return job;
}

/// One host of eight devices, seven of them for gangs.
class Crowded : public RouterHarness {
 public:
  explicit Crowded(const std::string& text = urgent_rules) : RouterHarness({}, policy_of(text)) {
    add_host(1, "h1");
    commit();
  }
  /// Submits, and accepts whatever is assigned.
  void submit(const Job& job) {
    receive(9, Submit{{job}});
    pass(2);
  }
  void pass(int count) {
    for (int second = 0; second < count; ++second) {
      live(1, {{1, "h1"}});
      for (const Assign& assign : told<Assign>(1)) {
        if (taken_.insert({assign.job.id, assign.attempt}).second) {
          receive(1, Accepted{assign.job.id, assign.attempt});
        }
      }
      commit();
    }
  }
  bool runs(std::uint64_t number, std::uint32_t attempt = 1) const {
    return taken_.contains({job_id(number), attempt});
  }
  std::vector<Cancel> called_off() const { return told<Cancel>(1); }
  void requeue(std::uint64_t number, std::uint32_t attempt, double done, std::uint32_t saved,
               Reason reason = Reason::preempted) {
    Failed failed;
    failed.job = job_id(number);
    failed.attempt = attempt;
    failed.reason = reason;
    failed.usage = {10, 100, 1};
    failed.steps_done = done;
    failed.steps_saved = saved;
    receive(1, failed);
    pass(2);
  }
  JobChanged shown(std::uint64_t number) const {
    JobChanged last;
    for (const JobChanged& job : published<JobChanged>()) {
      if (job.job.id == job_id(number)) last = job;
    }
    return last;
  }
  Summary sums() const { return router->summary(now); }

 private:
  std::set<std::pair<JobId, std::uint32_t>> taken_;
};

TEST(Preempting, ADecisionNamesTheVictimsAndTheyStopAfterTheGracePeriod) {
  Crowded stage;
  stage.submit(training(1, 4, 0));
  stage.submit(training(2, 4, 5));
  ASSERT_TRUE(stage.runs(1));
  const Decision told = stage.published<Decision>().back();
  EXPECT_EQ(told.action, Action::queue);
  EXPECT_EQ(told.fallback_reason, Reason::capacity);
  EXPECT_EQ(told.change, "preempts " + to_short_text(job_id(1)) + " on h1/4-7 within 20 s");
  EXPECT_EQ(stage.shown(1).detail,
            "being preempted for " + to_short_text(job_id(2)) + " of priority 5");
  stage.pass(15);
  EXPECT_TRUE(stage.called_off().empty()) << "within the grace";
  stage.pass(6);
  ASSERT_FALSE(stage.called_off().empty());
  EXPECT_EQ(stage.called_off()[0], (Cancel{job_id(1), 1, Reason::preempted}));
  const std::string when = to_clock_text(stage.now);
  stage.requeue(1, 1, 250, 200);
  EXPECT_TRUE(stage.runs(2));
  const std::string returned = "attempt 1 was requeued at " + when +
                               " (preempted: its devices are reserved for " +
                               to_short_text(job_id(2)) + ")";
  EXPECT_EQ(stage.shown(1).reason, Reason::capacity) << "what it waits for now";
  EXPECT_EQ(stage.shown(1).returned, returned) << "and why it does not run any more";
  EXPECT_EQ(stage.router->why(stage.now, to_text(job_id(1))).job->returned, returned);
  EXPECT_EQ(stage.sums().preempted, 1u);
  EXPECT_NEAR(stage.sums().wasted.energy_j, 20, 1e-9) << "of 100 J, 50 of 250 steps";
  EXPECT_EQ(stage.shown(1).state, JobState::queued);
  EXPECT_EQ(stage.shown(1).steps_saved, 200u);
  stage.receive(1, finished_of(stage.told<Assign>(1).back()));
  stage.pass(2);
  ASSERT_TRUE(stage.runs(1, 2));
  EXPECT_EQ(stage.told<Assign>(1).back().from_step, 200u);
}

TEST(Preempting, ACheckpointWrittenDuringTheGracePeriodEndsIt) {
  Crowded stage;
  stage.submit(training(1, 4, 0));
  stage.submit(training(2, 4, 5));
  stage.receive(1, Progress{job_id(1), 1, 0.15, 100, 0});
  stage.pass(1);
  EXPECT_TRUE(stage.called_off().empty());
  stage.receive(1, Progress{job_id(1), 1, 0.21, 100, 200});
  stage.tick();
  EXPECT_EQ(stage.called_off().size(), 1u);
}

TEST(Preempting, AJobThatFinishesInTheGracePeriodCountsAsFinished) {
  Crowded stage;
  stage.submit(training(1, 4, 0));
  const Assign first = stage.told<Assign>(1).back();
  stage.submit(training(2, 4, 5));
  stage.receive(1, finished_of(first));
  stage.pass(2);
  EXPECT_EQ(stage.shown(1).state, JobState::finished);
  EXPECT_TRUE(stage.runs(2));
  EXPECT_TRUE(stage.called_off().empty());
  EXPECT_EQ(stage.sums().preempted, 0u);
}

TEST(Preempting, NoOtherJobTakesTheReservedDevices) {
  Crowded stage;
  stage.submit(training(1, 4, 0));
  stage.submit(training(2, 4, 5));
  stage.submit(training(3, 1, 0, "nightly"));  // would fit what is free
  stage.submit(training(4, 1, 0, "nightly"));
  // The three free devices beside device 0 are 1, 2 and 3: none is kept.
  EXPECT_TRUE(stage.runs(3) && stage.runs(4));
  stage.requeue(1, 1, 250, 200);
  EXPECT_TRUE(stage.runs(2));
  for (const Assign& assign : stage.told<Assign>(1)) {
    if (assign.job.id == job_id(2)) {
      EXPECT_EQ(assign.devices, (std::vector<std::uint16_t>{4, 5, 6, 7}));
    }
    if (assign.job.id == job_id(3) || assign.job.id == job_id(4)) {
      EXPECT_LT(assign.devices.front(), 4);
    }
  }
}

TEST(Preempting, StopsOnlyLowerPriorityWorkThatTheRuleNames) {
  struct Case {
    const char* what;
    Job first, second;
    bool preempts;
  };
  const std::vector<Case> cases{
      {"as said", training(1, 4, 1), training(2, 4, 5), true},
      {"equal priority", training(1, 4, 5), training(2, 4, 5), false},
      {"higher priority", training(1, 4, 6), training(2, 4, 5), false},
      {"another class", training(1, 4, 1, "nightly"), training(2, 4, 5), false},
      {"a rule without the key", training(1, 4, -5), training(2, 4, 0), false},
      {"there is room", training(1, 2, 1), training(2, 4, 5), false},
      {"never enough", training(1, 4, 1), training(2, 16, 5), false},
  };
  for (const Case& one : cases) {
    Crowded stage;
    stage.submit(one.first);
    stage.submit(one.second);
    stage.pass(30);
    EXPECT_EQ(!stage.called_off().empty(), one.preempts) << one.what;
  }
}

TEST(Preempting, VictimsKeepRunningIfThePreemptingJobEndsOrRunsElsewhere) {
  for (const bool ends : {true, false}) {
    Crowded stage;
    stage.submit(training(1, 4, 0));
    stage.submit(training(2, 4, 5));
    ASSERT_EQ(stage.shown(1).detail.substr(0, 15), "being preempted");
    if (ends) {
      stage.receive(9, CancelJobs{{to_text(job_id(2))}});
    } else {
      stage.add_host(2, "h2");
      stage.live(2, {{1, "h1"}, {2, "h2"}});
      ASSERT_EQ(stage.told<Assign>(2).size(), 1u);
      stage.receive(2, Accepted{job_id(2), 1});
    }
    stage.live(40, {{1, "h1"}, {2, "h2"}});
    EXPECT_TRUE(stage.called_off().empty());
    EXPECT_EQ(stage.shown(1).detail, "");
    EXPECT_EQ(stage.shown(1).state, JobState::running);
  }
}

TEST(Preempting, ADeviceReservationExpires) {
  Crowded stage;
  stage.submit(training(1, 4, 0));
  stage.submit(training(2, 4, 5));
  stage.pass(90);  // the agent does not obey
  const auto events = stage.published<Event>();
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const Event& event) {
    return event.text.find("the reservation has expired") != std::string::npos;
  }));
}

TEST(Preempting, LimitsHowOftenAJobIsPreemptedAndCountsNoFailure) {
  Crowded stage;
  stage.submit(training(1, 4, 0));
  for (std::uint64_t round = 0; round < preempted_max; ++round) {
    const auto attempt = static_cast<std::uint32_t>(round + 1);
    ASSERT_TRUE(stage.runs(1, attempt));
    stage.submit(training(10 + round, 4, 5));
    stage.pass(22);
    stage.requeue(1, attempt, 250, 200);
    ASSERT_TRUE(stage.runs(10 + round));
    Assign urgent;
    for (const Assign& assign : stage.told<Assign>(1)) {
      if (assign.job.id == job_id(10 + round)) urgent = assign;
    }
    stage.receive(1, finished_of(urgent));
    stage.pass(2);
  }
  ASSERT_TRUE(stage.runs(1, preempted_max + 1));
  stage.forget();
  stage.submit(training(20, 4, 5));
  stage.pass(40);
  EXPECT_TRUE(stage.called_off().empty());
  EXPECT_EQ(stage.sums().preempted, preempted_max);
  // The count survives a restart.
  ASSERT_TRUE(stage.restart());
  EXPECT_EQ(stage.sums().preempted, preempted_max);
}

}  // namespace
}  // namespace drover::router
