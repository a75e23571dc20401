// What reading eight boards once a second costs, each call into their library taking 5 ms (goal:
// under 1 % of a core). Beside it the limit: threads that only wait as often and as long.
#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>
#include <poll.h>
#include <time.h>

#include "agents/drivers/device_workers.h"
#include "tests/agents/drivers/fake_machine.h"

namespace drover::agents {
namespace {

using namespace std::chrono_literals;

constexpr int boards = 8;
constexpr int rounds = 5;  // seconds
constexpr auto call_time = 5ms;

double process_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Asks for a reading of each board, and takes what comes within a second.
void read_for_a_second(DeviceWorkers& workers) {
  const auto end = std::chrono::steady_clock::now() + 1s;
  workers.request(std::chrono::steady_clock::now());
  while (std::chrono::steady_clock::now() < end) {
    pollfd descriptor{workers.descriptor(), POLLIN, 0};
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    poll(&descriptor, 1, static_cast<int>(left.count()));
    benchmark::DoNotOptimize(workers.take());
  }
}

/// Calls of a board in a reading.
int calls_a_reading(FakeMachine& machine, int readings) {
  int calls = 0;
  machine.set([&](FakeNvml& state) {
    for (const auto& [symbol, count] : state.calls) calls += count;
    state.calls.clear();
  });
  return calls / readings;
}

void eight_boards_once_a_second(benchmark::State& state) {
  FakeMachine machine(boards);
  machine.set([](FakeNvml& library) {
    library.each_call = call_time;
    for (FakeBoard& board : library.boards) {
      for (unsigned pid = 1; pid <= 4; ++pid) board.compute.push_back({pid, 1 << 30, 0, 0});
      board.links.resize(18);  // as an H100 has them
    }
  });
  DeviceWorkers workers([places = machine.places] {
    std::vector<FoundDevices> found;
    found.push_back(find_nvidia_devices(places));
    return found;
  });
  // The search, and the first reading, which asks for more.
  for (int round = 0; round < 3; ++round) read_for_a_second(workers);
  calls_a_reading(machine, 1);
  for (auto _ : state) {
    const double before_s = process_cpu_s();
    for (int round = 0; round < rounds; ++round) read_for_a_second(workers);
    state.counters["core_percent"] = 100 * (process_cpu_s() - before_s) / rounds;
    state.counters["calls_a_reading"] = calls_a_reading(machine, boards * rounds);
  }
}
BENCHMARK(eight_boards_once_a_second)->Iterations(1)->Unit(benchmark::kSecond);

void eight_threads_that_only_wait(benchmark::State& state) {
  constexpr int calls = 40;  // as `calls_a_reading` above, while links are read
  for (auto _ : state) {
    const double before_s = process_cpu_s();
    std::vector<std::thread> threads;
    for (int board = 0; board < boards; ++board) {
      threads.emplace_back([] {
        for (int round = 0; round < rounds; ++round) {
          const auto end = std::chrono::steady_clock::now() + 1s;
          for (int call = 0; call < calls; ++call) std::this_thread::sleep_for(call_time);
          std::this_thread::sleep_until(end);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    state.counters["core_percent"] = 100 * (process_cpu_s() - before_s) / rounds;
  }
}
BENCHMARK(eight_threads_that_only_wait)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace drover::agents
