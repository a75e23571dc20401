// Products of one kernel: laws of tiles and arrays, and published timings.
#include "devices/operation/matrix.h"

#include <gtest/gtest.h>

#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

double call_seconds(std::string_view device, Precision precision, double m, double n, double k) {
  return library_call(device_named(device), precision, {m, n, k}, 1).seconds;
}

TEST(Matrix, ComputesInWiderNumbersWhereATypeIsNotNative) {
  const DeviceSpec& a100 = device_named("a100-sxm-80gb");
  EXPECT_EQ(compute_precision(a100, Precision::fp8), Precision::bf16);
  EXPECT_EQ(compute_precision(a100, Precision::int8), Precision::int8);
  EXPECT_EQ(compute_precision(device_named("tpu-v5e"), Precision::fp16), Precision::bf16);
  EXPECT_LT(compute_peak(device_named("tpu-v5e"), Precision::fp32),
            device_named("tpu-v5e").peak(Precision::bf16) / 5);
}

TEST(Matrix, TheLastWaveOfTilesCostsNearlyAsMuchAsAFullOne) {
  const DeviceSpec& a100 = device_named("a100-sxm-80gb");
  const MatrixRate rate(a100, Precision::bf16, a100.peak(Precision::bf16));
  // 108 multiprocessors, tiles of 256 x 128: one column of tiles more than fits starts a new wave.
  const double full = rate.seconds({256 * 9, 128 * 12, 4096});
  const double over = rate.seconds({256 * 9, 128 * 12 + 1, 4096});
  EXPECT_GT(over / full, 1.05);
}

TEST(Matrix, ASystolicArrayIsPaddedToItsEdge) {
  const DeviceSpec& tpu = device_named("tpu-v5e");
  const MatrixRate rate(tpu, Precision::bf16, tpu.peak(Precision::bf16));
  EXPECT_EQ(rate.seconds({256, 129, 4096}), rate.seconds({256, 256, 4096}));
  EXPECT_EQ(rate.seconds({1, 4096, 4096}), rate.seconds({128, 4096, 4096}));
  EXPECT_EQ(rate.seconds({201, 4096, 4096}), rate.seconds({208, 4096, 4096}));
}

TEST(Matrix, MoreRowsColumnsDepthOrProductsNeverTakeLess) {
  const double sizes[] = {1, 7, 16, 63, 64, 65, 128, 200, 511, 512, 513, 1000, 4096, 5000, 65536};
  for (const char* device : {"h100-sxm", "t4", "p100-sxm2", "mi300x", "tpu-v6e", "k80"}) {
    for (const Precision precision : {Precision::bf16, Precision::fp32, Precision::int8}) {
      for (const double m : sizes) {
        for (const double n : {64.0, 1280.0, 65536.0}) {
          double before = 0;
          for (const double k : sizes) {
            const double now = call_seconds(device, precision, m, n, k);
            EXPECT_GE(now, before * (1 - 1e-12)) << device << ' ' << m << ' ' << n << ' ' << k;
            EXPECT_LE(now, call_seconds(device, precision, m + 1, n, k) * (1 + 1e-12))
                << device << ' ' << m << ' ' << n << ' ' << k;
            EXPECT_LE(now, call_seconds(device, precision, m, n + 1, k) * (1 + 1e-12))
                << device << ' ' << m << ' ' << n << ' ' << k;
            before = now;
          }
        }
      }
    }
  }
}

TEST(Matrix, NothingIsFasterThanThePeakOrTheMemory) {
  for (const auto& [id, entry] : Catalogue::embedded().devices()) {
    const DeviceSpec& device = entry.spec;
    for (int i = 0; i < precision_count; ++i) {
      const auto precision = static_cast<Precision>(i);
      if (!device.runs(precision)) continue;
      for (const double m : {1.0, 64.0, 4096.0}) {
        const Kernel kernel = library_call(device, precision, {m, 8192, 8192}, 1);
        EXPECT_GE(kernel.seconds, kernel.flops / device.peak(precision)) << device.id;
        EXPECT_GE(kernel.seconds, kernel.bytes / device.memory.bandwidth) << device.id;
      }
    }
  }
}

TEST(Matrix, HalvingTheClockSlowsComputeNotMemoryTraffic) {
  const DeviceSpec& h100 = device_named("h100-sxm");
  const Product large{8192, 8192, 8192};
  EXPECT_NEAR(product_kernel(h100, Precision::bf16, large, 0.5).seconds /
                  product_kernel(h100, Precision::bf16, large, 1).seconds,
              2, 0.02);
  const Product vector{1, 8192, 8192};
  EXPECT_NEAR(product_kernel(h100, Precision::bf16, vector, 0.5).seconds /
                  product_kernel(h100, Precision::bf16, vector, 1).seconds,
              1, 0.1);
}

TEST(Matrix, ManySmallProductsFillTheDeviceTogether) {
  const DeviceSpec& a100 = device_named("a100-sxm-80gb");
  const double one = product_kernel(a100, Precision::bf16, {128, 128, 128, 1}, 1).matrix_seconds;
  const double many = product_kernel(a100, Precision::bf16, {128, 128, 128, 64}, 1).matrix_seconds;
  EXPECT_LT(many, 64 * one / 8);
}

struct Timing {
  const char* device;
  Precision precision;
  double m, n, k, measured_ms, within;  // share of the measured time
};

// Single published figures: microsoft/vidur (MIT), LLMCompass (BSD-3), DeepBench (Apache-2.0),
// tpu-recipes (Apache-2.0), stas00/ml-engineering and ROCm blogs. Classes of shapes, not the worst.
TEST(Matrix, MatchesMeasuredProducts) {
  const Timing timings[] = {
      {"a100-sxm-80gb", Precision::fp16, 4096, 6144, 4096, 0.914, 0.10},
      {"a100-sxm-80gb", Precision::fp16, 2048, 10240, 8192, 1.437, 0.10},
      {"a100-sxm-80gb", Precision::fp16, 1024, 1280, 8192, 0.119, 0.15},
      {"a100-sxm-80gb", Precision::fp16, 1, 12288, 4096, 0.065, 0.12},
      {"a40", Precision::fp16, 4096, 22016, 4096, 6.714, 0.10},
      {"a40", Precision::fp16, 32, 8192, 8192, 0.263, 0.15},
      {"h100-sxm", Precision::fp16, 512, 6144, 4096, 0.046, 0.15},
      {"h100-sxm", Precision::fp16, 4096, 10240, 8192, 0.990, 0.10},
      {"h100-sxm", Precision::fp16, 8, 57344, 8192, 0.305, 0.10},
      {"v100-sxm2-16gb", Precision::fp16, 4608, 24000, 1536, 3.447, 0.10},
      {"v100-sxm2-16gb", Precision::fp32, 4608, 24000, 1536, 25.936, 0.10},
      {"t4", Precision::fp16, 1024, 48000, 2816, 7.023, 0.10},
      {"t4", Precision::int8, 8448, 6000, 2816, 12.282, 0.10},
      {"p100-sxm2", Precision::fp32, 8448, 48000, 2816, 250.5, 0.10},
      {"mi210", Precision::fp16, 16384, 12288, 12288, 41.14, 0.10},
      {"h20-sxm", Precision::fp16, 8192, 8192, 8192, 7.73, 0.10},
      {"tpu-v6e", Precision::bf16, 8192, 8192, 8192, 1.329, 0.10},
  };
  for (const Timing& timing : timings) {
    const double predicted =
        1e3 * call_seconds(timing.device, timing.precision, timing.m, timing.n, timing.k);
    EXPECT_NEAR(predicted / timing.measured_ms, 1, timing.within)
        << timing.device << ' ' << timing.m << ' ' << timing.n << ' ' << timing.k;
  }
}

}  // namespace
}  // namespace drover::devices
