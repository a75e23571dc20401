// A page of /metrics of a large fleet: one round of new samples written over the page before,
// beside a copy of the same bytes.
#include <cstring>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "commands/metrics/gzip.h"
#include "commands/metrics/page/fleet_metrics.h"
#include "devices/catalogue/catalogue.h"

namespace drover::commands {
namespace {

constexpr std::uint16_t per_host = 8;
Instant round_time(int round) {
  return Instant{} + std::chrono::hours(1) + std::chrono::seconds(round);
}

/// All metrics that emulated devices have; `round` changes all that changes under load.
std::vector<Sample> samples_of(int host, int round) {
  std::vector<Sample> rows(per_host);
  for (std::uint16_t device = 0; device < per_host; ++device) {
    const int number = host * per_host + device + round * 7;
    Sample& row = rows[device];
    row.device = device;
    row[Metric::utilization] = 0.0001 * (number % 10'000);
    row[Metric::tensor_activity] = 0.0001 * (number % 7'000);
    row[Metric::memory_activity] = 0.0001 * (number % 9'000);
    row[Metric::memory_used] = 1e6 * (number % 80'000);
    row[Metric::memory_total] = 80e9;
    row[Metric::power] = 0.1 * (number % 7'000);
    row[Metric::power_cap] = 700;
    row[Metric::temperature] = 30 + 0.1 * (number % 600);
    row[Metric::clock] = 1'000 + number % 980;
    row[Metric::throttle] = 0;
    row[Metric::energy] = 1e6 + 350.7 * round;
    row[Metric::queue] = number % 20;
    row[Metric::running] = number % 8;
    row[Metric::power_violation] = 0.1 * round;
    row[Metric::thermal_violation] = 0;
    row[Metric::board_limit_violation] = 0;
  }
  return rows;
}

class LargeFleet {
 public:
  explicit LargeFleet(int devices) : hosts_(devices / per_host) {
    HostChanged host;
    const auto spec = devices::Catalogue::embedded().device("h100-sxm");
    host.registration.specs = {{"h100-sxm", (*spec)->text}};
    host.registration.groups = {{0, 0, per_host, "h100-sxm", "", 700}};
    host.registration.rack = "rack-1";
    host.registration.site = "local";
    for (int i = 0; i < hosts_; ++i) {
      host.registration.host = name(i);
      fleet.apply(round_time(0), {"router", 0, round_time(0), host});
    }
  }
  std::string name(int host) const { return "node-" + std::to_string(10'000 + host); }
  void sample(int round) {
    for (int i = 0; i < hosts_; ++i) {
      fleet.apply(round_time(round),
                  {name(i), 0, round_time(round), pack(name(i), samples_of(i, round))});
    }
  }
  FleetMetrics fleet;

 private:
  int hosts_;
};

void metrics_page(benchmark::State& state) {
  LargeFleet fleet(static_cast<int>(state.range(0)));
  const auto format = static_cast<PageFormat>(state.range(1));
  Page page;
  int round = 0;
  fleet.sample(round);
  fleet.fleet.write(round_time(round), format, page);
  for (auto _ : state) {
    state.PauseTiming();
    fleet.sample(++round);
    state.ResumeTiming();
    fleet.fleet.write(round_time(round), format, page);
  }
  state.counters["MB"] = static_cast<double>(page.size()) / 1e6;
}
BENCHMARK(metrics_page)->Args({100'000, 0})->Args({100'000, 1})->Unit(benchmark::kMillisecond);

void metrics_page_anew(benchmark::State& state) {
  LargeFleet fleet(static_cast<int>(state.range(0)));
  fleet.sample(0);
  for (auto _ : state) {
    Page page;
    fleet.fleet.write(round_time(0), PageFormat::text, page);
    benchmark::DoNotOptimize(page.size());
  }
}
BENCHMARK(metrics_page_anew)->Arg(100'000)->Unit(benchmark::kMillisecond);

void metrics_page_copied(benchmark::State& state) {
  LargeFleet fleet(static_cast<int>(state.range(0)));
  fleet.sample(0);
  Page page;
  fleet.fleet.write(round_time(0), PageFormat::text, page);
  const std::string text = page.text();
  std::string copy = text;
  for (auto _ : state) {
    std::memcpy(copy.data(), text.data(), text.size());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(metrics_page_copied)->Arg(100'000)->Unit(benchmark::kMillisecond);

void metrics_page_gzipped(benchmark::State& state) {
  LargeFleet fleet(static_cast<int>(state.range(0)));
  fleet.sample(0);
  Page page;
  fleet.fleet.write(round_time(0), PageFormat::text, page);
  double compressed = 0;
  for (auto _ : state) compressed = static_cast<double>(gzip(page).size());
  state.counters["MB"] = static_cast<double>(page.size()) / 1e6;
  state.counters["gzip_MB"] = compressed / 1e6;
}
BENCHMARK(metrics_page_gzipped)->Arg(10'000)->Unit(benchmark::kMillisecond);

void metrics_samples(benchmark::State& state) {
  LargeFleet fleet(static_cast<int>(state.range(0)));
  int round = 0;
  for (auto _ : state) fleet.sample(++round);
}
BENCHMARK(metrics_samples)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace drover::commands
