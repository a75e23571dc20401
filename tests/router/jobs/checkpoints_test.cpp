// What a training keeps of attempts that come to nothing, what of their use is waste, and where the
// next one begins.
#include <gtest/gtest.h>

#include "router/jobs/checkpoints.h"
#include "tests/router/decision_fixture.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

struct ToldProgress {
  std::uint32_t interval, from, known;  // known: by Progress
  double progress;                      // share of 1,000 steps
  double done;                          // what Failed says
  std::uint32_t saved;
};
struct Expected {
  double done;
  std::uint32_t saved;
  double lost_j;  // of 100 J
};

TEST(Checkpoints, WasteIsTheShareOfTheStepsBeyondTheLastOne) {
  const std::vector<std::pair<ToldProgress, Expected>> cases{
      {{0, 0, 0, 0, 500, 0}, {500, 0, 100}},                    // none are written
      {{0, 0, 0, 0, 500, 400}, {500, 0, 100}},                  // and none are believed
      {{100, 0, 0, 0, 500, 400}, {500, 400, 20}},               //
      {{100, 0, 0, 0, 400, 400}, {400, 400, 0}},                //
      {{100, 300, 300, 0.3, 500, 400}, {500, 400, 50}},         // of the 200 steps of this attempt
      {{100, 300, 300, 0.3, 350, 300}, {350, 300, 100}},        // none in this attempt
      {{100, 0, 400, 0.45, 0, 0}, {450, 400, 100.0 / 9}},       // its host is lost: as last told
      {{100, 0, 400, 0.45, 460, 300}, {460, 400, 600.0 / 46}},  // never back before what was told
      {{100, 0, 0, 0, 5000, 4000}, {1000, 999, 0.1}},           // more than there are
      {{100, 300, 300, 0.3, 0, 0}, {300, 300, 100}},            // refused, or lost at once
  };
  for (const auto& [told, expected] : cases) {
    SCOPED_TRACE(::testing::Message() << "from " << told.from << ", done " << told.done);
    JobRecord record;
    record.job = train_job(1, 1);
    record.job.work.steps = 1000;
    record.job.work.checkpoint_steps = told.interval;
    record.state = JobState::running;
    record.lease.from_step = told.from;
    record.steps_saved = told.known;
    record.progress = told.progress;
    Failed failed;
    failed.usage = {10, 100, 1};
    failed.steps_done = told.done;
    failed.steps_saved = told.saved;
    fill_end_steps(record, failed);
    EXPECT_DOUBLE_EQ(failed.steps_done, expected.done);
    EXPECT_EQ(failed.steps_saved, expected.saved);
    const Usage lost = keep_checkpoint(record, failed);
    EXPECT_NEAR(lost.energy_j, expected.lost_j, 1e-9);
    EXPECT_NEAR(lost.device_s, expected.lost_j / 10, 1e-9);
    EXPECT_NEAR(lost.energy_j + record.kept.energy_j, 100, 1e-9) << "nothing gets lost";
    EXPECT_EQ(record.steps_saved, expected.saved);
    EXPECT_DOUBLE_EQ(record.steps_lost, expected.done - expected.saved);
  }
}

TEST(Checkpoints, EstimatesCoverTheRemainingSteps) {
  DecisionFixture fleet(R"([pool.gpu]
match = { kind = "gpu" }
[[rule]]
name = "all"
score = { finish_time = 1 }
)");
  fleet.add_host("a", "h100-sxm", 8);
  const Job job = fleet.training(8);  // of 100 steps
  PlacementRequest ask = fleet.ask(job);
  const PlacementResult whole = fleet.decide(ask);
  ask.from_step = 75;
  const PlacementResult rest = fleet.decide(ask);
  ASSERT_TRUE(whole.place && rest.place);
  EXPECT_NEAR(rest.place->run_s, 0.25 * whole.place->run_s, 1e-9);
  EXPECT_NEAR(rest.place->expected.energy_j, 0.25 * whole.place->expected.energy_j, 1e-6);
}

/// One training of 1,000 steps with checkpoints each 100, running on h1.
struct Training : RouterHarness {
  Training() {
    add_host(1, "h1");
    Job job = train_job(1, 4);
    job.work.steps = 1000;
    job.work.checkpoint_steps = 100;
    receive(9, Submit{{job}});
    run_next();
  }
  Assign run_next() {
    live(3, {{1, "h1"}});
    const std::vector<Assign> all = told<Assign>(1);
    DROVER_REQUIRE(!all.empty());
    receive(1, Accepted{job_id(1), all.back().attempt});
    commit();
    return all.back();
  }
  void fail(std::uint32_t attempt, double done, std::uint32_t saved) {
    Failed failed;
    failed.job = job_id(1);
    failed.attempt = attempt;
    failed.reason = Reason::drain;
    failed.usage = {10, 100, 1};
    failed.steps_done = done;
    failed.steps_saved = saved;
    receive(1, failed);
    tick();
    commit();
  }
  Usage wasted() const { return router->summary(now).wasted; }
};

TEST(Checkpoints, TheNextAttemptBeginsAtTheLastOne) {
  Training stage;
  EXPECT_EQ(stage.told<Assign>(1).back().from_step, 0u);
  stage.fail(1, 250, 200);
  const auto shown = stage.published<JobChanged>();
  EXPECT_TRUE(std::any_of(shown.begin(), shown.end(), [](const JobChanged& job) {
    return job.state == JobState::queued && job.steps_saved == 200 && job.steps_lost == 50;
  }));
  EXPECT_EQ(stage.run_next().from_step, 200u);
  EXPECT_NEAR(stage.wasted().energy_j, 20, 1e-9);
  stage.fail(2, 230, 200);
  EXPECT_EQ(stage.run_next().from_step, 200u);
  EXPECT_NEAR(stage.wasted().energy_j, 120, 1e-9);
}

TEST(Checkpoints, SavedWorkIsChargedWhenTheJobFinishesAndOtherwiseWasted) {
  for (const bool finishes : {true, false}) {
    Training stage;
    stage.fail(1, 250, 200);
    const Assign second = stage.run_next();
    if (finishes) {
      stage.receive(1, finished_of(second, 400));
    } else {
      stage.receive(9, CancelJobs{{to_text(job_id(1))}});
      stage.receive(1, Failed{job_id(1), 2, {}, Reason::cancelled, "", {1, 7, 0}});
    }
    stage.tick();
    stage.commit();
    const Summary sums = stage.router->summary(stage.now);
    EXPECT_NEAR(sums.charged.energy_j, finishes ? 480 : 0, 1e-9);
    EXPECT_NEAR(sums.wasted.energy_j, finishes ? 20 : 107, 1e-9);
    ASSERT_TRUE(stage.restart());
    EXPECT_EQ(stage.router->summary(stage.now).charged, sums.charged) << "as the ledger has it";
    EXPECT_EQ(stage.router->summary(stage.now).wasted, sums.wasted);
  }
}

TEST(Checkpoints, WorkOfALostHostResumesFromItsLastReportedCheckpoint) {
  Training stage;
  stage.receive(1, Progress{job_id(1), 1, 0.35, 100, 300});
  stage.wait(seconds(30));  // nothing is heard of it any more
  stage.commit();
  stage.add_host(1, "h1", 2);
  EXPECT_EQ(stage.run_next().from_step, 300u);
}

TEST(Checkpoints, SurviveARouterRestartOrAreReportedAgain) {
  Training stage;
  stage.fail(1, 250, 200);
  stage.run_next();
  stage.receive(1, Progress{job_id(1), 2, 0.45, 100, 400});
  ASSERT_TRUE(stage.restart());
  Register registration = stage.registration("h1");
  registration.held = {{job_id(1), 2}};
  stage.receive(1, Join{Role::agent, "h1", "drover test"});
  stage.receive(1, registration);
  stage.receive(1, Progress{job_id(1), 2, 0.55, 100, 500});
  stage.fail(2, 560, 500);
  EXPECT_EQ(stage.run_next().from_step, 500u);
  EXPECT_NEAR(stage.wasted().energy_j, 20 + 100 * 60.0 / 360, 1e-9) << "of the steps from 200 on";
}

}  // namespace
}  // namespace drover::router
