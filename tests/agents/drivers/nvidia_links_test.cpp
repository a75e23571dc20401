// What connects NVIDIA boards, as a hostile NVML tells it: NVLinks, and the PCIe between boards.
#include <chrono>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/agents/drivers/fake_machine.h"

namespace drover::agents {
namespace {

using namespace std::chrono_literals;

constexpr int links_not_permitted = 4;
constexpr int links_not_supported = 3;
constexpr int seconds_for_all_links = 10;     // 18 links, two a second
constexpr int calls_about_links_max = 2 * 7;  // in a reading

/// What the first board of the machine says of itself once all its links are read.
Board first_board(const FakeMachine& machine) {
  const FoundDevices found = find_nvidia_devices(machine.places);
  if (found.devices.empty()) throw std::runtime_error("expected a board");
  for (int second = 0; second < seconds_for_all_links; ++second)
    (void)found.devices.front()->read(1000 + second);
  return found.devices.front()->read(1000 + seconds_for_all_links).board;
}

/// Calls about links, and about the rate of one.
int link_calls(FakeMachine& machine) {
  int calls = 0;
  machine.set([&](FakeNvml& state) {
    for (const auto& [symbol, count] : state.calls)
      if (symbol.find("NvLink") != std::string::npos) calls += count;
    state.calls.clear();
  });
  return calls;
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
  (void)found.devices.front()->read(1060);
  const Board board = found.devices.front()->read(1061).board;
  ASSERT_EQ(board.links.size(), 2U);
  EXPECT_FALSE(board.links[1].active);
}

TEST(NvidiaLinks, AreReadAFewAtATimeAndShownWhenAllAreRead) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& each) { each.links.resize(18); });
  const FoundDevices found = find_nvidia_devices(machine.places);
  link_calls(machine);
  for (int second = 0; second < 9; ++second) {
    const Board board = found.devices.front()->read(1000 + second).board;
    EXPECT_LE(link_calls(machine), calls_about_links_max) << second;
    EXPECT_EQ(board.links_known, second == 8) << second;
    EXPECT_EQ(board.links.size(), second == 8 ? 18U : 0U) << "not a part of the list: " << second;
  }
  for (int second = 9; second < 64; ++second) {
    EXPECT_EQ(found.devices.front()->read(1000 + second).board.links.size(), 18U)
        << "the list before, while the next one is read";
  }
}

TEST(NvidiaLinks, AreReadInOneGoIfReadingsAreRare) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& each) { each.links.resize(18); });
  const FoundDevices found = find_nvidia_devices(machine.places);
  (void)found.devices.front()->read(1000);
  EXPECT_TRUE(found.devices.front()->read(1030).board.links_known);
}

TEST(NvidiaLinks, HaveARateThatIsAskedForOnceForAllOfThem) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& each) {
    each.links.resize(18);
    // No other field is asked for.
    for (const char* field : {"field 82", "field 138", "field 139"})
      each.answers[field] = links_not_supported;
    each.fields[nvml::field_link_rate] = 26'562;
  });
  const Board board = first_board(machine);
  ASSERT_EQ(board.links.size(), 18U);
  EXPECT_EQ(board.links.back().bytes_per_s, 26.562e9);
  EXPECT_EQ(machine.calls("nvmlDeviceGetFieldValues"), 1 + 1) << "the first reading, and the rate";
}

TEST(NvidiaLinks, AreNotAskedAgainForWhatTheBoardDoesNotSupport) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& each) {
    each.links.resize(18);
    for (const char* symbol :
         {"nvmlDeviceGetNvLinkRemoteDeviceType", "nvmlDeviceGetNvLinkRemotePciInfo_v2",
          "nvmlDeviceGetNvLinkErrorCounter"}) {
      each.answers[symbol] = links_not_supported;
    }
  });
  const FoundDevices found = find_nvidia_devices(machine.places);
  const auto& board = found.devices.front();
  link_calls(machine);
  for (int second = 0; second < seconds_for_all_links; ++second) (void)board->read(1000 + second);
  const Board shown = board->read(1000 + seconds_for_all_links).board;
  EXPECT_EQ(shown.links.size(), 18U);
  EXPECT_FALSE(shown.links.front().errors);
  EXPECT_EQ(link_calls(machine), 18 * 7) << "one link may lack what the next one has";
  for (int second = 60; second < 75; ++second) (void)board->read(1000 + second);
  EXPECT_EQ(link_calls(machine), 18) << "whether they are active, and nothing else";
}

TEST(NvidiaLinks, AreAskedEachForWhatAnotherOneLacks) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& each) {
    each.links.resize(3);
    each.links[0].peer_known = false;
  });
  const FoundDevices found = find_nvidia_devices(machine.places);
  for (const double begin_s : {1000.0, 1060.0}) {
    Board board;
    for (int second = 0; second < 3; ++second)
      board = found.devices.front()->read(begin_s + second).board;
    ASSERT_EQ(board.links.size(), 3U);
    EXPECT_EQ(board.links[0].peer, "");
    EXPECT_EQ(board.links[1].peer, "0000:c0:00.0") << begin_s;
    EXPECT_EQ(board.links[2].peer, "0000:c0:00.0") << begin_s;
  }
}

TEST(NvidiaLinks, ThatDoNotExistAreAskedForAFewAtATimeToo) {
  FakeMachine machine;  // without links
  const FoundDevices found = find_nvidia_devices(machine.places);
  Board board;
  for (int second = 0; second < seconds_for_all_links; ++second) {
    board = found.devices.front()->read(1000 + second).board;
    EXPECT_LE(link_calls(machine), calls_about_links_max) << second;
  }
  EXPECT_TRUE(board.links_known);
  (void)found.devices.front()->read(1100);
  EXPECT_EQ(link_calls(machine), 0) << "a board without links seldom gets some";
}

TEST(NvidiaLinks, HaveTheErrorsThatTheBoardCounts) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& each) {
    each.links = {{true, nvml::link_end_switch, 0xc0, 2}, {true, nvml::link_end_switch, 0xc0, 3}};
    each.answers["link counter 3"] = links_not_supported;
  });
  const Board board = first_board(machine);
  ASSERT_EQ(board.links.size(), 2U);
  EXPECT_EQ(board.links[0].errors, 3 * 2.0);
  EXPECT_EQ(board.links[1].errors, 3 * 3.0) << "one counter that is missing hides no other";
}

TEST(NvidiaLinks, GoOnAfterAGapInTheirNumbers) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& each) {
    each.links.resize(4);
    each.links[0].exists = each.links[2].exists = false;
  });
  const Board board = first_board(machine);
  EXPECT_TRUE(board.links_known);
  ASSERT_EQ(board.links.size(), 2U);
  EXPECT_EQ(board.links[0].number, 1);
  EXPECT_EQ(board.links[1].number, 3);
}

TEST(NvidiaPaths, SayWhatIsBetweenBoardsAndInWhichNumaNodeTheyAre) {
  FakeMachine machine(3);
  machine.set([](FakeNvml& state) {
    state.boards[0].nearest_ancestor = nvml::level_host_bridge;
    state.boards[1].nearest_ancestor = nvml::level_one_switch;
  });
  const std::string folder = machine.places.root + "/sys/bus/pci/devices/0000:3b:00.0";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/numa_node") << "1\n";
  const FoundDevices found = find_nvidia_devices(machine.places);
  ASSERT_EQ(found.devices.size(), 3U);
  const Board board = board_with_paths(*found.devices[0], 1000);
  EXPECT_EQ(board.numa_node, 1);
  EXPECT_EQ(board.paths, (std::vector<DevicePath>{{"0000:3c:00.0", PciePath::host_bridge},
                                                  {"0000:3d:00.0", PciePath::host_bridge}}));
  const Board other = board_with_paths(*found.devices[1], 1000);
  EXPECT_FALSE(other.numa_node);
  EXPECT_EQ(other.paths, (std::vector<DevicePath>{{"0000:3b:00.0", PciePath::one_switch},
                                                  {"0000:3d:00.0", PciePath::one_switch}}));
  (void)found.devices[0]->read(2000);
  EXPECT_EQ(machine.calls("nvmlDeviceGetTopologyCommonAncestor"), 2 * 2)
      << "once, because they stay the same";
}

TEST(NvidiaPaths, AreAskedForOnlyOnceABoardIsRead) {
  FakeMachine machine(3);
  for (int search = 0; search < 5; ++search) (void)find_nvidia_devices(machine.places);
  EXPECT_EQ(machine.calls("nvmlDeviceGetTopologyCommonAncestor"), 0)
      << "a search finds the same boards each minute";
}

TEST(NvidiaPaths, ABoardThatHangsDelaysNoSearchAndNoReading) {
  FakeMachine machine(3);
  machine.set([](FakeNvml& state) {
    for (FakeBoard& board : state.boards)
      board.hangs["nvmlDeviceGetTopologyCommonAncestor"] = 700ms;
  });
  const auto began = std::chrono::steady_clock::now();
  FoundDevices found = find_nvidia_devices(machine.places);
  ASSERT_EQ(found.devices.size(), 3U);
  for (const auto& device : found.devices) {
    const BoardReading reading = device->read(1000);
    EXPECT_EQ(reading.lost, "");
    EXPECT_TRUE(reading.board.paths.empty());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, 700ms);
  EXPECT_EQ(board_with_paths(*found.devices[0], 1001).paths.size(), 2U) << "once it answers";
  found.devices.clear();
  machine.wait_until_unused();
}

}  // namespace
}  // namespace drover::agents
