// Training of convolution nets, encoders and recurrent nets: laws, and published figures.
#include "devices/classic/classic_training.h"

#include <gtest/gtest.h>

#include "devices/estimate/estimate.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

double rate(const char* device, int devices, const char* model, double items, Precision precision,
            SoftwareStack software) {
  const Step step = non_decoder_training_step(on(device, devices, precision), model_named(model),
                                              {items, 0, software}, 1);
  return items / step.seconds;
}

TEST(ClassicTraining, PartsAddUpToTheStep) {
  for (const char* model : {"resnet-50", "bert-large", "lstm-lm", "stable-diffusion-2-train"}) {
    const Step step = non_decoder_training_step(on("a100-sxm-80gb", 8, Precision::fp16),
                                                model_named(model), {256}, 0.8);
    double sum = 0;
    for (const double part : step.parts) sum += part;
    EXPECT_NEAR(sum, step.seconds, 1e-9 * step.seconds) << model;
    EXPECT_LE(step.tensor_activity, 1);
    EXPECT_LE(step.memory_activity, 1);
  }
}

TEST(ClassicTraining, MoreDevicesAndLargerBatchesAreFasterButAtMostLinearly) {
  const double one =
      rate("a100-sxm-80gb", 1, "resnet-50", 256, Precision::fp16, SoftwareStack::framework);
  const double eight =
      rate("a100-sxm-80gb", 8, "resnet-50", 2048, Precision::fp16, SoftwareStack::framework);
  EXPECT_GT(eight, 4 * one);
  EXPECT_LE(eight, 8 * one * (1 + 1e-9));
  EXPECT_LT(rate("a100-sxm-80gb", 1, "resnet-50", 8, Precision::fp16, SoftwareStack::framework),
            one);
}

TEST(ClassicTraining, TunedSoftwareBeatsAutomaticCasts) {
  EXPECT_GT(rate("a100-sxm-80gb", 1, "resnet-50", 256, Precision::fp16, SoftwareStack::tuned),
            rate("a100-sxm-80gb", 1, "resnet-50", 256, Precision::fp16, SoftwareStack::autocast));
}

struct PublishedTraining {
  const char* device;
  int devices;
  const char* model;
  const char* precision;
  const char* batch;
  const char* tokens;
  double samples_per_s;
  double tolerance;
};

class ClassicTrainingPublished : public testing::TestWithParam<PublishedTraining> {};

TEST_P(ClassicTrainingPublished, IsMatchedWithinItsTolerance) {
  const PublishedTraining& fact = GetParam();
  CaseReader reader(Catalogue::embedded());
  CaseRow row;
  row[CaseColumn::kind] = "train";
  row[CaseColumn::device] = fact.device;
  row[CaseColumn::devices] = std::to_string(fact.devices);
  row[CaseColumn::model] = fact.model;
  row[CaseColumn::precision] = fact.precision;
  row[CaseColumn::global_batch] = fact.batch;
  row[CaseColumn::seq_len] = fact.tokens;
  const Result<Case> question = reader.read(row);
  ASSERT_TRUE(question) << question.error().message;
  const Result<Estimate> answer = estimate(*question);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_NEAR(answer->samples_per_s / fact.samples_per_s, 1, fact.tolerance)
      << fact.device << " " << fact.model;
}

// Single figures of Gavel, NVIDIA's DeepLearningExamples, MLPerf Training and Zeus.
INSTANTIATE_TEST_SUITE_P(
    Figures, ClassicTrainingPublished,
    testing::Values(
        PublishedTraining{"P100-16GB (GCE)", 1, "ResNet-50", "fp32", "64", "", 167.6, 0.25},
        PublishedTraining{"V100-16GB (GCE)", 1, "LM", "fp32", "20", "", 1294.8, 0.25},
        // The source gives no batch for the next two: they are missed by 22 and 27 %.
        PublishedTraining{"V100-SXM2-16GB", 8, "ResNet-50 v1.5 ImageNet", "fp32", "", "", 2855,
                          0.25},
        PublishedTraining{"V100-SXM2-16GB", 1, "ResNeXt-101 32x4d ImageNet", "fp16 mixed", "", "",
                          587, 0.3},
        PublishedTraining{"A40", 1, "resnet50", "fp32", "128", "", 342.6, 0.3},
        PublishedTraining{"H100-SXM5-80GB", 8, "ResNet-50 v1.5 ImageNet",
                          "mixed (submission default; bf16/fp16 or fp8, see source)", "3200", "",
                          57284.8, 0.25},
        PublishedTraining{"TPU v3", 4, "ResNet-50 v1.5 ImageNet", "bf16", "1024", "", 7290, 0.3}));

}  // namespace
}  // namespace drover::devices
