// What connects NVIDIA boards, as a hostile NVML tells it: NVLinks, and the PCIe between boards.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/agents/drivers/fake_machine.h"

namespace drover::agents {
namespace {

constexpr int links_not_permitted = 4;

/// What the first board of the machine says of itself.
Board first_board(const FakeMachine& machine) {
  const FoundDevices found = find_nvidia_devices(machine.places);
  if (found.devices.empty()) throw std::runtime_error("expected a board");
  return found.devices.front()->read(1000).board;
}

TEST(NvidiaLinks, HaveAStateAnEndARateAndErrors) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& each) {
    each.links.resize(3);
    each.links[1].active = false;
    each.links[2] = {true, nvml::link_end_gpu, 0x4c, 2};
    each.fields[nvml::field_link_rate] = 26'562;  // MB/s
  });
  const Board board = first_board(machine);
  EXPECT_TRUE(board.links_known);
  EXPECT_EQ(board.links,
            (std::vector<DeviceLink>{{0, true, LinkEnd::link_switch, "0000:c0:00.0", 26.562e9, 0.0},
                                     {1, false, LinkEnd::unknown, "", {}, {}},
                                     {2, true, LinkEnd::device, "0000:4c:00.0", 26.562e9, 8.0}}));
}

TEST(NvidiaLinks, AreNoneOrNotKnown) {
  struct Case {
    const char* promise;
    int answer;  // 0: the board's own
    bool known;
  };
  for (const Case& row : {Case{"a board without links has none", 0, true},
                          Case{"who may not ask does not know", links_not_permitted, false}}) {
    FakeMachine machine;
    machine.set_board([&](FakeBoard& each) {
      if (row.answer != 0) each.answers["nvmlDeviceGetNvLinkState"] = row.answer;
    });
    const Board board = first_board(machine);
    EXPECT_EQ(board.links_known, row.known) << row.promise;
    EXPECT_TRUE(board.links.empty()) << row.promise;
  }
}

TEST(NvidiaLinks, AreAskedForOnceAMinute) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& each) { each.links.resize(2); });
  const FoundDevices found = find_nvidia_devices(machine.places);
  for (const double now_s : {1000.0, 1001.0, 1059.0}) (void)found.devices.front()->read(now_s);
  EXPECT_EQ(machine.calls("nvmlDeviceGetNvLinkState"), 3) << "two links, and the end of the list";
  machine.set_board([](FakeBoard& each) { each.links[1].active = false; });
  const Board board = found.devices.front()->read(1060).board;
  ASSERT_EQ(board.links.size(), 2U);
  EXPECT_FALSE(board.links[1].active);
}

TEST(NvidiaPaths, SayWhatIsBetweenBoardsAndInWhichNumaNodeTheyAre) {
  FakeMachine machine(3);
  machine.set_board([](FakeBoard& each) { each.nearest_ancestor = nvml::level_host_bridge; });
  const std::string folder = machine.places.root + "/sys/bus/pci/devices/0000:3b:00.0";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/numa_node") << "1\n";
  const FoundDevices found = find_nvidia_devices(machine.places);
  ASSERT_EQ(found.devices.size(), 3U);
  const Board board = found.devices[0]->read(1000).board;
  EXPECT_EQ(board.numa_node, 1);
  EXPECT_EQ(board.paths, (std::vector<DevicePath>{{"0000:3c:00.0", PciePath::host_bridge},
                                                  {"0000:3d:00.0", PciePath::host_bridge}}));
  const Board other = found.devices[1]->read(1000).board;
  EXPECT_FALSE(other.numa_node);
  ASSERT_EQ(other.paths.size(), 2U);
  EXPECT_EQ(other.paths[0].path, PciePath::between_nodes);
}

}  // namespace
}  // namespace drover::agents
