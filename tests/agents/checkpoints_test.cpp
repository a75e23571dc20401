// What a training has saved when it ends early, and where it goes on.
#include <gtest/gtest.h>

#include "agents/execution/executor.h"
#include "tests/agents/agent_harness.h"

namespace drover::agents {
namespace {

class Gang {
 public:
  Gang()
      : executor("node1", {{&device_spec("h100-sxm"), 0}}, devices::Ambient{}, RandomStream(7),
                 beginning()) {}

  std::optional<Refusal> begin(std::uint32_t steps, std::uint32_t interval,
                               std::uint32_t from_step = 0) {
    Assign assign = to_devices(train_job(1, "bert-large", steps, 64, 512, 1), {0});
    assign.job.work.checkpoint_steps = interval;
    assign.from_step = from_step;
    return executor.train(now, assign, model_spec("bert-large"));
  }
  void pass(Duration span) { pass_until(now + span); }
  void pass_until(Instant end) {
    for (Instant due = executor.next_event(); due <= end; due = executor.next_event()) {
      executor.advance(due);
    }
    executor.advance(end);
    now = end;
  }
  EndedAttempt ended() {
    for (Executor::Change& change : executor.take_changes()) {
      if (auto* one = std::get_if<EndedAttempt>(&change)) return *one;
    }
    ADD_FAILURE() << "nothing has ended";
    return {};
  }
  EndedAttempt stop() {
    EXPECT_TRUE(executor.cancel(now, {job_id(1), 1}, Reason::preempted));
    return ended();
  }
  /// Seconds that one step takes here, from a run of some length.
  double step_s() {
    EXPECT_FALSE(begin(1000, 0));
    pass(seconds(10));
    const double step = 10 / stop().steps_done;
    executor.take_changes();
    return step;
  }

  Executor executor;
  Instant now = beginning();
};

struct CheckpointCase {
  std::uint32_t interval, from_step;
  double steps;  // that this attempt does
  std::uint32_t saved;
};

TEST(Checkpoints, AreWrittenAtMultiplesOfTheIntervalAcrossAttempts) {
  const std::vector<CheckpointCase> cases{
      {0, 0, 55.5, 0},     // none are written
      {10, 0, 55.5, 50},   //
      {10, 0, 9.5, 0},     // not one yet
      {10, 50, 5.5, 50},   // none of this attempt's own
      {10, 50, 15.5, 60},  // where the first attempt would have saved
      {7, 50, 5.5, 50},    // never before where it began: 49 is older
      {7, 50, 6.5, 56},    //
      {1000, 0, 55.5, 0},  // the end is no checkpoint
  };
  const double step_s = Gang().step_s();
  for (const CheckpointCase& one : cases) {
    SCOPED_TRACE(::testing::Message() << "every " << one.interval << " from " << one.from_step);
    Gang gang;
    ASSERT_FALSE(gang.begin(1000, one.interval, one.from_step));
    gang.pass(from_seconds(one.steps * step_s));
    const std::vector<Progress> told = gang.executor.progress(gang.now);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].steps_saved, one.saved);
    const EndedAttempt ended = gang.stop();
    EXPECT_EQ(ended.steps_saved, one.saved);
    EXPECT_NEAR(ended.steps_done, one.from_step + one.steps, 0.2);
    EXPECT_NEAR(told[0].share, ended.steps_done / 1000, 1e-9);
  }
}

TEST(Checkpoints, AnAttemptFromOneRunsOnlyTheRemainingSteps) {
  Gang whole, rest;
  ASSERT_FALSE(whole.begin(1000, 100));
  ASSERT_FALSE(rest.begin(1000, 100, 800));
  for (Gang* gang : {&whole, &rest}) gang->pass(seconds(600));
  const EndedAttempt all = whole.ended(), last = rest.ended();
  ASSERT_FALSE(all.failure || last.failure);
  EXPECT_EQ(last.outcome.steps, 1000u);
  EXPECT_NEAR(last.outcome.run_s, 0.2 * all.outcome.run_s, 0.02 * all.outcome.run_s);
}

TEST(Checkpoints, OneBeyondTheEndIsRefused) {
  for (const std::uint32_t from_step : {1000u, 5000u}) {
    Gang gang;
    const auto refusal = gang.begin(1000, 100, from_step);
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->reason, Reason::invalid);
  }
}

}  // namespace
}  // namespace drover::agents
