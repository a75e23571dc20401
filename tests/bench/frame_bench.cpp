// What the dashboard must do fast: take in a second of samples and draw a frame of 120x40 cells.
// Beside it, the least that any program must do for such a frame: fill as many cells and compare
// them with those of the frame before.
#include <benchmark/benchmark.h>

#include "tests/tui/sample_fleet.h"
#include "tui/dashboard.h"
#include "tui/terminal/curses_screen.h"

namespace drover::tui {
namespace {

constexpr Size size{120, 40};
constexpr int usual_host = 8;  // devices

/// A fleet that is known and has told a few samples, looked at in one view.
struct Watched {
  std::unique_ptr<Dashboard> dashboard;
  std::vector<std::vector<Envelope>> seconds;  // batches, to be received one after the other
  Instant now = SampleFleet::start;
  std::size_t next = 0;

  Watched(int devices, int devices_per_host, const char* view) {
    const int hosts = (devices + devices_per_host - 1) / devices_per_host;
    DashboardOptions options;
    options.settings.start.view = view;
    dashboard = std::make_unique<Dashboard>(options, size, now);
    for (const Envelope& host : plain_hosts(hosts, devices_per_host)) {
      dashboard->receive(now, publish_peer, host);
    }
    for (std::uint64_t i = 1; i <= 4; ++i) {
      seconds.push_back(plain_samples(hosts, devices_per_host, i));
    }
    receive_second();
    dashboard->draw(now);
  }

  void receive_second() {
    now += std::chrono::seconds(1);
    for (const Envelope& batch : seconds[next]) dashboard->receive(now, publish_peer, batch);
    next = (next + 1) % seconds.size();
  }
};

/// Samples are taken in once a second, frames drawn four times: each is measured by itself.
void take_in_a_second_of_samples(benchmark::State& state) {
  Watched watched(static_cast<int>(state.range(0)), usual_host, "fleet");
  for (auto _ : state) watched.receive_second();
  state.counters["rows/s"] = benchmark::Counter(static_cast<double>(state.range(0)),
                                                benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(take_in_a_second_of_samples)->Arg(100)->Arg(10'000)->Unit(benchmark::kMicrosecond);

void frame(benchmark::State& state, const char* view) {
  Watched watched(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)), view);
  for (auto _ : state) {
    state.PauseTiming();
    watched.receive_second();
    state.ResumeTiming();
    benchmark::DoNotOptimize(watched.dashboard->draw(watched.now));
  }
  state.counters["frames/s"] = benchmark::Counter(1, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(frame, fleet, "fleet")
    ->Args({100, usual_host})
    ->Args({10'000, usual_host})
    ->Args({10'000, 50})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(frame, devices, "devices")
    ->Args({100, usual_host})
    ->Args({10'000, usual_host})
    ->Unit(benchmark::kMicrosecond);

/// With the samples of a second before each frame: one frame a second, nothing left out.
void second_and_frame(benchmark::State& state) {
  Watched watched(static_cast<int>(state.range(0)), usual_host, "fleet");
  for (auto _ : state) {
    watched.receive_second();
    benchmark::DoNotOptimize(watched.dashboard->draw(watched.now));
  }
  state.counters["frames/s"] = benchmark::Counter(1, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(second_and_frame)->Arg(100)->Arg(10'000)->Unit(benchmark::kMicrosecond);

/// From the frame to the terminal's bytes, with new samples in every frame.
void bytes_of_a_frame(benchmark::State& state, const char* view) {
  Watched watched(static_cast<int>(state.range(0)), usual_host, view);
  const auto screen = CursesScreen::open("xterm-256color", {});
  (*screen)->paint(watched.dashboard->draw(watched.now));
  std::size_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    watched.receive_second();
    const Canvas& wanted = watched.dashboard->draw(watched.now);
    state.ResumeTiming();
    bytes += (*screen)->paint(wanted).size();
  }
  state.counters["bytes/frame"] =
      benchmark::Counter(static_cast<double>(bytes), benchmark::Counter::kAvgIterations);
}
BENCHMARK_CAPTURE(bytes_of_a_frame, fleet, "fleet")->Arg(10'000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(bytes_of_a_frame, devices, "devices")->Arg(10'000)->Unit(benchmark::kMicrosecond);

/// The peer: as many cells written and compared, nothing looked up, nothing laid out.
void cells_filled_and_compared(benchmark::State& state) {
  std::vector<Cell> before(static_cast<std::size_t>(size.columns) * size.rows);
  std::vector<Cell> cells = before;
  char letter = 'a';
  for (auto _ : state) {
    for (Cell& cell : cells) {
      cell.text.assign(1, letter);
      cell.style = CellStyle::plain;
    }
    std::size_t differing = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) differing += cells[i] == before[i] ? 0 : 1;
    benchmark::DoNotOptimize(differing);
    letter = letter == 'z' ? 'a' : static_cast<char>(letter + 1);
  }
  state.counters["frames/s"] = benchmark::Counter(1, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(cells_filled_and_compared)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace drover::tui
