// The software around a model's kernels: its names, and what it costs on the same board.
#include "devices/catalogue/engine.h"

#include <gtest/gtest.h>

#include "devices/estimate/estimate.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

Estimate decoded(const char* device, std::optional<ServingEngine> engine, double batch,
                 double context) {
  Case question;
  question.kind = CaseKind::decode;
  question.device = &device_named(device);
  question.model = &model_named("llama-3.1-8b");
  question.engine = engine;
  question.batch = batch;
  question.context = context;
  return *estimate(question);
}

TEST(ServingEngine, IsKnownByItsNameAndRelease) {
  struct Named {
    const char* text;
    std::optional<ServingEngine> engine;
  };
  const Named names[] = {
      {"vllm-0.11", ServingEngine::vllm_0_11},
      {"vLLM", ServingEngine::vllm_0_11},
      {"vllm-0.5", ServingEngine::vllm_0_5},
      {"vLLM 0.5.4", ServingEngine::vllm_0_5},
      {"vllm v0.6.1", ServingEngine::vllm_0_5},
      {"vLLM 0.10.2", ServingEngine::vllm_0_11},
      {"vLLM 0.50", ServingEngine::vllm_0_11},
      {"vllm 1.0", ServingEngine::vllm_0_11},
      {"offline", ServingEngine::offline},
      {"TensorRT-LLM 0.14", ServingEngine::offline},
      {"trtllm", ServingEngine::offline},
      {"sglang", std::nullopt},
      {"", std::nullopt},
      {"0.5", std::nullopt},
      {"vllmish", std::nullopt},
      {"vllm-0.11 banana", std::nullopt},
      {"tensorrt", std::nullopt},
      {"trtllmx", std::nullopt},
  };
  for (const Named& it : names) EXPECT_EQ(parse_engine(it.text), it.engine) << it.text;
  for (const ServingEngine engine :
       {ServingEngine::vllm_0_11, ServingEngine::vllm_0_5, ServingEngine::offline}) {
    EXPECT_EQ(parse_engine(to_text(engine)), engine);
  }
}

// ML.ENERGY leaderboards on one H100, Llama 3.1 8B, 64 running sequences: v3 (vLLM 0.11) 11.5 ms,
// v2 (vLLM 0.5) 35.05 ms and, at 128 sequences, 56.65 ms at 281 W.
TEST(ServingEngine, TheSameBoardTakesThreeTimesAsLongWithTheEarlierOne) {
  const Estimate late = decoded("h100-sxm", ServingEngine::vllm_0_11, 64, 748);
  const Estimate early = decoded("h100-sxm", ServingEngine::vllm_0_5, 64, 541);
  EXPECT_NEAR(late.tpot_s, 0.01150, 0.0012);
  EXPECT_NEAR(early.tpot_s, 0.03505, 0.0045);
}

TEST(ServingEngine, ABoardThatWaitsForItsHostUsesLittlePower) {
  const Estimate early = decoded("h100-sxm", ServingEngine::vllm_0_5, 128, 541);
  EXPECT_NEAR(early.tpot_s, 0.05665, 0.006);
  EXPECT_NEAR(early.power_w, 281, 28);
  EXPECT_GT(decoded("h100-sxm", ServingEngine::vllm_0_11, 128, 541).power_w, 1.5 * early.power_w);
}

// Where a question names none, the engine is the one that the device was measured with.
TEST(ServingEngine, DefaultsToTheOneMeasuredOnTheDevice) {
  const auto same = [](const char* device, ServingEngine engine) {
    return decoded(device, std::nullopt, 64, 541).seconds ==
           decoded(device, engine, 64, 541).seconds;
  };
  EXPECT_TRUE(same("a100-sxm-80gb", ServingEngine::vllm_0_5));
  EXPECT_TRUE(same("h100-sxm", ServingEngine::vllm_0_11));
  EXPECT_TRUE(same("tpu-v6e", ServingEngine::vllm_0_11));
}

TEST(ServingEngine, IsDefinedOnlyForServingCases) {
  Case question;
  question.device = &device_named("a100-sxm-80gb");
  for (const CaseKind kind : {CaseKind::prefill, CaseKind::serve}) {
    question.kind = kind;
    EXPECT_EQ(engine_of(question), ServingEngine::offline);
  }
  question.kind = CaseKind::decode;
  EXPECT_EQ(engine_of(question), ServingEngine::vllm_0_5);
  question.engine = ServingEngine::vllm_0_11;
  EXPECT_EQ(engine_of(question), ServingEngine::vllm_0_11);
  question.kind = CaseKind::train;
  EXPECT_EQ(engine_of(question), std::nullopt);
}

// Each generation is asked with the software of its time: a later one does not come out slower.
TEST(ServingEngine, ANewerBoardIsNotSlowerByDefault) {
  EXPECT_LT(decoded("a100-sxm-80gb", std::nullopt, 32, 500).seconds,
            decoded("v100-sxm2-32gb", std::nullopt, 32, 500).seconds);
  EXPECT_LT(decoded("h100-sxm", std::nullopt, 32, 500).seconds,
            decoded("a100-sxm-80gb", std::nullopt, 32, 500).seconds);
}

TEST(ServingEngine, OfACaseOrASpecIsValidatedWhenItIsRead) {
  CaseReader reader(Catalogue::embedded());
  CaseRow row;
  row[CaseColumn::kind] = "decode";
  row[CaseColumn::device] = "h100-sxm";
  row[CaseColumn::model] = "llama-3.1-8b";
  row[CaseColumn::engine] = "lmdeploy";
  EXPECT_EQ(reader.read(row).error().message,
            "engine: found \"lmdeploy\", expected vllm-0.11, vllm-0.5 or offline");
  row[CaseColumn::engine] = "vLLM 0.5.4";
  EXPECT_EQ(reader.read(row)->engine, ServingEngine::vllm_0_5);

  std::string text = to_toml(device_named("a100-sxm-80gb"));
  EXPECT_EQ(parse_device_spec(text, "own.toml")->token_engine, ServingEngine::vllm_0_5)
      << "it travels";
  const std::string named = "token_engine = \"vllm-0.5\"";
  const std::size_t at = text.find(named);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, named.size(), "token_engine = \"fast\"");
  const std::string problem = parse_device_spec(text, "own.toml").error().message;
  EXPECT_NE(problem.find("serving.token_engine: found \"fast\", expected vllm-0.11, vllm-0.5 or "),
            std::string::npos)
      << problem;
}

}  // namespace
}  // namespace drover::devices
