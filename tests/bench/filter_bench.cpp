// What a filter of four comparisons takes over 10,000 devices (goal: well under 1 ms), of numbers
// and of texts. Beside it a function written by hand for the same question, and reading the text.
#include <benchmark/benchmark.h>

#include <string>
#include <variant>
#include <vector>

#include "fleet/filter/filter.h"
#include "tests/fleet/filter/plain_device.h"

namespace drover::filter {
namespace {

constexpr int device_count = 10'000;

std::vector<PlainDevice> devices_of(int count) {
  std::vector<PlainDevice> made(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < made.size(); ++i) {
    PlainDevice& device = made[i];
    device.sample[Metric::temperature] = 40 + static_cast<double>(i % 50);
    device.sample[Metric::power] = 100 + static_cast<double>(i % 600);
    device.sample[Metric::utilization] = static_cast<double>(i % 100) / 100;
    device.sample[Metric::queue] = static_cast<double>(i % 7);
    device.host.host = "host-" + std::to_string(i / 8);
    device.own_group.device = i % 3 == 0 ? "tpu-v5e" : "h100-sxm";
    device.its_class = i % 3 == 0 ? DeviceClass::tpu : DeviceClass::gpu;
    device.replicas.resize(1);
    device.replicas[0].model = i % 5 == 0 ? "llama-3.1-70b" : "qwen-2.5-7b";
  }
  return made;
}

void narrow(benchmark::State& state, const char* text) {
  const std::vector<PlainDevice> all = devices_of(device_count);
  const Filter filter = std::get<Filter>(Filter::parse(text));
  std::size_t found = 0;
  for (auto _ : state) {
    found = 0;
    for (const PlainDevice& device : all) found += filter.matches(device) ? 1 : 0;
    benchmark::DoNotOptimize(found);
  }
  state.counters["found"] = static_cast<double>(found);
}
// Written so that most devices are asked all four.
BENCHMARK_CAPTURE(narrow, numbers, "temp>10 & power>50W & util>=0% & queue<6")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(narrow, texts, "kind!=gpu & kind!=tpu & model!=bert & host!=absent")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(narrow, mixed, "kind==tpu-v5e & temp>70 | model~llama")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(narrow, name, "llama")->Unit(benchmark::kMicrosecond);

void by_hand(benchmark::State& state) {
  const std::vector<PlainDevice> all = devices_of(device_count);
  std::size_t found = 0;
  for (auto _ : state) {
    found = 0;
    for (const PlainDevice& device : all) {
      const Sample& sample = device.sample;
      const bool holds = sample[Metric::temperature] > 10 && sample[Metric::power] > 50 &&
                         sample[Metric::utilization] >= 0 && sample[Metric::queue] < 6;
      found += holds ? 1 : 0;
    }
    benchmark::DoNotOptimize(found);
  }
  state.counters["found"] = static_cast<double>(found);
}
BENCHMARK(by_hand)->Unit(benchmark::kMicrosecond);

void read_a_filter(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(Filter::parse("kind==tpu & temp>70 | pool==serving"));
  }
}
BENCHMARK(read_a_filter);

}  // namespace
}  // namespace drover::filter
