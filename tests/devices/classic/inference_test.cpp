// Convolution, recurrent and encoder nets in one static batch: laws, and published figures.
#include "devices/classic/inference.h"

#include <gtest/gtest.h>

#include "devices/estimate/estimate.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

double batch_ms(const char* device, const char* model, double items, Precision precision,
                SoftwareStack software) {
  return 1e3 * inference_step(on(device, 1, precision), model_named(model), {items, 0, software}, 1)
                   .seconds;
}

TEST(Inference, NeverTakesLessForMoreItems) {
  for (const char* model : {"resnet-50", "bert-large", "rnn-t", "lstm-lm", "3d-unet-kits19"}) {
    for (const SoftwareStack software : {SoftwareStack::engine, SoftwareStack::framework}) {
      double before = 0;
      for (const double items : {1, 2, 3, 7, 8, 31, 32, 128, 129, 1024}) {
        const double now = batch_ms("a100-sxm-80gb", model, items, Precision::fp16, software);
        EXPECT_GE(now, before * (1 - 1e-12)) << model << " " << items;
        before = now;
      }
    }
  }
}

TEST(Inference, ABetterPartIsNeverSlower) {
  const DeviceSpec& usual = device_named("a100-sxm-80gb");
  DeviceSpec faster = usual;
  faster.memory.bandwidth *= 2;
  DeviceSpec stronger = usual;
  for (double& peak : stronger.peak_flops) peak *= 2;
  for (const char* model : {"resnet-50", "bert-base", "rnn-t", "stable-diffusion-1.5"}) {
    const auto seconds = [&](const DeviceSpec& device) {
      return inference_step({&device, 1, Precision::int8}, model_named(model), {32}, 1).seconds;
    };
    EXPECT_LE(seconds(faster), seconds(usual)) << model;
    EXPECT_LE(seconds(stronger), seconds(usual)) << model;
  }
}

TEST(Inference, TheHostLimitsSmallFrameworkBatches) {
  const double one =
      batch_ms("v100-sxm2-16gb", "resnet-50", 1, Precision::fp16, SoftwareStack::framework);
  const double eight =
      batch_ms("v100-sxm2-16gb", "resnet-50", 8, Precision::fp16, SoftwareStack::framework);
  EXPECT_NEAR(one, eight, 0.05 * one);
  EXPECT_LT(batch_ms("v100-sxm2-16gb", "resnet-50", 1, Precision::fp16, SoftwareStack::engine),
            one / 3);
}

struct PublishedInference {
  const char* device;
  int devices;
  const char* model;
  const char* precision;
  const char* batch;
  const char* tokens;
  double samples_per_s;
  double tolerance;
};

class InferencePublished : public testing::TestWithParam<PublishedInference> {};

TEST_P(InferencePublished, IsMatchedWithinTolerance) {
  const PublishedInference& fact = GetParam();
  CaseReader reader(Catalogue::embedded());
  CaseRow row;
  row[CaseColumn::kind] = "infer";
  row[CaseColumn::device] = fact.device;
  row[CaseColumn::devices] = std::to_string(fact.devices);
  row[CaseColumn::model] = fact.model;
  row[CaseColumn::precision] = fact.precision;
  row[CaseColumn::batch] = fact.batch;
  row[CaseColumn::input_len] = fact.tokens;
  const Result<Case> question = reader.read(row);
  ASSERT_TRUE(question) << question.error().message;
  const Result<Estimate> answer = estimate(*question);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_NEAR(answer->samples_per_s / fact.samples_per_s, 1, fact.tolerance)
      << fact.device << " " << fact.model;
}

// Single figures of MLPerf Inference (closed, offline) and of NVIDIA's DeepLearningExamples.
INSTANTIATE_TEST_SUITE_P(
    Figures, InferencePublished,
    testing::Values(
        PublishedInference{"A100-SXM4-80GB", 8, "ResNet-50 v1.5", "int8", "", "", 335142, 0.3},
        PublishedInference{"L4", 1, "ResNet-50 v1.5", "int8", "", "", 12618, 0.35},
        PublishedInference{"A100-PCIe-80GB", 1, "BERT-large SQuAD (99%)", "int8", "", "", 3168,
                           0.3},
        PublishedInference{"H100-SXM5-80GB", 8, "RetinaNet OpenImages 800px", "int8", "", "", 12164,
                           0.3},
        PublishedInference{"A100-SXM4-80GB", 1, "RNN-T", "fp16", "", "", 14088, 0.35},
        PublishedInference{"V100-SXM2-16GB", 1, "ResNet-50 v1.5", "fp16 mixed", "256", "", 3382,
                           0.2},
        PublishedInference{"V100-SXM2-16GB", 1, "ResNeXt-101 32x4d", "fp32", "128", "", 527, 0.2},
        PublishedInference{"V100-SXM2-16GB", 1, "BERT-base SQuAD", "fp16", "8", "128", 962.8,
                           0.25}));

}  // namespace
}  // namespace drover::devices
