// NVIDIA boards as a hostile NVML shows them: what is read of them, and what is said of the rest.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "fleet/base/search.h"
#include "tests/agents/drivers/fake_machine.h"

namespace drover::agents {
namespace {

constexpr int not_supported = 3;
constexpr int no_permission = 4;

/// The only board of a machine, read once a second.
struct OneBoard {
  explicit OneBoard(const FakeMachine& machine) {
    FoundDevices found = find_nvidia_devices(machine.places);
    if (found.devices.size() != 1) throw std::runtime_error("expected one board");
    device = std::move(found.devices.front());
  }
  BoardReading read() { return device->read(now_s++); }

  std::unique_ptr<DriverDevice> device;
  double now_s = 1000;
};

/// Why a metric is missing; empty: it is not.
std::string why(const BoardReading& reading, Metric metric) {
  const auto* missing =
      find_by(reading.board.missing, &MissingMetric::metric, static_cast<std::uint8_t>(metric));
  EXPECT_EQ(missing == nullptr, !std::isnan(reading.values[metric])) << facts(metric).name;
  return missing ? missing->why : "";
}

TEST(NvidiaBoards, ReportTheirValuesInTheUnitsOfTheMetrics) {
  FakeMachine machine;
  OneBoard board(machine);
  board.read();
  machine.set_board([](FakeBoard& each) {
    each.fields[138] = 3'000'000;  // KiB in the second that has passed
    each.fields[139] = 1'000'000;
  });
  const BoardReading reading = board.read();
  const std::map<Metric, double> expected = {
      {Metric::utilization, 0.5},
      {Metric::tensor_activity, 0.42},
      {Metric::memory_activity, 0.66},
      {Metric::memory_used, 40e9},
      {Metric::memory_total, 80e9},
      {Metric::power, 350},
      {Metric::power_cap, 700},
      {Metric::temperature, 61},
      {Metric::clock, 1755},
      {Metric::throttle, throttle_sw_power_cap},
      {Metric::energy, 123'456},
      {Metric::memory_temperature, 72},
      {Metric::power_violation, 2.5},
      {Metric::thermal_violation, 1},
      {Metric::board_limit_violation, .5},
      {Metric::memory_clock, 2619},
      {Metric::pcie_sent, 1.2e6},
      {Metric::pcie_received, 3.4e6},
      {Metric::link_sent, 3.072e9},
      {Metric::link_received, 1.024e9},
      {Metric::pcie_generation, 4},
      {Metric::pcie_lanes, 8},
      {Metric::ecc_corrected, 7},
      {Metric::ecc_uncorrected, 1},
      {Metric::xid, 0},
      {Metric::fan, 0.45},
  };
  for (int number = 0; number < metric_count; ++number) {
    const auto metric = static_cast<Metric>(number);
    const auto* value = find_in(expected, metric);
    if (value) {
      EXPECT_NEAR(reading.values[metric], *value, 1e-9 * *value) << facts(metric).name;
    } else {
      EXPECT_TRUE(std::isnan(reading.values[metric])) << facts(metric).name;
    }
  }
  EXPECT_TRUE(reading.board.missing.empty());
  EXPECT_EQ(reading.lost, "");
}

TEST(NvidiaBoards, SayWhatTheyAre) {
  FakeMachine machine;
  const BoardReading reading = OneBoard(machine).read();
  EXPECT_EQ(reading.identity, "GPU-0");
  EXPECT_EQ(reading.index, 0);
  EXPECT_EQ(reading.vendor, "nvidia");
  EXPECT_EQ(reading.board.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(reading.board.uuid, "GPU-0");
  EXPECT_EQ(reading.board.bus, "0000:3b:00.0");
  EXPECT_EQ(reading.board.driver, "NVIDIA 580.105.08");
  EXPECT_EQ(reading.board.read_by, "NVML");
  EXPECT_EQ(reading.board.power_cap_min_w, 200);
  EXPECT_EQ(reading.board.power_cap_max_w, 700);
  EXPECT_EQ(reading.board.power_cap_default_w, 700);
  EXPECT_EQ(reading.board.clock_max_mhz, 1980);
  EXPECT_EQ(reading.board.slowdown_c, 87);
  EXPECT_EQ(reading.board.pcie_generation_max, 5);
  EXPECT_EQ(reading.board.pcie_lanes_max, 16);
}

TEST(NvidiaBoards, RatesAreKnownFromTheSecondReadingOn) {
  FakeMachine machine;
  OneBoard board(machine);
  BoardReading reading = board.read();
  for (const Metric metric :
       {Metric::link_sent, Metric::link_received, Metric::tensor_activity, Metric::memory_activity})
    EXPECT_EQ(why(reading, metric), "needs two readings") << facts(metric).name;
  reading = board.read();
  EXPECT_EQ(reading.values[Metric::link_sent], 0);
  // A counter that is reset with its driver gives no rate, least of all a negative one.
  machine.set_board([](FakeBoard& each) { each.fields[138] = 500; });
  board.read();
  machine.set_board([](FakeBoard& each) { each.fields[138] = 100; });
  EXPECT_EQ(why(board.read(), Metric::link_sent), "needs two readings");
  machine.set_board([](FakeBoard& each) { each.fields[138] = 200; });
  board.now_s += 1;  // a reading was left out
  EXPECT_EQ(board.read().values[Metric::link_sent], 100 * 1024 / 2.0);
}

struct Unsupported {
  Metric metric;
  const char* answer_of;  // the function or field that refuses
};

constexpr Unsupported unsupported_table[] = {
    {Metric::utilization, "nvmlDeviceGetUtilizationRates"},
    {Metric::power_cap, "nvmlDeviceGetEnforcedPowerLimit"},
    {Metric::energy, "nvmlDeviceGetTotalEnergyConsumption"},
    {Metric::temperature, "nvmlDeviceGetTemperature"},
    {Metric::memory_temperature, "field 82"},
    {Metric::clock, "nvmlDeviceGetClockInfo"},
    {Metric::memory_clock, "nvmlDeviceGetClockInfo"},
    {Metric::throttle, "nvmlDeviceGetCurrentClocksEventReasons"},
    {Metric::power_violation, "nvmlDeviceGetViolationStatus"},
    {Metric::board_limit_violation, "nvmlDeviceGetViolationStatus"},
    {Metric::ecc_corrected, "nvmlDeviceGetTotalEccErrors"},
    {Metric::ecc_uncorrected, "nvmlDeviceGetTotalEccErrors"},
    {Metric::pcie_sent, "nvmlDeviceGetPcieThroughput"},
    {Metric::pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration"},
    {Metric::pcie_lanes, "nvmlDeviceGetCurrPcieLinkWidth"},
    {Metric::link_sent, "field 138"},
    {Metric::fan, "nvmlDeviceGetFanSpeed"},
    {Metric::xid, "nvmlDeviceRegisterEvents"},
    {Metric::tensor_activity, "nvmlGpmQueryDeviceSupport"},
    {Metric::memory_activity, "nvmlGpmQueryDeviceSupport"},
};

TEST(NvidiaBoards, WhatABoardDoesNotSupportIsAbsentWithItsReasonAndNotZero) {
  for (const Unsupported& each : unsupported_table) {
    FakeMachine machine;
    machine.set_board([&](FakeBoard& board) {
      board.answers[each.answer_of] = not_supported;
      if (each.metric == Metric::utilization) board.counts_activity = false;
    });
    OneBoard board(machine);
    board.read();
    const BoardReading reading = board.read();
    EXPECT_EQ(why(reading, each.metric), "driver: not supported") << each.answer_of;
    EXPECT_EQ(reading.lost, "");
    EXPECT_EQ(reading.values[Metric::power], 350);  // the others are there
  }
}

TEST(NvidiaBoards, WhatABoardDoesNotSupportIsAskedAgainAfterTenMinutes) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& board) {
    for (const Unsupported& each : unsupported_table) board.answers[each.answer_of] = not_supported;
    board.answers["field 139"] = not_supported;
    board.answers["nvmlDeviceGetMigMode"] = not_supported;
    board.answers["nvmlDeviceGetProcessUtilization"] = not_supported;
  });
  OneBoard board(machine);
  for (int second = 0; second < 60; ++second) board.read();
  for (const char* symbol :
       {"nvmlDeviceGetFanSpeed", "nvmlDeviceGetTemperature", "nvmlDeviceGetMigMode",
        "nvmlGpmQueryDeviceSupport", "nvmlDeviceRegisterEvents", "nvmlDeviceGetFieldValues"})
    EXPECT_EQ(machine.calls(symbol), 1) << symbol;
  EXPECT_EQ(machine.calls("nvmlDeviceGetViolationStatus"), 3);
  EXPECT_EQ(machine.calls("nvmlDeviceGetPowerUsage"), 60);
  machine.set_board([](FakeBoard& each) { each.answers.clear(); });
  board.now_s += 600;
  EXPECT_EQ(board.read().values[Metric::fan], 0.45);
}

TEST(NvidiaBoards, UtilizationOfABoardThatDoesNotReportItComesFromItsCounters) {
  FakeMachine machine;
  machine.set_board(
      [](FakeBoard& board) { board.answers["nvmlDeviceGetUtilizationRates"] = not_supported; });
  OneBoard board(machine);
  board.read();
  EXPECT_EQ(board.read().values[Metric::utilization], 0.97);
}

TEST(NvidiaBoards, PowerComesFromAFieldIfItsFunctionIsNotSupported) {
  FakeMachine machine;
  machine.set_board(
      [](FakeBoard& board) { board.answers["nvmlDeviceGetPowerUsage"] = not_supported; });
  OneBoard board(machine);
  EXPECT_EQ(board.read().values[Metric::power], 340);  // the mean
  machine.set_board([](FakeBoard& each) { each.answers["field 185"] = not_supported; });
  EXPECT_EQ(board.read().values[Metric::power], 360);  // now
  machine.set_board([](FakeBoard& each) { each.answers["field 186"] = not_supported; });
  EXPECT_EQ(why(board.read(), Metric::power), "driver: not supported");
}

TEST(NvidiaBoards, NoPermissionIsAReasonOfItsOwn) {
  FakeMachine machine;
  machine.set_board(
      [](FakeBoard& board) { board.answers["nvmlDeviceGetTotalEccErrors"] = no_permission; });
  EXPECT_EQ(why(OneBoard(machine).read(), Metric::ecc_corrected), "no permission");
}

TEST(NvidiaBoards, AFailureThatMayPassIsAskedAgainAtOnce) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& board) { board.answers["nvmlDeviceGetFanSpeed"] = 999; });
  OneBoard board(machine);
  EXPECT_EQ(why(board.read(), Metric::fan), "driver: Unknown Error");
  machine.set_board([](FakeBoard& each) { each.answers.clear(); });
  EXPECT_EQ(board.read().values[Metric::fan], 0.45);
}

TEST(NvidiaBoards, AnOldDriverLacksFunctionsAndTheReasonNamesThem) {
  FakeMachine machine(1, FAKE_OLD_NVML);
  machine.set([](FakeNvml& state) { state.driver = "470.82"; });
  OneBoard board(machine);
  board.read();
  const BoardReading reading = board.read();
  // The function of before counts what the driver reserves as used.
  EXPECT_EQ(reading.values[Metric::memory_used], 40.5e9);
  EXPECT_EQ(reading.values[Metric::throttle], throttle_sw_power_cap);  // under its older name
  EXPECT_EQ(why(reading, Metric::energy),
            "not available in driver 470.82 (nvmlDeviceGetTotalEnergyConsumption)");
  EXPECT_EQ(why(reading, Metric::tensor_activity),
            "not available in driver 470.82 (nvmlGpmQueryDeviceSupport)");
  EXPECT_EQ(why(reading, Metric::link_sent),
            "not available in driver 470.82 (nvmlDeviceGetFieldValues)");
  machine.set_board(
      [](FakeBoard& each) { each.answers["nvmlDeviceGetMemoryInfo"] = not_supported; });
  for (const Metric metric : {Metric::memory_used, Metric::memory_total})
    EXPECT_EQ(why(board.read(), metric),
              "not available in driver 470.82 (nvmlDeviceGetMemoryInfo_v2)");
}

TEST(NvidiaBoards, ABoardThatVanishesIsLostWithItsXidAndIsAskedNothingMore) {
  FakeMachine machine;
  OneBoard board(machine);
  board.read();
  machine.set_board([](FakeBoard& each) {
    each.lost = true;
    each.xids = {79};
    each.late_xids = true;
  });
  machine.set([](FakeNvml& state) { state.calls.clear(); });
  const BoardReading reading = board.read();
  EXPECT_EQ(reading.lost, "GPU is lost");
  EXPECT_EQ(reading.xids, std::vector<std::uint32_t>{79});
  EXPECT_EQ(reading.identity, "GPU-0");
  EXPECT_EQ(reading.board.name, "NVIDIA H100 80GB HBM3");
  for (const double value : reading.values.values) EXPECT_TRUE(std::isnan(value));
  // Every call on a lost board may hang.
  int calls = 0;
  machine.set([&](FakeNvml& state) {
    for (const auto& [symbol, count] : state.calls)
      calls += symbol.ends_with("Wait_v2") ? 0 : count;
  });
  EXPECT_LE(calls, 1);
}

TEST(NvidiaBoards, EveryXidArrivesOnce) {
  FakeMachine machine;
  OneBoard board(machine);
  EXPECT_EQ(board.read().values[Metric::xid], 0);
  machine.set_board([](FakeBoard& each) { each.xids = {31, 13}; });
  BoardReading reading = board.read();
  EXPECT_EQ(reading.xids, (std::vector<std::uint32_t>{31, 13}));
  EXPECT_EQ(reading.values[Metric::xid], 13);
  reading = board.read();
  EXPECT_TRUE(reading.xids.empty());
  EXPECT_EQ(reading.values[Metric::xid], 13);  // the last one stays
}

TEST(NvidiaBoards, PowerCapsStayWithinWhatTheDriverAccepts) {
  FakeMachine machine;
  OneBoard board(machine);
  EXPECT_TRUE(board.device->set_power_cap(450.5).ok());
  EXPECT_EQ(board.read().values[Metric::power_cap], 450.5);
  for (const double watts : {150.0, 1000.0, std::nan(""), -1.0})
    EXPECT_FALSE(board.device->set_power_cap(watts).ok()) << watts;
  EXPECT_EQ(board.device->set_power_cap(1000).error().message,
            "1000 W: the driver accepts power caps from 200 W to 700 W");
  EXPECT_EQ(board.read().values[Metric::power_cap], 450.5);
}

TEST(NvidiaBoards, APowerCapThatMayNotBeSetIsRefusedWithTheReason) {
  FakeMachine machine;
  OneBoard board(machine);
  machine.set_board(
      [](FakeBoard& each) { each.answers["nvmlDeviceSetPowerManagementLimit"] = no_permission; });
  Status set = board.device->set_power_cap(300);
  EXPECT_EQ(set.error().kind, ErrorKind::refused);
  EXPECT_EQ(set.error().message, "the driver lets only root set power caps");
  machine.set_board([](FakeBoard& each) {
    each.answers["nvmlDeviceGetPowerManagementLimitConstraints"] = not_supported;
  });
  set = board.device->set_power_cap(300);
  EXPECT_EQ(set.error().message, "driver: not supported");
}

TEST(NvidiaMachine, SixteenBoardsAreFoundInTheirOrder) {
  FakeMachine machine(16);
  const FoundDevices found = find_nvidia_devices(machine.places);
  EXPECT_EQ(found.driver, "NVML (driver 580.105.08)");
  EXPECT_TRUE(found.notes.empty());
  ASSERT_EQ(found.devices.size(), 16U);
  for (std::size_t index = 0; index < 16; ++index) {
    const BoardReading reading = found.devices[index]->read(1);
    EXPECT_EQ(reading.index, index);
    EXPECT_EQ(reading.identity, "GPU-" + std::to_string(index));
    EXPECT_EQ(reading.identity, found.devices[index]->identity());
  }
}

TEST(NvidiaMachine, ABoardThatIsLostAlreadyIsNamedAndTheOthersAreFound) {
  FakeMachine machine(3);
  machine.set([](FakeNvml& state) { state.boards[1].lost = true; });
  const FoundDevices found = find_nvidia_devices(machine.places);
  EXPECT_EQ(found.devices.size(), 2U);
  EXPECT_EQ(found.notes, std::vector<std::string>{"GPU 1: GPU is lost"});
}

TEST(NvidiaMachine, ABoardWithoutUuidIsKnownByItsPlace) {
  FakeMachine machine(2);
  machine.set([](FakeNvml& state) {
    for (FakeBoard& board : state.boards) board.answers["nvmlDeviceGetUUID"] = not_supported;
    state.boards[1].answers["nvmlDeviceGetPciInfo_v3"] = not_supported;
  });
  const FoundDevices found = find_nvidia_devices(machine.places);
  EXPECT_EQ(found.devices[0]->identity(), "0000:3b:00.0");
  EXPECT_EQ(found.devices[1]->identity(), "gpu 1");
}

TEST(NvidiaMachine, WithoutBoardsTheNotesSayWhy) {
  FakeMachine machine;
  DriverPlaces places = machine.places;
  places.nvml_library = "libnvidia-ml-of-no-machine.so.1";
  EXPECT_EQ(find_nvidia_devices(places).notes,
            std::vector<std::string>{"libnvidia-ml-of-no-machine.so.1 is not on this machine"});
  machine.set([](FakeNvml& state) { state.initialize_answer = 9; });
  EXPECT_EQ(find_nvidia_devices(machine.places).notes,
            std::vector<std::string>{"NVML does not start: the driver is not loaded"});
  machine.set([](FakeNvml& state) { state.initialize_answer = 18; });
  EXPECT_EQ(find_nvidia_devices(machine.places).notes,
            std::vector<std::string>{"NVML does not start: driver and library versions differ; "
                                     "restart the machine"});
  machine.set([](FakeNvml& state) {
    state.initialize_answer = 0;
    state.boards.clear();
  });
  EXPECT_EQ(find_nvidia_devices(machine.places).notes,
            std::vector<std::string>{"NVML reports no boards"});
}

TEST(NvidiaMachine, TheVariableNamesTheLibrary) {
  FakeMachine machine;
  DriverPlaces places = machine.places;
  places.nvml_library.clear();
  setenv("DROVER_NVML", FAKE_NVML, 1);
  EXPECT_EQ(find_nvidia_devices(places).devices.size(), 1U);
  unsetenv("DROVER_NVML");
}

TEST(NvidiaMachine, PersistenceModeThatIsOffIsNotedOnceForAllBoards) {
  FakeMachine machine(3);
  machine.set(
      [](FakeNvml& state) { state.boards[0].persistence = state.boards[2].persistence = 0; });
  const FoundDevices found = find_nvidia_devices(machine.places);
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_TRUE(found.notes[0].starts_with("GPU 0, 2: persistence mode is off")) << found.notes[0];
}

TEST(NvidiaMachine, TheDriverIsLetGoWithTheLastDevice) {
  FakeMachine machine(2);
  {
    FoundDevices found = find_nvidia_devices(machine.places);
    for (const auto& device : found.devices) (void)board_with_paths(*device, 1);
    EXPECT_EQ(machine.users(), 2);
    found.devices.pop_back();
    EXPECT_EQ(machine.users(), 1);
  }
  EXPECT_EQ(machine.users(), 0);
}

TEST(NvidiaMachine, TextsOfTheDriverAreNotTrusted) {
  FakeMachine machine;
  machine.set_board([](FakeBoard& board) {
    board.name = "GPU\x1b[2J";
    board.uuid = std::string(95, 'x');  // without room for the end of the text
  });
  const BoardReading reading = OneBoard(machine).read();
  EXPECT_EQ(reading.board.name, "GPU^[[2J");
  EXPECT_EQ(reading.board.uuid, "");
  EXPECT_EQ(reading.identity, "0000:3b:00.0");
}

}  // namespace
}  // namespace drover::agents
