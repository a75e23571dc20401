// How training jobs are laid out when nothing is said, and what is known to fit.
#include <gtest/gtest.h>

#include "devices/training/layout.h"
#include "devices/training/memory.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

TEST(Layout, SplitsNothingThatFits) {
  const Layout layout = choose_layout(job_on("h100-sxm", 8, "llama-3.2-1b", 64, 2048));
  EXPECT_EQ(layout.tensor, 1);
  EXPECT_EQ(layout.pipeline, 1);
  EXPECT_EQ(layout.data, 8);
}

TEST(Layout, SplitsTensorsWithinANodeBeforeItAddsPipelineStages) {
  const Layout small = choose_layout(job_on("h100-sxm", 8, "llama-2-13b", 64, 2048));
  EXPECT_GT(small.tensor, 1);
  EXPECT_EQ(small.pipeline, 1);
  const Layout large = choose_layout(job_on("h100-sxm", 512, "gpt-3-175b", 2048, 2048));
  EXPECT_EQ(large.tensor, 4);
  EXPECT_GT(large.pipeline, 1);
  EXPECT_EQ(large.data * large.tensor * large.pipeline, 512);
}

TEST(Layout, SplitsSequencesWhenSamplesAreFewerThanDevices) {
  const Layout layout = choose_layout(job_on("h100-sxm", 64, "llama-3.2-1b", 8, 131072));
  EXPECT_EQ(layout.context, 8);
  EXPECT_EQ(layout.data, 8);
}

TEST(Layout, SplitsModelsWhenSamplesAreFewAndSequencesStayWhole) {
  TrainingJob job = job_on("h100-sxm", 512, "llama-2-7b", 8, 524288);
  job.request.context = 1;
  const Layout layout = choose_layout(job);
  EXPECT_EQ(layout.context, 1);
  EXPECT_EQ(layout.tensor, 8);
  EXPECT_EQ(layout.pipeline, 8);
  EXPECT_EQ(layout.data, 8);
}

TEST(Layout, PipelineStagesKeepWholeWeightsEvenIfShardingIsRequested) {
  TrainingJob job = job_on("h100-sxm", 16384, "llama-3.1-405b", 2048, 8192);
  job.request.tensor = 8, job.request.pipeline = 16, job.request.sharded = true;
  EXPECT_FALSE(choose_layout(job).sharded);
  job.request.pipeline = 1;
  EXPECT_TRUE(choose_layout(job).sharded);
}

TEST(Layout, TpusShardTheWeightsWithinASlice) {
  const Layout layout = choose_layout(job_on("tpu-v5e", 512, "maxtext-gpt-16b", 3072, 2048));
  EXPECT_TRUE(layout.sharded);
  EXPECT_EQ(layout.slices, 2);
  EXPECT_EQ(layout.micro_batches, 1);
}

TEST(Layout, KeepsTheDegreesThatTheJobSets) {
  TrainingJob job = job_on("gb200", 256, "llama-3.1-405b", 1536, 8192);
  job.request.tensor = 4, job.request.pipeline = 16, job.request.micro_batch = 1;
  const Layout layout = choose_layout(job);
  EXPECT_EQ(layout.tensor, 4);
  EXPECT_EQ(layout.pipeline, 16);
  EXPECT_EQ(layout.data, 4);
  EXPECT_EQ(layout.micro_batches, 384);
}

// llm-foundry's benchmark table: the configurations ran, so they fit.
TEST(TrainingMemory, FitsConfigurationsThatAreKnownToHaveRun) {
  struct Row {
    const char* device;
    int devices;
    const char* model;
    double micro_batch, sequence;
    Recompute recompute;
  };
  const Row rows[] = {
      {"a100-sxm-40gb", 128, "mpt-1b", 10, 2048, Recompute::none},
      {"a100-sxm-40gb", 8, "mpt-7b", 12, 2048, Recompute::full},
      {"a100-sxm-40gb", 128, "mpt-30b", 6, 2048, Recompute::full},
      {"a100-sxm-80gb", 8, "mpt-7b", 6, 2048, Recompute::none},
      {"a100-sxm-80gb", 8, "mpt-30b", 12, 512, Recompute::full},
      {"h100-sxm", 64, "mpt-1b", 20, 2048, Recompute::none},
      {"h100-sxm", 8, "mpt-7b", 64, 1024, Recompute::full},
  };
  for (const Row& row : rows) {
    TrainingJob job =
        job_on(row.device, row.devices, row.model, row.micro_batch * row.devices, row.sequence);
    job.request.sharded = true;
    job.request.micro_batch = row.micro_batch;
    job.request.recompute = row.recompute;
    EXPECT_TRUE(training_fits(job, choose_layout(job)))
        << row.model << " " << row.sequence << " on " << row.device;
    // The tables show the largest micro-batches: four times as many samples do not fit.
    job.samples *= 4;
    job.request.micro_batch = row.micro_batch * 4;
    EXPECT_FALSE(training_fits(job, choose_layout(job)))
        << row.model << " " << row.sequence << " on " << row.device;
  }
}

TEST(TrainingMemory, RecomputesMoreForLargerMicroBatches) {
  TrainingJob job = job_on("h100-sxm", 8, "llama-3.1-8b", 64, 8192);
  job.request.sharded = true;
  double before = 0;
  for (const double samples : {1.0, 2.0, 3.0, 4.0, 6.0, 8.0}) {
    job.request.micro_batch = samples;
    const double share = choose_layout(job).recomputed;
    EXPECT_GE(share, before) << samples;
    EXPECT_LE(share, 1);
    before = share;
  }
  EXPECT_GT(before, 0.1);
}

// Korthikanti et al., arXiv:2205.05198: 34 bytes per token, layer and hidden size, of which two
// are dropout masks that nobody keeps today.
TEST(TrainingMemory, MatchesThePublishedBytesPerToken) {
  const ModelSpec& gpt = model_named("gpt-3-175b");
  EXPECT_NEAR(activation_bytes_per_token(gpt, false) / gpt.hidden, 32, 0.5);
}

}  // namespace
}  // namespace drover::devices
