#include <gtest/gtest.h>

#include "devices/training/training.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

TEST(Memory, WeightsSplitOverTheReplica) {
  const ModelSpec& model = model_named("llama-3.1-70b");
  EXPECT_DOUBLE_EQ(weights_bytes(on("h100-sxm", 1), model), 2 * model.parameters());
  EXPECT_DOUBLE_EQ(weights_bytes(on("h100-sxm", 4), model), model.parameters() / 2);
  EXPECT_DOUBLE_EQ(weights_bytes(on("tpu-v5e", 8, Precision::int8), model), model.parameters() / 8);
}

// Llama 3.1 8B: 2 x 32 layers x 8 heads x 128 x 2 bytes.
TEST(Memory, CachesBothKeyAndValueOfEveryLayer) {
  EXPECT_DOUBLE_EQ(kv_bytes_per_token(on("h100-sxm", 1), model_named("llama-3.1-8b")), 131072);
  EXPECT_DOUBLE_EQ(kv_bytes_per_token(on("h100-sxm", 4), model_named("llama-3.1-70b")), 327680);
  // More devices than heads: each keeps at least one head.
  EXPECT_DOUBLE_EQ(kv_bytes_per_token(on("h100-sxm", 16), model_named("llama-3.1-8b")), 262144);
}

TEST(Memory, HasRoomForACacheOnlyWhereTheWeightsFit) {
  EXPECT_EQ(kv_capacity_tokens(on("h100-sxm", 1), model_named("llama-3.1-70b")), 0u);
  EXPECT_EQ(kv_capacity_tokens(on("tpu-v5e", 8, Precision::bf16), model_named("llama-3.1-70b")),
            0u);
  EXPECT_GT(kv_capacity_tokens(on("tpu-v5e", 8, Precision::int8), model_named("llama-3.1-70b")),
            100'000u);
  EXPECT_EQ(kv_capacity_tokens(on("tpu-v5e", 1, Precision::bf16), model_named("llama-3.1-8b")), 0u);
}

// vLLM on one H100 80 GB reports about 420,000 tokens for Llama 3.1 8B in bf16.
TEST(Memory, MatchesTheCacheOfAServingEngine) {
  const double tokens =
      static_cast<double>(kv_capacity_tokens(on("h100-sxm"), model_named("llama-3.1-8b")));
  EXPECT_NEAR(tokens / 420'000, 1, 0.10);
}

TEST(Memory, NothingThatFitsExceedsTheDevice) {
  for (const auto& [device_id, device] : Catalogue::embedded().devices()) {
    for (const auto& [model_id, model] : Catalogue::embedded().models()) {
      for (const int devices : {1, 2, 4, 8}) {
        const Placement placement{&device.spec, devices, Precision::bf16};
        const double room = device.spec.memory.bytes - device.spec.memory.reserved_bytes;
        const double tokens = static_cast<double>(kv_capacity_tokens(placement, model.spec));
        if (tokens > 0) {
          EXPECT_LE(weights_bytes(placement, model.spec) +
                        tokens * kv_bytes_per_token(placement, model.spec) / devices,
                    room)
              << device_id << " " << model_id;
        }
        const TrainingShape shape{64, std::max(1u, std::min(model.spec.context_max, 2048u))};
        if (fits_training(placement, model.spec, shape)) {
          EXPECT_LE(training_bytes(placement, model.spec, shape), room)
              << device_id << " " << model_id;
        }
      }
    }
  }
}

TEST(Warmup, LoadsOverTheHostBusAndCompilesOnTpusOnly) {
  const ModelSpec& model = model_named("llama-3.1-8b");
  EXPECT_DOUBLE_EQ(load_seconds(on("h100-sxm", 2), model),
                   model.parameters() / device_named("h100-sxm").links.host_bandwidth);
  EXPECT_EQ(compile_seconds(on("h100-sxm"), model), 0);
  EXPECT_GT(compile_seconds(on("tpu-v5e"), model), 1);
  EXPECT_EQ(warm_buckets(device_named("h100-sxm")), 0);
  EXPECT_GT(warm_buckets(device_named("tpu-v5e")), 0);
}

TEST(Warmup, BucketsDoubleFromSixteenOnTpus) {
  const DeviceSpec& tpu = device_named("tpu-v5e");
  const std::uint32_t cases[][2] = {{0, 16}, {1, 16}, {16, 16}, {17, 32}, {300, 512}, {512, 512}};
  for (const auto& [size, bucket] : cases) EXPECT_EQ(shape_bucket(tpu, size), bucket) << size;
  EXPECT_EQ(shape_bucket(tpu, 0xffff'ffffu), 0x8000'0000u);
  EXPECT_EQ(shape_bucket(device_named("h100-sxm"), 300), 300u);
}

}  // namespace
}  // namespace drover::devices
