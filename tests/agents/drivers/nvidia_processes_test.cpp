// Who uses an NVIDIA board: processes with users and memory, and MIG instances.
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/agents/drivers/fake_machine.h"

namespace drover::agents {
namespace {

constexpr unsigned whole_board = 0xFFFFFFFF;

nvml::Process process(unsigned pid, std::uint64_t memory_bytes) {
  return {pid, memory_bytes, whole_board, whole_board};
}

Board read_board(const FakeMachine& machine) {
  return find_nvidia_devices(machine.places).devices.at(0)->read(1).board;
}

TEST(NvidiaProcesses, HaveUserCommandMemoryAndShare) {
  FakeMachine machine;
  machine.add_user(getuid(), "ada");
  machine.add_process(4242, "python3");
  machine.set_board([](FakeBoard& board) {
    board.compute = {process(4242, 20'000'000'000)};
    board.shares = {{4242, 5'000'000, 60, 20, 0, 0}, {4242, 6'000'000, 80, 30, 0, 0}};
  });
  const Board board = read_board(machine);
  ASSERT_EQ(board.processes.size(), 1U);
  const DeviceProcess& found = board.processes[0];
  EXPECT_EQ(found.pid, 4242U);
  // Root is in the file already.
  EXPECT_EQ(found.user, getuid() == 0 ? "root" : "ada");
  EXPECT_EQ(found.tenant, found.user);
  EXPECT_EQ(found.name, "python3");
  EXPECT_EQ(found.memory_bytes, 20e9);
  EXPECT_EQ(found.share, 0.8);  // the newest sample
}

TEST(NvidiaProcesses, ThatStopWorkingHaveNoShareAfterTwoSeconds) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& board) {
    board.compute = {process(4242, 20'000'000'000)};
    board.shares = {{4242, 6'000'000, 80, 30, 0, 0}};  // the driver's last sample stays
  });
  const FoundDevices found = find_nvidia_devices(machine.places);
  const auto share_at = [&](double now_s) {
    return found.devices.at(0)->read(now_s).board.processes.at(0).share;
  };
  EXPECT_EQ(share_at(1), 0.8);
  EXPECT_EQ(share_at(2), 0.8);
  EXPECT_EQ(share_at(3.5), 0.0);
  machine.set_board([](FakeBoard& board) {
    board.shares.push_back({4242, 9'000'000, 50, 30, 0, 0});
  });
  EXPECT_EQ(share_at(4.5), 0.5);
}

TEST(NvidiaProcesses, OfAnotherContainerHaveOnlyTheirNumber) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& board) { board.compute = {process(7, 1000)}; });
  const Board board = read_board(machine);
  EXPECT_EQ(board.processes[0].pid, 7U);
  EXPECT_EQ(board.processes[0].user, "");
  EXPECT_EQ(board.processes[0].name, "");
}

TEST(NvidiaProcesses, MemoryThatTheDriverDoesNotKnowIsAbsent) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& board) { board.compute = {process(7, nvml::not_available)}; });
  EXPECT_FALSE(read_board(machine).processes.at(0).memory_bytes.has_value());
}

TEST(NvidiaProcesses, WithGraphicsAndComputeAreListedOnce) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& board) {
    board.compute = {process(7, 3000), process(9, 5000)};
    board.graphics = {process(7, 3000), process(8, 4000)};
  });
  const Board board = read_board(machine);
  ASSERT_EQ(board.processes.size(), 3U);
  EXPECT_EQ(board.processes[0].pid, 9U);  // most memory first
  EXPECT_EQ(board.processes[1].pid, 8U);
  EXPECT_EQ(board.processes[2].pid, 7U);
  EXPECT_EQ(board.processes[2].memory_bytes, 3000);
}

TEST(NvidiaProcesses, OfAnyNumberAreAskedForAndTheSmallestAreLeftOut) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& board) {
    for (unsigned pid = 1; pid <= 300; ++pid) board.compute.push_back(process(pid, pid * 1000));
  });
  const Board board = read_board(machine);
  ASSERT_EQ(board.processes.size(), device_processes_max);
  EXPECT_EQ(board.processes.front().pid, 300U);
  EXPECT_EQ(board.processes_left_out, 300 - device_processes_max);
  // The first question had too little room.
  EXPECT_EQ(machine.calls("nvmlDeviceGetComputeRunningProcesses_v2"), 2);
}

TEST(NvidiaProcesses, ADriverThatNeverHasEnoughRoomIsAskedNoMoreThanFourTimes) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& board) {
    board.answers["nvmlDeviceGetComputeRunningProcesses_v2"] = 7;  // insufficient size
  });
  const Board board = read_board(machine);
  EXPECT_TRUE(board.processes.empty());
  EXPECT_FALSE(board.processes_known);
  EXPECT_EQ(machine.calls("nvmlDeviceGetComputeRunningProcesses_v2"), 4);
}

TEST(NvidiaProcesses, OfAnIdleBoardAreKnownToBeNone) {
  FakeMachine machine;
  const Board board = read_board(machine);
  EXPECT_TRUE(board.processes.empty());
  EXPECT_TRUE(board.processes_known);
}

TEST(NvidiaPartitions, AreListedWithProfileAndMemory) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& board) {
    board.partitioned = true;
    board.partitions = {
        {1, "NVIDIA H100 80GB HBM3 MIG 3g.40gb", "MIG-a", {40'000'000'000, 0, 12'000'000'000}},
        {7, "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "MIG-b", {10'000'000'000, 0, 0}}};
  });
  const Board board = read_board(machine);
  ASSERT_EQ(board.partitions.size(), 2U);
  EXPECT_EQ(board.partitions[0],
            (DevicePartition{1, "3g.40gb", "MIG-a", 12'000'000'000.0, 40'000'000'000.0, {}}));
  EXPECT_EQ(board.partitions[1].number, 7U);
  EXPECT_EQ(board.partitions[1].memory_used_bytes, 0);
}

TEST(NvidiaPartitions, AreGoneWhenTheModeEndsAndWhatTheBoardSupportsIsAskedAnew) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& board) {
    board.partitioned = true;
    board.partitions = {{1, "MIG 1g.10gb", "MIG-a", {}}};
    board.answers["nvmlDeviceGetUtilizationRates"] = 3;  // as boards with partitions do
    board.counts_activity = false;
  });
  const FoundDevices found = find_nvidia_devices(machine.places);
  BoardReading reading = found.devices[0]->read(1);
  EXPECT_EQ(reading.board.partitions.size(), 1U);
  machine.set_board([](FakeBoard& board) {
    board.partitioned = false;
    board.answers.clear();
  });
  reading = found.devices[0]->read(2);
  EXPECT_TRUE(reading.board.partitions.empty());
  EXPECT_EQ(reading.values[Metric::utilization], 0.5);
}

}  // namespace
}  // namespace drover::agents
