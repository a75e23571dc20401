// What one device step and one estimate cost, beside the physical limit of a step: the two
// exponentials that its closed-form heat needs.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <vector>

#include "devices/board/chassis.h"
#include "devices/catalogue/catalogue.h"
#include "devices/serving/performance.h"
#include "devices/training/training.h"

namespace drover::devices {
namespace {

const DeviceSpec& device_of(const char* id) { return (*Catalogue::embedded().device(id))->spec; }
const ModelSpec& model_of(const char* id) { return (*Catalogue::embedded().model(id))->spec; }

Activity busy(double memory) {
  Activity activity;
  activity.step.memory_activity = memory;
  activity.step.tensor_activity = 0.02;
  activity.context_open = true;
  return activity;
}

/// The limit: two exponentials, once for the new state and once for the reading.
void TwoExponentials(benchmark::State& state) {
  double seconds = 0;
  for (auto _ : state) {
    seconds += 1e-3;
    benchmark::DoNotOptimize(std::exp(-seconds / 40) + std::exp(-seconds / 3));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(TwoExponentials);

/// A device's activity changes, time moves on, it is read: what an agent does once per change.
void DeviceStep(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const std::vector<const DeviceSpec*> specs(count, &device_of("h100-sxm"));
  Instant now{};
  Chassis chassis(specs, Ambient{}, RandomStream(1), now);
  const Activity activities[] = {busy(0.60), busy(0.62)};
  std::size_t device = 0, round = 0;
  for (auto _ : state) {
    now += std::chrono::microseconds(100);
    chassis.advance(now);
    chassis.set_activity(now, device, activities[round & 1]);
    benchmark::DoNotOptimize(chassis.reading(now, device));
    if (++device == count) {
      device = 0;
      ++round;
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(DeviceStep)->Arg(8)->Arg(10'000);

/// Only read, as the sampler does at 1 Hz.
void DeviceReading(benchmark::State& state) {
  const std::vector<const DeviceSpec*> specs(10'000, &device_of("h100-sxm"));
  Instant now{};
  Chassis chassis(specs, Ambient{}, RandomStream(1), now);
  std::size_t device = 0;
  for (auto _ : state) {
    now += std::chrono::microseconds(100);
    chassis.advance(now);
    benchmark::DoNotOptimize(chassis.reading(now, device));
    device = (device + 1) % specs.size();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(DeviceReading);

/// Under a power cap that binds: control steps included.
void CappedDeviceStep(benchmark::State& state) {
  const std::vector<const DeviceSpec*> specs(8, &device_of("h100-sxm"));
  Instant now{};
  Chassis chassis(specs, Ambient{}, RandomStream(1), now);
  for (std::size_t i = 0; i < 8; ++i) chassis.set_power_cap(now, i, 350);
  Activity activity = busy(0.3);
  std::size_t device = 0;
  for (auto _ : state) {
    now += std::chrono::milliseconds(10);
    benchmark::DoNotOptimize(chassis.advance(now));
    activity.step.tensor_activity = activity.step.tensor_activity < 0.3 ? 0.5 : 0.1;
    chassis.set_activity(now, device, activity);
    benchmark::DoNotOptimize(chassis.reading(now, device));
    device = (device + 1) % 8;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(CappedDeviceStep);

void DecodeEstimate(benchmark::State& state) {
  const Placement placement{&device_of("h100-sxm"), 4, Precision::bf16};
  const ModelSpec& model = model_of("llama-3.1-70b");
  std::uint32_t batch = 1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(decode_step(placement, model, batch, 450.0 * batch, 1));
    batch = batch % 256 + 1;
  }
}
BENCHMARK(DecodeEstimate);

void TrainingEstimate(benchmark::State& state) {
  const Placement placement{&device_of("h100-sxm"), 8, Precision::bf16};
  const ModelSpec& model = model_of("llama-3.1-8b");
  std::uint32_t batch = 8;
  for (auto _ : state) {
    benchmark::DoNotOptimize(training_step(placement, model, {batch, 4096}, 1));
    batch = batch % 256 + 8;
  }
}
BENCHMARK(TrainingEstimate);

}  // namespace
}  // namespace drover::devices
