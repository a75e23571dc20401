// Attention of one layer: laws, and the FlashAttention papers' figures.
#include "devices/operation/attention.h"

#include <gtest/gtest.h>

#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

AttentionShape heads(double batch, double queries, double context, double count, double kv_count) {
  AttentionShape shape;
  shape.batch = batch;
  shape.queries = queries;
  shape.context = context;
  shape.heads = count;
  shape.kv_heads = kv_count;
  shape.head_size = 128;
  return shape;
}

TEST(Attention, DecodeIsLinearInTheTokensOfAllCaches) {
  const DeviceSpec& h100 = device_named("h100-sxm");
  const AttentionShape shape = heads(16, 1, 0, 64, 8);
  const DecodeAttentionTime pace = decode_attention(h100, Precision::bf16, shape, 1);
  for (const double context : {1.0, 500.0, 131072.0}) {
    AttentionShape at = shape;
    at.context = context;
    EXPECT_NEAR(attention_kernel(h100, Precision::bf16, at, 1).seconds,
                pace.base_s + pace.per_context_token_s * 16 * context, 1e-12);
  }
}

TEST(Attention, DecodeReadsEachKeyAndValueOnce) {
  const DeviceSpec& a100 = device_named("a100-sxm-80gb");
  const Kernel kernel = attention_kernel(a100, Precision::fp16, heads(32, 1, 4096, 32, 32), 1);
  EXPECT_NEAR(kernel.bytes, 32 * 4097.0 * 2 * 32 * 128 * 2, 0.01 * kernel.bytes);
  EXPECT_GT(kernel.seconds, kernel.bytes / a100.memory.bandwidth);
}

TEST(Attention, GroupedQueryHeadsDecodeFasterThanFullKeyHeads) {
  const DeviceSpec& a100 = device_named("a100-sxm-80gb");
  EXPECT_LT(attention_kernel(a100, Precision::fp16, heads(32, 1, 4096, 64, 8), 1).seconds,
            0.2 * attention_kernel(a100, Precision::fp16, heads(32, 1, 4096, 64, 64), 1).seconds);
}

TEST(Attention, MoreWorkNeverTakesLessTime) {
  for (const char* device : {"h100-sxm", "t4", "tpu-v6e"}) {
    for (const double queries : {1.0, 15.0, 16.0, 17.0, 64.0, 65.0, 128.0, 129.0, 511.0, 4096.0}) {
      for (const double context : {0.0, 100.0, 511.0, 512.0, 8192.0}) {
        const auto seconds = [&](double more_queries, double more_context, double more_batch) {
          return attention_kernel(
                     device_named(device), Precision::fp16,
                     heads(2 + more_batch, queries + more_queries, context + more_context, 32, 8),
                     1)
              .seconds;
        };
        const double now = seconds(0, 0, 0);
        EXPECT_LE(now, seconds(1, 0, 0) * (1 + 1e-12)) << device << queries << ' ' << context;
        EXPECT_LE(now, seconds(0, 1, 0) * (1 + 1e-12)) << device << queries << ' ' << context;
        EXPECT_LE(now, seconds(0, 0, 1) * (1 + 1e-12)) << device << queries << ' ' << context;
      }
    }
  }
}

// FlashAttention-2 on H100 SXM as the FlashAttention-3 paper (arXiv:2407.08608) draws it, TFLOP/s,
// 16k tokens in all, 2048 elements of heads: the share in the catalogue is a little lower (pages).
TEST(Attention, MatchesTheFlashAttentionFigures) {
  struct Row {
    double head, tokens;
    bool causal;
    double tflops;
  };
  const Row rows[] = {{128, 512, false, 309}, {128, 4096, false, 368}, {128, 512, true, 191},
                      {128, 2048, true, 298}, {128, 16384, true, 335}, {64, 1024, true, 229},
                      {64, 8192, false, 322}};
  for (const Row& row : rows) {
    AttentionShape shape =
        heads(16384 / row.tokens, row.tokens, 0, 2048 / row.head, 2048 / row.head);
    shape.head_size = row.head;
    shape.causal = row.causal;
    const double seconds =
        attention_kernel(device_named("h100-sxm"), Precision::fp16, shape, 1).seconds;
    const double counted = 4 * 2048 * 16384 * row.tokens / (row.causal ? 2 : 1);
    EXPECT_NEAR(counted / seconds / 1e12 / row.tflops, 1, 0.10)
        << row.head << ' ' << row.tokens << ' ' << row.causal;
  }
}

}  // namespace
}  // namespace drover::devices
