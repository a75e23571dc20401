// NVIDIA boards behind their threads: a call that hangs, and how many calls there are.
#include <algorithm>
#include <chrono>
#include <thread>

#include <poll.h>

#include <gtest/gtest.h>

#include "agents/drivers/device_workers.h"
#include "tests/agents/drivers/fake_machine.h"

namespace drover::agents {
namespace {

using namespace std::chrono_literals;

MonotonicTime loop_now() { return std::chrono::steady_clock::now(); }

/// The loop of an agent that asks for readings at a steady rate.
class Loop {
 public:
  Loop(const FakeMachine& machine, MonotonicSpan every)
      : workers([places = machine.places] {
          std::vector<FoundDevices> found;
          found.push_back(find_nvidia_devices(places));
          return found;
        }),
        every_(every) {
    while (!workers.take().found) wait(loop_now() + 10s);
    next_ = loop_now();
  }

  void run(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      workers.request(loop_now());
      next_ += every_;
      while (loop_now() < next_) {
        wait(next_);
        for (BoardReading& reading : workers.take().readings)
          readings.push_back(std::move(reading));
      }
    }
  }
  std::ptrdiff_t readings_of(const std::string& identity) const {
    return std::count_if(readings.begin(), readings.end(),
                         [&](const BoardReading& reading) { return reading.identity == identity; });
  }

  DeviceWorkers workers;
  std::vector<BoardReading> readings;

 private:
  void wait(MonotonicTime until) const {
    pollfd descriptor{workers.descriptor(), POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - loop_now());
    poll(&descriptor, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
  }
  MonotonicSpan every_;
  MonotonicTime next_;
};

TEST(NvidiaWorkers, ACallThatHangsMakesItsBoardStaleAndNoOther) {
  FakeMachine machine(3);
  machine.set([](FakeNvml& state) { state.boards[0].hangs["nvmlDeviceGetPowerUsage"] = 900ms; });
  Loop loop(machine, 100ms);
  loop.run(6);
  EXPECT_EQ(loop.readings_of("GPU-0"), 0);
  EXPECT_EQ(loop.readings_of("GPU-1"), 6);
  EXPECT_EQ(loop.readings_of("GPU-2"), 6);
  const auto silent = loop.workers.silent(loop_now() + 3s);
  ASSERT_EQ(silent.size(), 1U);
  EXPECT_EQ(silent[0].identity, "GPU-0");
  // Six requests have passed; the board was asked once.
  EXPECT_EQ(machine.calls("nvmlDeviceGetPowerUsage"), 1 + 2 * 6);
}

TEST(NvidiaWorkers, ABoardThatHangsWhenOthersAskForItDelaysNone) {
  FakeMachine machine(3);
  machine.set([](FakeNvml& state) {
    for (FakeBoard& board : state.boards)
      board.hangs["nvmlDeviceGetTopologyCommonAncestor"] = 700ms;
  });
  {
    const auto began = loop_now();
    Loop loop(machine, 100ms);
    EXPECT_LT(loop_now() - began, 700ms) << "the search, if a board hangs from the start";
    loop.run(6);
    for (const char* board : {"GPU-0", "GPU-1", "GPU-2"}) EXPECT_EQ(loop.readings_of(board), 6);
  }
  machine.wait_until_unused();
}

// Each call takes up to 5 ms of a thread; tests/bench/driver_bench.cpp measures what that costs.
TEST(NvidiaWorkers, ABoardIsCalledLessThanThirtyTimesAReading) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& board) {
    for (unsigned pid = 1; pid <= 4; ++pid) board.compute.push_back({pid, 1 << 30, 0, 0});
  });
  Loop loop(machine, 50ms);
  loop.run(4);  // the first readings of a board ask for more
  machine.set([](FakeNvml& state) { state.calls.clear(); });
  loop.run(3);
  int calls = 0;
  machine.set([&](FakeNvml& state) {
    for (const auto& [symbol, count] : state.calls) calls += count;
  });
  EXPECT_GT(calls, 3 * 10);
  EXPECT_LT(calls, 3 * 30);
}

}  // namespace
}  // namespace drover::agents
