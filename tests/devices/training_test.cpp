// Training: measured model-flop shares with their sources, and laws.
#include <gtest/gtest.h>

#include "devices/power.h"
#include "devices/training.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

/// Share of the bf16 peak that 6 flops per parameter and token come to, at the clock that the
/// board's power allows.
double model_flop_share(const char* device, int devices, const char* model_id,
                        const TrainingShape& shape) {
  const Placement placement = on(device, devices);
  const ModelSpec& model = model_named(model_id);
  const Step nominal = training_step(placement, model, shape, 1);
  const double clock = clock_share_under_cap(*placement.device, nominal, placement.device->tdp_w);
  const double seconds = training_step(placement, model, shape, clock).seconds;
  const double flops = 6 * model.parameters() * shape.batch * shape.sequence;
  return flops / seconds / devices / placement.device->peak(Precision::bf16);
}

TEST(Training, MatchesMeasuredModelFlopShares) {
  struct Row {
    const char* device;
    int devices;
    const char* model;
    TrainingShape shape;
    double measured, tolerance;
  };
  const Row rows[] = {
      // llm-foundry, MPT-7B on 8 H100: about 0.40 to 0.42.
      {"h100-sxm", 8, "llama-2-7b", {128, 2048}, 0.41, 0.05},
      {"h100-sxm", 8, "llama-3.1-8b", {64, 4096}, 0.43, 0.05},
      // llm-foundry, MPT-7B on 8 A100: 0.64.
      {"a100-sxm-80gb", 8, "llama-2-7b", {96, 2048}, 0.64, 0.05},
      // MaxText 16B on 256 v5e: 0.61; 128B on 128 v5p: 0.69.
      {"tpu-v5e", 256, "llama-3.1-8b", {1536, 2048}, 0.61, 0.06},
      {"tpu-v5p", 128, "llama-3.1-70b", {512, 2048}, 0.69, 0.06},
  };
  for (const Row& row : rows) {
    EXPECT_NEAR(model_flop_share(row.device, row.devices, row.model, row.shape), row.measured,
                row.tolerance)
        << row.device << " " << row.model;
  }
}

// Images per second of one device: NVIDIA DeepLearningExamples (A100, mixed precision, 16621 over
// 8), Lambda benchmark (H100 SXM, 2616 to 2787).
TEST(Training, MatchesMeasuredResNetRates) {
  const auto rate = [](const char* device) {
    return 256 / training_step(on(device), model_named("resnet-50"), {256, 1}, 1).seconds;
  };
  EXPECT_NEAR(rate("a100-sxm-80gb") / 2078, 1, 0.20);
  EXPECT_NEAR(rate("h100-sxm") / 2787, 1, 0.25);
}

TEST(Training, ShardsTheStatesOnlyWhereTheyDoNotFitWhole) {
  const TrainingShape shape{64, 2048};
  EXPECT_FALSE(plan_training(on("h100-sxm", 8), model_named("bert-large"), {64, 512}).sharded);
  EXPECT_TRUE(plan_training(on("h100-sxm", 8), model_named("llama-3.1-8b"), shape).sharded);
  EXPECT_FALSE(fits_training(on("h100-sxm", 1), model_named("llama-3.1-8b"), shape));
  EXPECT_TRUE(fits_training(on("h100-sxm", 8), model_named("llama-3.1-8b"), shape));
  EXPECT_FALSE(fits_training(on("tpu-v5e", 8), model_named("llama-3.1-8b"), shape));
}

TEST(Training, RecomputesActivationsThatDoNotFit) {
  const TrainingPlan plan =
      plan_training(on("h100-sxm", 8), model_named("llama-3.1-8b"), {8, 32768});
  EXPECT_TRUE(plan.fits);
  EXPECT_TRUE(plan.recompute);
}

TEST(Training, NeverGetsFasterWithMoreSamples) {
  for (const char* model : {"llama-2-7b", "bert-large", "resnet-50"}) {
    const std::uint32_t sequence = model_named(model).context_max == 0 ? 1 : 512;
    double before = 0;
    for (std::uint32_t batch = 1; batch <= 400; ++batch) {
      const double seconds =
          training_step(on("h100-sxm", 8), model_named(model), {batch, sequence}, 1).seconds;
      EXPECT_GE(seconds, before * (1 - 1e-9)) << model << " " << batch;
      before = seconds;
    }
  }
}

TEST(Training, MoreDevicesFinishABigBatchSooner) {
  double before = 1e9;
  for (const int devices : {1, 2, 4, 8}) {
    const double seconds =
        training_step(on("h100-sxm", devices), model_named("bert-large"), {512, 512}, 1).seconds;
    EXPECT_LT(seconds, before * 0.65) << devices;
    before = seconds;
  }
}

}  // namespace
}  // namespace drover::devices
