#include "fleet/board.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(SetProcesses, KeepsThoseWithTheMostMemoryAndCountsTheOthers) {
  std::vector<DeviceProcess> processes(100);
  for (std::size_t index = 0; index < processes.size(); ++index) {
    processes[index].pid = index;
    if (index > 0) processes[index].memory_bytes = static_cast<double>(index);
  }
  Board board;
  set_processes(board, processes, true);
  EXPECT_TRUE(board.processes_known);
  EXPECT_EQ(board.processes.size(), device_processes_max);
  EXPECT_EQ(board.processes.front().pid, 99u);
  EXPECT_EQ(board.processes_left_out, 100 - device_processes_max);
}

TEST(SetProcesses, SaysWhetherAnEmptyListMeansThatThereAreNone) {
  Board board;
  set_processes(board, {}, false);
  EXPECT_FALSE(board.processes_known);
  set_processes(board, {}, true);
  EXPECT_TRUE(board.processes_known);
}

TEST(PcieGeneration, IsThatOfTheSpeedOfALane) {
  EXPECT_EQ(pcie_generation(2.5), 1);
  EXPECT_EQ(pcie_generation(16), 4);
  EXPECT_EQ(pcie_generation(128), 7);
  EXPECT_EQ(pcie_generation(0), 0);
  EXPECT_EQ(pcie_generation(12), 0) << "no link has that";
}

}  // namespace
}  // namespace drover
