#include "agents/execution/decode_run.h"

#include <gtest/gtest.h>

#include "fleet/base/random_stream.h"

namespace drover::agents {
namespace {

DecodeRun draw_run(RandomStream& random) {
  DecodeRun run;
  run.step_time = {random.uniform(1e-3, 5e-2),
                   random.chance(0.2) ? 0.0 : random.uniform(1e-10, 1e-6)};
  run.batch = static_cast<double>(1 + random.below(256));
  run.context = static_cast<double>(random.below(500'000));
  run.first_share = random.chance(0.5) ? 1.0 : random.uniform(0.01, 1.0);
  return run;
}

double step_by_step(const DecodeRun& run, std::uint64_t steps) {
  double seconds = 0;
  double context = run.context;
  for (std::uint64_t step = 0; step < steps; ++step) {
    seconds += (step == 0 ? run.first_share : 1.0) * run.step_time.seconds(context);
    context += run.batch;
  }
  return seconds;
}

TEST(DecodeRun, ManyStepsAtOnceTakeAsLongAsOneByOne) {
  RandomStream random(1);
  for (int round = 0; round < 200; ++round) {
    const DecodeRun run = draw_run(random);
    const std::uint64_t steps = random.below(4000);
    const double expected = step_by_step(run, steps);
    EXPECT_NEAR(run.seconds(steps), expected, 1e-11 * expected) << "round " << round;
  }
}

TEST(DecodeRun, CountsExactlyTheStepsThatFitIntoASpan) {
  RandomStream random(2);
  for (int round = 0; round < 2000; ++round) {
    const DecodeRun run = draw_run(random);
    const std::uint64_t steps = random.below(4000);
    const double span = run.seconds(steps);
    EXPECT_EQ(run.steps_within(span, 5000), steps) << "round " << round;
    if (steps > 0) {
      EXPECT_EQ(run.steps_within(span * (1 - 1e-9), 5000), steps - 1) << round;
    }
    EXPECT_EQ(run.steps_within(span, steps / 2), steps / 2) << "round " << round;
  }
}

TEST(DecodeRun, ContinuingAtTheSameSpeedChangesNothing) {
  RandomStream random(3);
  for (int round = 0; round < 500; ++round) {
    const DecodeRun run = draw_run(random);
    const std::uint64_t steps = 1 + random.below(3000);
    const double whole = run.seconds(steps);
    const double elapsed = random.uniform() * whole;
    const std::uint64_t done = run.steps_within(elapsed, steps);
    if (done == steps) continue;
    const DecodeRun rest = run.after(elapsed, steps, run.step_time);
    EXPECT_NEAR(elapsed + rest.seconds(steps - done), whole, 1e-11 * whole) << "round " << round;
  }
}

TEST(DecodeRun, TheStepInFlightKeepsItsProgress) {
  DecodeRun run;
  run.step_time = {1.0, 0};
  run.batch = 1;
  const DecodeRun rest = run.after(2.25, 10, {2.0, 0});
  EXPECT_DOUBLE_EQ(rest.first_share, 0.75);
  EXPECT_DOUBLE_EQ(rest.context, 2);
  EXPECT_DOUBLE_EQ(rest.seconds(8), 1.5 + 14);
}

}  // namespace
}  // namespace drover::agents
