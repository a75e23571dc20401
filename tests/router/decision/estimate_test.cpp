#include "router/decision/estimate.h"

#include <cmath>

#include <gtest/gtest.h>

#include "devices/catalogue/catalogue.h"
#include "devices/training/training.h"

namespace drover::router {
namespace {

const devices::ModelSpec& model(const char* id) {
  return devices::Catalogue::embedded().model(id).value()->spec;
}
devices::Placement on(const char* device, int count = 1) {
  return {&devices::Catalogue::embedded().device(device).value()->spec, count, Precision::bf16};
}
Workload request(std::uint32_t input, std::uint32_t output) {
  Workload work;
  work.input_tokens = input;
  work.output_tokens = output;
  return work;
}

TEST(Estimator, MatchesTheDeviceModelAtAKnot) {
  Estimator estimator;
  const auto placement = on("h100-sxm");
  const auto& llama = model("llama-3.1-8b");
  const auto run = estimator.serving(placement, llama).run(request(512, 101), 4);
  const double prefill = devices::prefill_step(placement, llama, 512, 0, 1).seconds;
  const double step = devices::decode_step_time(placement, llama, 4, 1).seconds(4 * (512 + 50.5));
  EXPECT_DOUBLE_EQ(run.first_token_s, prefill);
  EXPECT_DOUBLE_EQ(run.seconds, prefill + 100 * step);
  EXPECT_GT(run.power_w, 0);
}

TEST(Estimator, PrefillBetweenKnotsLiesBetweenThem) {
  Estimator estimator;
  const auto placement = on("h100-sxm");
  const auto at = [&](std::uint32_t tokens) {
    return estimator.serving(placement, model("llama-3.1-8b"))
        .run(request(tokens, 1), 1)
        .first_token_s;
  };
  double before = 0;
  for (std::uint32_t tokens = 1; tokens < 20'000; tokens = tokens * 5 / 4 + 1) {
    EXPECT_GE(at(tokens), before) << tokens;
    before = at(tokens);
  }
  EXPECT_LE(at(2048), at(2300));
  EXPECT_LE(at(2300), at(2560));
}

TEST(Estimator, FillingTheMemoChangesNoResult) {
  Estimator warm;
  const auto placement = on("tpu-v5e", 4);
  const auto& llama = model("llama-3.1-8b");
  for (std::uint32_t tokens : {1U, 7U, 100U, 4096U, 100'000U}) {
    for (std::uint32_t batch : {1U, 3U, 200U}) {
      const auto first = warm.serving(placement, llama).run(request(tokens, 10), batch);
      const auto again = warm.serving(placement, llama).run(request(tokens, 10), batch);
      Estimator cold;
      const auto fresh = cold.serving(placement, llama).run(request(tokens, 10), batch);
      EXPECT_EQ(first.seconds, again.seconds);
      EXPECT_EQ(first.seconds, fresh.seconds);
      EXPECT_GT(first.seconds, 0);
    }
  }
}

TEST(Estimator, LimitsTheNumberOfMemos) {
  Estimator estimator;
  const char* const models[] = {"llama-3.1-8b", "llama-3.1-70b"};
  const auto fill = [&](int most) {
    for (const char* id : models) {
      for (int count = 1; count <= most; ++count) estimator.serving(on("l4", count), model(id));
    }
  };
  const int half = static_cast<int>(serving_memos_max / 2);
  fill(half);
  estimator.forget_excess();
  EXPECT_EQ(estimator.serving_count(), serving_memos_max);
  estimator.serving(on("l4", half + 1), model("llama-3.1-8b"));
  estimator.forget_excess();
  EXPECT_EQ(estimator.serving_count(), 0U);
  const auto placement = on("h100-sxm");
  Estimator fresh;
  EXPECT_EQ(estimator.serving(placement, model("llama-3.1-8b")).run(request(512, 10), 4).seconds,
            fresh.serving(placement, model("llama-3.1-8b")).run(request(512, 10), 4).seconds);
}

TEST(Estimator, TrainingIsStepsTimesOneStep) {
  Estimator estimator;
  Workload work;
  work.kind = WorkKind::train;
  work.steps = 50;
  work.batch = 32;
  work.sequence = 512;
  const auto placement = on("a100-sxm-80gb", 4);
  const double step = devices::training_step(placement, model("bert-large"), {32, 512}, 1).seconds;
  EXPECT_DOUBLE_EQ(estimator.train(placement, model("bert-large"), work).seconds, 50 * step);
}

TEST(Estimator, LearnsTheRatioPerGroupAndKind) {
  Estimator estimator;
  EXPECT_EQ(estimator.ratio(3, WorkKind::serve, "m"), 1);
  EXPECT_EQ(estimator.error(), 0);
  for (int attempt = 0; attempt < 300; ++attempt) {
    const double ratio = estimator.ratio(3, WorkKind::serve, "m");
    estimator.learn(3, WorkKind::serve, "m", 10 * ratio, 15, ratio);
  }
  EXPECT_NEAR(estimator.ratio(3, WorkKind::serve, "m"), 1.5, 1e-4);
  EXPECT_LT(estimator.error(), 0.1);
  EXPECT_EQ(estimator.ratio(2, WorkKind::serve, "m"), 1);
  EXPECT_EQ(estimator.ratio(3, WorkKind::train, "m"), 1);
  EXPECT_EQ(estimator.ratio(3, WorkKind::serve, "n"), 1);
}

TEST(Estimator, ManyAttemptsInFlightDoNotOvershoot) {
  Estimator estimator;
  // A thousand attempts were predicted before the first ended.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    estimator.learn(0, WorkKind::serve, "m", 10, 20, 1);
    EXPECT_LE(estimator.ratio(0, WorkKind::serve, "m"), 2.0 + 1e-9);
  }
}

TEST(Estimator, ClampsRatiosAndIgnoresNonsense) {
  Estimator estimator;
  for (int attempt = 0; attempt < 200; ++attempt) {
    estimator.learn(0, WorkKind::serve, "slow", 1, 1e9);
    estimator.learn(0, WorkKind::serve, "fast", 1e9, 1);
    estimator.learn(0, WorkKind::serve, "odd", 0, 5);
    estimator.learn(0, WorkKind::serve, "odd", 5, std::nan(""));
    estimator.learn(no_index, WorkKind::serve, "odd", 5, 6);
  }
  EXPECT_NEAR(estimator.ratio(0, WorkKind::serve, "slow"), 5, 1e-6);
  EXPECT_NEAR(estimator.ratio(0, WorkKind::serve, "fast"), 0.2, 1e-6);
  EXPECT_EQ(estimator.ratio(0, WorkKind::serve, "odd"), 1);
  EXPECT_LE(estimator.error(), 10);
}

}  // namespace
}  // namespace drover::router
