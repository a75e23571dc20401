// Training: measured model-flop shares with their sources, and laws.
#include <gtest/gtest.h>

#include "devices/operation/clock.h"
#include "devices/training/memory.h"
#include "devices/training/training.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

/// Tokens per second and device at the clock that the board's power allows.
double tokens_each(const TrainingJob& job) {
  const Layout layout = choose_layout(job);
  const PowerLimitedStep run = power_limited_step(
      *job.placement.device, {}, [&](double share) { return training_step(job, layout, share); });
  return job.samples * job.sequence / run.step.seconds / job.placement.devices;
}

// Within 10 %: what one reader can compute by hand from docs/devices.md.
TEST(Training, MatchesMeasuredTokensPerSecond) {
  struct Row {
    const char* source;
    TrainingJob job;
    LayoutRequest request;
    double tokens_each;
  };
  LayoutRequest sharded, recomputed, bridge;
  // The tables' micro-batches are the largest that fit; the default is smaller.
  sharded.sharded = true;
  sharded.recompute = Recompute::none;
  recomputed.sharded = true;
  recomputed.recompute = Recompute::full;
  LayoutRequest large = recomputed;
  large.micro_batch = 64;
  bridge.tensor = 8, bridge.pipeline = 8, bridge.context = 2, bridge.micro_batch = 1;
  const Row rows[] = {
      {"llm-foundry", job_on("a100-sxm-80gb", 8, "mpt-1b", 448, 2048), sharded, 20513},
      {"llm-foundry", job_on("h100-sxm", 8, "mpt-7b", 1024, 1024), large, 10203},
      {"llm-foundry", job_on("a100-sxm-40gb", 128, "mpt-30b", 768, 2048), recomputed, 865},
      {"Megatron-Bridge 26.02",
       job_on("h100-sxm", 1024, "llama-3.1-405b", 1536, 8192, Precision::fp8), bridge, 311},
      {"MaxText", job_on("tpu-v5e", 256, "maxtext-gpt-16b", 1536, 2048), recomputed, 1183},
      {"tpu-recipes", job_on("tpu-v6e", 256, "llama-3.1-8b", 1024, 8192), {}, 7207},
      {"tpu-recipes", job_on("tpu-v7", 64, "llama-3.1-70b", 256, 8192), {}, 2687},
  };
  for (Row row : rows) {
    row.job.request = row.request;
    EXPECT_NEAR(tokens_each(row.job) / row.tokens_each, 1, 0.10)
        << row.source << " " << row.job.model->id << " on " << row.job.placement.device->id;
  }
}

// Images per second of one device: NVIDIA DeepLearningExamples (A100, mixed precision, 16621 over
// 8), Lambda benchmark (H100 SXM, 2616 to 2787).
TEST(Training, MatchesMeasuredResNetRates) {
  const auto rate = [](const char* device, std::uint32_t batch) {
    return batch / training_step(on(device), model_named("resnet-50"), {batch, 1}, 1).seconds;
  };
  EXPECT_NEAR(rate("a100-sxm-80gb", 256) / 2078, 1, 0.20);
  EXPECT_NEAR(rate("h100-sxm", 1280) / 2787, 1, 0.25);
}

TEST(Training, ShardsTheStatesOnlyWhereTheyDoNotFitWhole) {
  const ModelSpec& bert = model_named("bert-large");
  EXPECT_EQ(training_bytes(on("h100-sxm", 8), bert, {64, 512}),
            training_bytes(on("h100-sxm", 1), bert, {8, 512}));
  const TrainingShape shape{64, 2048};
  EXPECT_FALSE(fits_training(on("h100-sxm", 1), model_named("llama-3.1-8b"), shape));
  EXPECT_TRUE(fits_training(on("h100-sxm", 8), model_named("llama-3.1-8b"), shape));
  EXPECT_FALSE(fits_training(on("tpu-v5e", 4), model_named("llama-3.1-8b"), shape));
}

TEST(Training, FullRecomputationAddsLessThanAForwardPass) {
  TrainingJob job = job_on("h100-sxm", 8, "llama-2-7b", 64, 4096);
  job.request.sharded = true;
  job.request.micro_batch = 1;
  job.request.recompute = Recompute::none;
  const double kept = training_step(job, choose_layout(job), 1).seconds;
  job.request.recompute = Recompute::full;
  const double again = training_step(job, choose_layout(job), 1).seconds;
  EXPECT_GT(again, 1.1 * kept);
  EXPECT_LT(again, 4.0 / 3 * kept);
}

TEST(Training, APipelineWithFewMicroBatchesHasALargerBubble) {
  TrainingJob job = job_on("h100-sxm", 64, "llama-3.1-70b", 128, 4096, Precision::fp8);
  job.request.tensor = 4, job.request.pipeline = 8, job.request.micro_batch = 1;
  const auto bubble_share = [&](double samples) {
    job.samples = samples;
    const Step step = training_step(job, choose_layout(job), 1);
    return step.parts[static_cast<std::size_t>(TimeComponent::bubble)] / step.seconds;
  };
  EXPECT_GT(bubble_share(16), 2 * bubble_share(128));
  EXPECT_LT(bubble_share(1024), 0.02);
}

TEST(Training, PartsAddUpToTheStep) {
  TrainingJob job = job_on("gb200", 256, "deepseek-v3", 4096, 4096, Precision::fp8);
  job.request.pipeline = 4, job.request.expert = 64, job.request.micro_batch = 1;
  const Step step = training_step(job, choose_layout(job), 1);
  double sum = 0;
  for (const double part : step.parts) sum += part;
  EXPECT_NEAR(sum, step.seconds, 1e-9 * step.seconds);
  EXPECT_GT(step.parts[static_cast<std::size_t>(TimeComponent::collectives)], 0);
}

TEST(Training, AdaptersNeedNoOptimiserForFrozenWeights) {
  TrainingJob job = job_on("h100-sxm", 8, "llama-2-70b", 8, 8192, Precision::fp8);
  const double whole = training_memory(job, choose_layout(job)).states;
  job.adapters = true;
  EXPECT_EQ(training_memory(job, choose_layout(job)).states, 0);
  EXPECT_GT(whole, 0);
  EXPECT_TRUE(training_fits(job, choose_layout(job)));
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
