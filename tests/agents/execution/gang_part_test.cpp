// One host's part of a multi-host gang.
#include "agents/execution/executor.h"

#include <gtest/gtest.h>

#include "tests/agents/agent_harness.h"

namespace drover::agents {
namespace {

constexpr std::uint32_t steps = 100;
const AttemptKey key{job_id(1), 1};

/// Four of the eight devices of a gang over two hosts.
class Part {
 public:
  explicit Part(Duration reservation_timeout = Duration{0})
      : executor("node1", std::vector<Executor::Device>(4, {&device_spec("v100-sxm2-16gb"), 0}),
                 devices::Ambient{22}, RandomStream(7), beginning()) {
    Assign assign = to_devices(train_job(1, "bert-large", steps, 256, 128, 8), {0, 1, 2, 3});
    assign.precision = Precision::fp16;
    assign.gang = GangLayout{8, 4, reservation_timeout};
    const auto refusal = executor.train(now, assign, model_spec("bert-large"));
    EXPECT_FALSE(refusal) << refusal->detail;
    take();
  }
  void pass_until(Instant end) {
    for (Instant due = executor.next_event(); due <= end; due = executor.next_event()) {
      executor.advance(due);
      now = due;
      take();
    }
    executor.advance(end);
    now = end;
    take();
  }
  void take() {
    for (Executor::Change& change : executor.take_changes()) {
      if (auto* pace = std::get_if<MemberStepTime>(&change)) step_times.push_back(*pace);
      if (auto* one = std::get_if<EndedAttempt>(&change)) ended.push_back(*one);
    }
  }
  void step(double step_s) {
    executor.set_gang_step(now, key, step_s);
    take();
  }
  double own_step_s() const { return step_times.back().compute_s + step_times.back().exchange_s; }
  double power_w() const { return executor.reading(now, 0)[Metric::power]; }

  Executor executor;
  Instant now = beginning();
  std::vector<MemberStepTime> step_times;
  std::vector<EndedAttempt> ended;
};

TEST(GangLayout, ReportsItsStepTimeAndWaitsWithIdleDevices) {
  Part part;
  ASSERT_EQ(part.step_times.size(), 1U);
  EXPECT_GT(part.step_times[0].compute_s, 0);
  EXPECT_GT(part.step_times[0].exchange_s, 0) << "gradients cross the network";
  part.pass_until(beginning() + seconds(3600));
  EXPECT_TRUE(part.ended.empty());
  EXPECT_NEAR(part.executor.progress(part.now).at(0).share, 0, 1e-9);
  EXPECT_LT(part.power_w(), 100) << "of 300 W";
}

TEST(GangLayout, EachStepTakesAsLongAsForTheWholeGang) {
  Part part;
  const double step_s = 2 * part.own_step_s();
  part.step(step_s);
  part.pass_until(beginning() + from_seconds(step_s * steps) + seconds(1));
  ASSERT_EQ(part.ended.size(), 1U);
  EXPECT_FALSE(part.ended[0].failure);
  EXPECT_EQ(part.ended[0].outcome.steps, steps);
  EXPECT_NEAR(part.ended[0].outcome.run_s, step_s * steps, 1e-6);
}

TEST(GangLayout, IsNeverFasterThanItsOwnDevices) {
  Part part;
  part.step(part.own_step_s() / 2);
  part.pass_until(beginning() + from_seconds(part.own_step_s() * steps * 0.9));
  EXPECT_TRUE(part.ended.empty());
}

TEST(GangLayout, UsesLessPowerTheLongerItWaitsForTheOthers) {
  Part alone, waiting;
  alone.step(alone.own_step_s());
  waiting.step(4 * waiting.own_step_s());
  alone.pass_until(beginning() + seconds(2));
  waiting.pass_until(beginning() + seconds(2));
  EXPECT_GT(alone.power_w(), waiting.power_w() + 20);
}

TEST(GangLayout, ContinuesWhereItWasWhenTheStepTimeChanges) {
  Part part;
  const double step_s = 2 * part.own_step_s();
  part.step(step_s);
  part.pass_until(beginning() + from_seconds(step_s * steps / 2));
  part.step(2 * step_s);
  part.pass_until(beginning() + from_seconds(step_s * steps * 1.5) + seconds(1));
  ASSERT_EQ(part.ended.size(), 1U);
  EXPECT_NEAR(part.ended[0].outcome.run_s, step_s * steps * 1.5, 1e-6);
}

TEST(GangLayout, PausesOnRequest) {
  Part part;
  const double step_s = 2 * part.own_step_s();
  part.step(step_s);
  part.pass_until(beginning() + from_seconds(step_s * 10));
  part.step(0);
  part.pass_until(part.now + seconds(500));
  EXPECT_NEAR(part.executor.progress(part.now).at(0).share, 0.1, 1e-6);
  part.step(step_s);
  part.pass_until(part.now + from_seconds(step_s * 90) + seconds(1));
  ASSERT_EQ(part.ended.size(), 1U);
  EXPECT_NEAR(part.ended[0].outcome.run_s, step_s * steps + 500, 1e-6);
}

TEST(GangLayout, AHungDeviceIsReportedAsAZeroStepTime) {
  Part part;
  part.step(part.own_step_s());
  std::vector<FaultEffect> conditions(4);
  conditions[2].hung = true;
  part.executor.set_fault_effects(part.now, conditions);
  part.take();
  EXPECT_EQ(part.step_times.back().compute_s, 0);
  conditions[2].hung = false;
  part.executor.set_fault_effects(part.now, conditions);
  part.take();
  EXPECT_GT(part.step_times.back().compute_s, 0);
}

TEST(GangLayout, ASlowerDeviceIsReported) {
  Part part;
  part.step(part.own_step_s());
  const double before_s = part.step_times.back().compute_s;
  std::vector<FaultEffect> conditions(4);
  conditions[1].clock_limit = 0.5;
  part.executor.set_fault_effects(part.now, conditions);
  part.pass_until(part.now + seconds(1));
  EXPECT_GT(part.step_times.back().compute_s, before_s * 1.2);
}

TEST(GangLayout, ReleasesItsDevicesWhenItIsNotStartedInTime) {
  Part part(seconds(30));
  part.pass_until(beginning() + seconds(60));
  ASSERT_EQ(part.ended.size(), 1U);
  EXPECT_EQ(part.ended[0].failure, Reason::capacity);
  EXPECT_EQ(part.ended[0].at, beginning() + seconds(30));
  EXPECT_TRUE(part.executor.free(0));
}

TEST(GangLayout, KeepsItsDevicesOnceStarted) {
  Part part(seconds(30));
  part.step(part.own_step_s() * 100);
  part.pass_until(beginning() + seconds(31));
  EXPECT_TRUE(part.ended.empty());
}

TEST(GangLayout, AnInvalidPartIsRefused) {
  const struct {
    GangLayout gang;
    const char* detail;
  } cases[] = {
      {{8, 3, {}}, "4 devices on this host for a gang of 8; the layout allows at most 3 per host"},
      {{4, 4, {}}, "4 devices on this host for a gang of 4; the layout allows at most 4 per host"},
  };
  for (const auto& row : cases) {
    Executor executor("node1",
                      std::vector<Executor::Device>(4, {&device_spec("v100-sxm2-16gb"), 0}),
                      devices::Ambient{22}, RandomStream(7), beginning());
    Assign assign = to_devices(train_job(1, "bert-large", steps, 64, 128, 8), {0, 1, 2, 3});
    assign.precision = Precision::fp16;
    assign.gang = row.gang;
    const auto refusal = executor.train(beginning(), assign, model_spec("bert-large"));
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->reason, Reason::invalid);
    EXPECT_EQ(refusal->detail, row.detail);
  }
}

}  // namespace
}  // namespace drover::agents
