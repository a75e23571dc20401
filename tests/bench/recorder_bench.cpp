// A recording in the making, from the queue to the disk, and moments of one made anew. Beside the
// first, the least that must be done for a durable stream: encode each batch and write it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "commands/dashboard/replay_timeline.h"
#include "commands/record/recorder.h"
#include "commands/shell/clock.h"
#include "fleet/base/random_stream.h"
#include "fleet/codec/codec.h"
#include "tests/tui/sample_fleet.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

constexpr int devices_per_host = 100;
constexpr Instant start = tui::SampleFleet::start;

/// A minute of a fleet whose values move like those of busy devices.
std::vector<std::vector<Envelope>> minute_of(int devices) {
  RandomStream random(1);
  std::vector<std::vector<Envelope>> ticks(60);
  std::uint64_t sequence = 0;
  for (auto& tick : ticks) {
    ++sequence;
    for (int host = 0; host < devices / devices_per_host; ++host) {
      std::vector<Sample> rows(devices_per_host);
      for (std::uint16_t i = 0; i < devices_per_host; ++i) {
        Sample& row = rows[i];
        row.device = i;
        const double load = 0.5 + 0.1 * random.uniform();
        row[Metric::utilization] = load;
        row[Metric::tensor_activity] = 0.55 * load;
        row[Metric::memory_activity] = 0.7 * load;
        row[Metric::memory_total] = 85'899'345'920;
        row[Metric::memory_used] = 64e9;
        row[Metric::power] = 200 + 400 * load;
        row[Metric::power_cap] = 700;
        row[Metric::temperature] = 40 + 40 * load;
        row[Metric::clock] = 1'980 - 15 * static_cast<double>(random.below(8));
        row[Metric::throttle] = 0;
        row[Metric::energy] = static_cast<double>(sequence) * 500 + 40 * random.uniform();
        row[Metric::queue] = static_cast<double>(random.below(4));
        row[Metric::running] = 20;
      }
      const std::string name = fmt::format("host-{:04}", host);  // as plain_hosts names them
      tick.push_back({name, sequence, start, pack(name, rows)});
    }
  }
  return ticks;
}

std::string new_path() {
  return (std::filesystem::temp_directory_path() / "drover-bench.mcap").string();
}

void record_a_minute(benchmark::State& state) {
  const int devices = static_cast<int>(state.range(0));
  const auto ticks = minute_of(devices);
  RecorderOptions options;
  options.path = new_path();
  options.force = true;
  options.disk_free_bytes_min = 0;
  std::uintmax_t bytes = 0;
  for (auto _ : state) {
    auto recorder = Recorder::open(options, {start, 1, "bench", {}, {1, 2}});
    for (std::size_t s = 0; s < ticks.size(); ++s) {
      for (const Envelope& batch : ticks[s]) {
        while (!(*recorder)->record(start + seconds(s), batch)) std::this_thread::yield();
      }
    }
    if (!(*recorder)->end()) state.SkipWithError("the recording failed");
    bytes = std::filesystem::file_size(options.path);
  }
  const double rows = 60.0 * devices;
  state.counters["rows/s"] =
      benchmark::Counter(rows, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bytes/value"] = static_cast<double>(bytes) / (rows * metric_count);
  std::filesystem::remove(options.path);
}
BENCHMARK(record_a_minute)
    ->Arg(1'000)
    ->Arg(10'000)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

void write_a_minute_as_it_came(benchmark::State& state) {
  const int devices = static_cast<int>(state.range(0));
  const auto ticks = minute_of(devices);
  for (auto _ : state) {
    std::ofstream file(new_path(), std::ios::binary | std::ios::trunc);
    for (const auto& tick : ticks) {
      for (const Envelope& batch : tick) {
        const std::string bytes = encode(batch);
        file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      }
    }
  }
  state.counters["rows/s"] =
      benchmark::Counter(60.0 * devices, benchmark::Counter::kIsIterationInvariantRate);
  std::filesystem::remove(new_path());
}
BENCHMARK(write_a_minute_as_it_came)
    ->Arg(1'000)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

/// From anywhere to anywhere in an hour of so many devices, the model of the moment included.
void seek_in_an_hour(benchmark::State& state) {
  const int devices = static_cast<int>(state.range(0));
  const auto ticks = minute_of(devices);
  std::string file;
  RecordingWriter writer;
  file += writer.begin({start, 1, "bench", {}, {1, 2}}).file;
  std::vector<std::string> hosts;
  for (const Envelope& host : tui::plain_hosts(devices / devices_per_host, devices_per_host)) {
    hosts.push_back(encode(host));
  }
  for (int s = 0; s < 3600; ++s) {
    const Instant at = start + seconds(s);
    if (s % 60 == 0) file += writer.keyframe(at, hosts).file;
    for (const Envelope& batch : ticks[static_cast<std::size_t>(s % 60)]) {
      file += writer.add(RecordedMessage{at, batch, 0}).file;
    }
  }
  file += writer.end().file;
  TextSource source(file);
  auto reader = RecordingReader::open(source, {}, RecordingReader::Survey::always);
  const ReplayTimeline timeline(*reader);
  tui::ModelSnapshot moment = timeline.keyframe(start);
  RandomStream random(7);
  std::vector<double> times_ms;
  for (auto _ : state) {
    const WallTime begun = wall_now();
    tui::seek(timeline, moment, start + seconds(random.below(3600)));
    times_ms.push_back(std::chrono::duration<double, std::milli>(wall_now() - begun).count());
  }
  std::sort(times_ms.begin(), times_ms.end());
  state.counters["p50_ms"] = times_ms[times_ms.size() / 2];
  state.counters["p99_ms"] = times_ms[times_ms.size() * 99 / 100];
  state.counters["file_MB"] = static_cast<double>(file.size()) / 1e6;
}
BENCHMARK(seek_in_an_hour)->Arg(100)->Arg(1'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace drover::commands
