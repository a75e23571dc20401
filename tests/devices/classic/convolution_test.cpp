// Kernels of one convolution: which products libraries save.
#include "devices/classic/layers.h"

#include <gtest/gtest.h>

#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

/// Of the matrix or vector units alone, large enough that memory does not bound it.
double convolution_seconds(const char* device, Precision precision, const Convolution& convolution,
                           Pass pass = Pass::forward) {
  const LayerRates layer(on(device, 1, precision), 1);
  StepAccumulator sum(layer.rates);
  add_convolution(sum, layer, convolution, 2, 64, pass, 0);
  return sum.step().parts[static_cast<std::size_t>(TimeComponent::matrix)];
}

/// Seconds per multiplication, beside those of a kernel of 5 x 5.
double against_five(const char* device, Precision precision, Convolution convolution) {
  const double seconds_each = convolution_seconds(device, precision, convolution) /
                              (convolution.kernel * convolution.kernel / convolution.groups);
  convolution = {.inputs = 512, .outputs = 512, .kernel = 5, .edge = 56};
  return seconds_each / (convolution_seconds(device, precision, convolution) / 25);
}

TEST(Convolution, With3x3KernelsInFp32NeedsFewerMultiplications) {
  const Convolution three{.inputs = 512, .outputs = 512, .kernel = 3, .edge = 56};
  const double saved = device_named("v100-sxm2-16gb").layers.winograd_factor;
  EXPECT_GT(saved, 1.5);
  EXPECT_LE(saved, 2.25);
  EXPECT_NEAR(against_five("v100-sxm2-16gb", Precision::fp32, three), 1 / saved, 0.02);
  EXPECT_NEAR(against_five("v100-sxm2-16gb", Precision::fp16, three), 1, 0.02) << "matrix units";
  EXPECT_NEAR(against_five("a100-sxm-80gb", Precision::tf32, three), 1, 0.02);
}

TEST(Convolution, WithAStrideNeedsAllItsMultiplications) {
  // A quarter of the positions, each as dear as at stride 1 without what is saved.
  const Convolution strided{.inputs = 512, .outputs = 512, .kernel = 3, .stride = 2, .edge = 112};
  EXPECT_NEAR(against_five("v100-sxm2-16gb", Precision::fp32, strided), 1, 0.02);
}

TEST(Convolution, GradientsCostAsMuchAsForward) {
  const Convolution three{.inputs = 512, .outputs = 512, .kernel = 3, .edge = 56};
  const double forward = convolution_seconds("v100-sxm2-16gb", Precision::fp32, three);
  for (const Pass pass : {Pass::data_gradient, Pass::weight_gradient}) {
    EXPECT_NEAR(convolution_seconds("v100-sxm2-16gb", Precision::fp32, three, pass) / forward, 1,
                0.1);
  }
}

}  // namespace
}  // namespace drover::devices
