// What the history costs: a second of samples of a large fleet taken in, with all its metrics.
// Beside it the least that it could cost, in the same run: as many bytes as it writes, copied.
#include <cstring>

#include <benchmark/benchmark.h>

#include "fleet/base/result.h"
#include "tests/tui/sample_fleet.h"
#include "tui/dashboard.h"
#include "tui/history/device_history.h"

namespace drover::tui {
namespace {

constexpr int devices_per_host = 8;
constexpr std::size_t ladder_bytes = history_bytes_default / 2;

/// The batch with all metrics that real boards tell.
SampleBatch whole(const SampleBatch& batch) {
  std::vector<Sample> rows = unpack(batch);
  for (Sample& row : rows) {
    for (const Metric metric : {Metric::tensor_activity, Metric::memory_activity}) {
      row[metric] = row[Metric::utilization] / 2;
    }
    row[Metric::clock] = 1980 - 400 * row[Metric::utilization];
    row[Metric::throttle] = row[Metric::utilization] > 0.9 ? double{throttle_sw_power_cap} : 0.0;
    row[Metric::energy] = 1e6 * row[Metric::power];
    row[Metric::queue] = 2;
    row[Metric::memory_temperature] = row[Metric::temperature] + 8;
    row[Metric::power_violation] = row[Metric::thermal_violation] = 1.5;
  }
  return pack(batch.host, rows);
}

/// Four seconds of batches, over and over: only the instants go on.
struct Stream {
  std::vector<std::vector<SampleBatch>> seconds;
  Instant now = SampleFleet::start;
  std::size_t next = 0;

  explicit Stream(int devices) {
    for (std::uint64_t i = 1; i <= 4; ++i) {
      seconds.emplace_back();
      for (const Envelope& told : plain_samples(devices / devices_per_host, devices_per_host, i)) {
        seconds.back().push_back(whole(std::get<SampleBatch>(told.body)));
      }
    }
  }

  void tell(DeviceHistory& history) {
    now += std::chrono::seconds(1);
    for (const SampleBatch& batch : seconds[next]) history.take(now, batch);
    next = (next + 1) % seconds.size();
  }
};

void take_a_second_into_the_history(benchmark::State& state) {
  const auto devices = static_cast<int>(state.range(0));
  Stream stream(devices);
  DeviceHistory history(std::chrono::seconds(1), ladder_bytes);
  for (int second = 0; second < 60; ++second) stream.tell(history);
  for (auto _ : state) stream.tell(history);
  DROVER_REQUIRE(history.devices() == static_cast<std::size_t>(devices));
  state.counters["bytes/device"] = static_cast<double>(history.bytes()) / devices;
  state.SetLabel(retention_text(history.retention()));
}
BENCHMARK(take_a_second_into_the_history)
    ->Arg(104)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMicrosecond);

/// What a screen of sparklines asks.
void read_fifty_sparklines(benchmark::State& state) {
  Stream stream(10'000);
  DeviceHistory history(std::chrono::seconds(1), ladder_bytes);
  for (int second = 0; second < 60; ++second) stream.tell(history);
  std::vector<DeviceId> shown;
  for (std::size_t i = 0; i < 50; ++i) shown.push_back({stream.seconds[0][i * 20].host, 3});
  for (auto _ : state) {
    for (const DeviceId& device : shown) {
      benchmark::DoNotOptimize(history.read(device, HistoryMetric::utilization,
                                            HistoryResolution::seconds, stream.now, 60));
    }
  }
}
BENCHMARK(read_fifty_sparklines)->Unit(benchmark::kMicrosecond);

/// The peer: the points of all metrics and rungs, copied to where they would stand, host by host.
void points_copied(benchmark::State& state) {
  const auto hosts = static_cast<std::size_t>(state.range(0)) / devices_per_host;
  constexpr std::size_t host_points = history_metric_count * devices_per_host;
  std::vector<std::vector<QuantizedValue>> rings(hosts * history_resolution_count,
                                                 std::vector<QuantizedValue>(60 * host_points));
  const std::vector<QuantizedValue> told(host_points, 7);
  std::size_t bin = 0;
  for (auto _ : state) {
    for (std::vector<QuantizedValue>& ring : rings) {
      std::memcpy(&ring[bin * host_points], told.data(), host_points * sizeof(QuantizedValue));
    }
    benchmark::ClobberMemory();
    bin = (bin + 1) % 60;
  }
}
BENCHMARK(points_copied)->Arg(10'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace drover::tui
