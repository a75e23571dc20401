// Serving: laws that hold on every device, and published figures with their sources.
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "devices/estimate/estimate.h"
#include "devices/serving/replica.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

Case asked(CaseKind kind, const char* device, int devices, const char* model, Precision precision) {
  Case question;
  question.kind = kind;
  question.device = &device_named(device);
  question.devices = devices;
  question.model = &model_named(model);
  question.precision = precision;
  return question;
}

struct MeasuredDecode {
  const char* device;
  int devices, tensor, expert;
  const char* model;
  Precision precision;
  double batch, context;
  double measured_ms;
};

// ML.ENERGY leaderboard v3 (vLLM 0.11), median inter-token time of lm-arena-chat and gpqa; contexts
// are the usual prompt of the task and half of the mean answer.
TEST(Decode, MatchesTheInterTokenTimesOfDenseModels) {
  const MeasuredDecode rows[] = {
      {"h100-sxm", 1, 1, 1, "llama-3.1-8b", Precision::bf16, 8, 748, 7.32},
      {"h100-sxm", 1, 1, 1, "llama-3.1-8b", Precision::bf16, 64, 748, 11.50},
      {"h100-sxm", 1, 1, 1, "llama-3.1-8b", Precision::bf16, 128, 748, 16.48},
      {"h100-sxm", 4, 4, 1, "llama-3.1-70b", Precision::bf16, 8, 727, 16.57},
      {"h100-sxm", 4, 4, 1, "llama-3.1-70b", Precision::bf16, 64, 727, 22.43},
      {"h100-sxm", 2, 2, 1, "qwen3-32b", Precision::bf16, 64, 866, 22.4},
      {"h100-sxm", 1, 1, 1, "qwen3-8b", Precision::bf16, 16, 4330, 11.9},
      {"b200-sxm", 1, 1, 1, "qwen3-32b", Precision::bf16, 128, 866, 24.7},
  };
  for (const MeasuredDecode& row : rows) {
    Case question = asked(CaseKind::decode, row.device, row.devices, row.model, row.precision);
    question.tensor = row.tensor;
    question.expert = row.expert;
    question.batch = row.batch;
    question.context = row.context;
    EXPECT_NEAR(estimate(question)->seconds * 1e3 / row.measured_ms, 1, 0.12)
        << row.device << " " << row.model << " batch " << row.batch;
  }
}

// The same source, mixtures of experts.
TEST(Decode, MatchesTheInterTokenTimesOfMixturesOfExperts) {
  const MeasuredDecode rows[] = {
      {"h100-sxm", 1, 1, 1, "qwen3-30b-a3b", Precision::bf16, 32, 675, 21.8},
      {"h100-sxm", 2, 1, 2, "qwen3-30b-a3b", Precision::bf16, 128, 675, 24.8},
      {"h100-sxm", 8, 1, 8, "qwen3-235b-a22b", Precision::bf16, 16, 985, 25.3},
      {"h100-sxm", 4, 1, 4, "qwen3-235b-a22b", Precision::fp8, 64, 985, 49.0},
      {"h100-sxm", 8, 1, 8, "qwen3-235b-a22b", Precision::fp8, 64, 985, 34.7},
      {"b200-sxm", 8, 1, 8, "deepseek-v3", Precision::fp8, 128, 972, 38.8},
  };
  for (const MeasuredDecode& row : rows) {
    Case question = asked(CaseKind::decode, row.device, row.devices, row.model, row.precision);
    question.tensor = row.tensor;
    question.expert = row.expert;
    question.batch = row.batch;
    question.context = row.context;
    EXPECT_NEAR(estimate(question)->seconds * 1e3 / row.measured_ms, 1, 0.16)
        << row.device << " " << row.model << " batch " << row.batch;
  }
}

struct Saturation {
  const char* device;
  int devices;
  const char* model;
  Precision precision;
  double input, output;
  double measured;  // output tokens/s
};

// TensorRT-LLM performance overview 0.14 and 1.0; ROCm/vllm docker notes; tpu-recipes.
TEST(Serving, MatchesThroughputAtSaturation) {
  const Saturation rows[] = {
      {"h100-sxm", 1, "llama-3.1-8b", Precision::fp8, 128, 128, 28312},
      {"h100-sxm", 1, "llama-3.1-8b", Precision::fp8, 2048, 2048, 9305},
      {"h100-sxm", 1, "llama-3.1-8b", Precision::fp8, 20000, 2000, 1351},
      {"l40s", 1, "llama-3.1-8b", Precision::fp8, 128, 2048, 5101.7},
      {"l40s", 4, "llama-3-70b", Precision::fp8, 1000, 1000, 1159.4},
      {"b200-sxm", 1, "llama-3.3-70b", Precision::fp4, 1000, 1000, 7007},
  };
  for (const Saturation& row : rows) {
    Case question = asked(CaseKind::serve, row.device, row.devices, row.model, row.precision);
    question.tensor = row.devices;
    question.input = row.input;
    question.output = row.output;
    EXPECT_NEAR(estimate(question)->tokens_per_s / row.measured, 1, 0.15)
        << row.device << " " << row.model << " " << row.input << "/" << row.output;
  }
}

TEST(Serving, AnswersInEightBitsWithANoteWhenSixteenDoNotFit) {
  const Case question = asked(CaseKind::serve, "gh200-96gb", 1, "llama-2-70b", Precision::fp16);
  const Estimate answer = *estimate(question);
  EXPECT_FALSE(answer.feasible);
  EXPECT_NE(answer.note.find("fp8"), std::string::npos) << answer.note;
  EXPECT_NEAR(answer.tokens_per_s / 4084, 1, 0.25);  // MLPerf Inference v4.1, offline
}

TEST(Serving, NeverServesLessWithMoreMemoryOrShorterAnswers) {
  for (const auto& [id, entry] : Catalogue::embedded().devices()) {
    Case question = asked(CaseKind::serve, id.c_str(), 1, "llama-3.1-8b", Precision::bf16);
    question.batch = 8;
    double before = std::numeric_limits<double>::infinity();
    for (const double input : {16.0, 128.0, 1024.0, 8192.0}) {
      question.input = input;
      question.output = 256;
      const double now = estimate(question)->tokens_per_s;
      EXPECT_LE(now, before * (1 + 1e-12)) << id << " " << input;
      before = now;
    }
  }
}

TEST(Experts, TouchedCountGrowsWithTheBatchUpToTheTotal) {
  const ServingShape shape = serving_shape(model_named("qwen3-235b-a22b"));
  EXPECT_NEAR(experts_touched(shape, 1, 1), 8, 1e-9);
  double before = 0;
  for (double rows = 1; rows < 5000; rows *= 1.5) {
    const double touched = experts_touched(shape, rows, 0.8);
    EXPECT_GT(touched, before * (1 - 1e-12));
    EXPECT_LE(touched, 128);
    before = touched;
  }
}

TEST(Plan, InterpretsDegreesAsTheSourcesMeanThem) {
  const ServingPlan spread = serving_plan(8, 1, 1, 1, 8);
  EXPECT_EQ(spread.tensor, 8);
  EXPECT_EQ(spread.replicas, 1);
  const ServingPlan apart = serving_plan(8, 1, 1, 8, 8);
  EXPECT_EQ(apart.tensor, 1);
  EXPECT_EQ(apart.data, 8);
  EXPECT_EQ(serving_plan(8, 2, 1, 1, 1).replicas, 4);
  EXPECT_EQ(serving_plan(16, 8, 2, 1, 1).replicas, 1);
}

TEST(Plan, UsesAsManyReplicasAsLeaveRoomForCaches) {
  const auto tensor = [](const char* device) {
    return plan_for_saturation(device_named(device), model_named("llama-2-70b"), Precision::fp8, 8,
                               ServingEngine::offline)
        .tensor;
  };
  EXPECT_EQ(tensor("h100-sxm"), 2);
  EXPECT_EQ(tensor("h200-sxm"), 1);
  EXPECT_EQ(tensor("mi300x"), 1);
}

TEST(Serving, WindowsBoundWhatALayerReads) {
  const ServingShape shape = serving_shape(model_named("gemma-3-27b"));
  EXPECT_DOUBLE_EQ(tokens_seen(shape, 500), 500);
  EXPECT_NEAR(tokens_seen(shape, 7024), 1024 * 5.0 / 6 + 7024 / 6.0, 1e-9);
}

}  // namespace
}  // namespace drover::devices
