// AMD's boards from trees of files as amdgpu shows them.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/agents/drivers/file_tree.h"
#include "tests/agents/drivers/gpu_metrics_tables.h"

namespace drover::agents {
namespace {

/// What all cards of amdgpu have.
void write_card(const FileTree& tree, const std::string& card, const std::string& device,
                const std::string& bus, int render_node = 128) {
  const std::string folder = "sys/class/drm/" + card + "/device/";
  tree.write(folder + "vendor", "0x1002\n");
  tree.write(folder + "device", device + "\n");
  tree.write(folder + "uevent", "DRIVER=amdgpu\nPCI_CLASS=38000\nPCI_SLOT_NAME=" + bus + "\n");
  tree.write(folder + "drm/" + card + "/dev", "226:0\n");
  tree.write(folder + "drm/renderD" + std::to_string(render_node) + "/dev", "226:128\n");
  tree.write(folder + "gpu_busy_percent", "97\n");
  tree.write(folder + "mem_busy_percent", "41\n");
  tree.write(folder + "mem_info_vram_used", "103079215104\n");
  tree.write(folder + "mem_info_vram_total", "206141652992\n");
}

void write_mi300x(const FileTree& tree, const std::string& card = "card1",
                  const std::string& bus = "0000:05:00.0") {
  write_card(tree, card, "0x74a1", bus);
  const std::string folder = "sys/class/drm/" + card + "/device/";
  const std::string sensors = folder + "hwmon/hwmon4/";
  tree.write(folder + "unique_id", "f0e1d2c3b4a59687\n");
  tree.write(folder + "current_link_speed", "32.0 GT/s PCIe\n");
  tree.write(folder + "current_link_width", "16\n");
  tree.write(folder + "max_link_speed", "32.0 GT/s PCIe\n");
  tree.write(folder + "max_link_width", "16\n");
  tree.write(folder + "pp_dpm_sclk", "0: 132Mhz\n1: 2100Mhz *\n");
  tree.write(folder + "ras/umc_err_count", "ue: 1\nce: 23\n");
  tree.write(folder + "gpu_metrics", table_1_7({.hottest = 71,
                                                .memory = 64,
                                                .power = 745,
                                                .energy = 65'536'000,
                                                .ticks = {1000, 0, 0, 0, 0, 0},
                                                .lanes = 16,
                                                .tenths_of_gt_s = 320,
                                                .read_kb = 1000,
                                                .written_kb = 2000}));
  tree.write(sensors + "power1_input", "745000000\n");
  tree.write(sensors + "power1_cap", "750000000\n");
  tree.write(sensors + "power1_cap_min", "0\n");
  tree.write(sensors + "power1_cap_max", "750000000\n");
  tree.write(sensors + "power1_cap_default", "750000000\n");
  tree.write(sensors + "freq1_input", "2100000000\n");
  tree.write(sensors + "freq1_label", "sclk\n");
  tree.write(sensors + "freq2_input", "1300000000\n");
  tree.write(sensors + "temp2_input", "71000\n");
  tree.write(sensors + "temp2_label", "junction\n");
  tree.write(sensors + "temp2_crit", "100000\n");
  tree.write(sensors + "temp3_input", "64000\n");
  tree.write(sensors + "temp3_label", "mem\n");
}

TEST(AmdDevices, AnMi300XHasEachValue) {
  const FileTree tree;
  write_mi300x(tree);
  tree.write("sys/class/drm/card1-DP-1/status", "disconnected\n");
  tree.write("sys/class/drm/renderD128/dev", "226:128\n");
  tree.write("proc/sys/kernel/osrelease", "6.8.0-45-generic\n");
  const FoundDevices found = find_amd_devices(places_in(tree));
  EXPECT_EQ(found.driver, "amdgpu, Linux 6.8.0-45-generic");
  ASSERT_EQ(found.devices.size(), 1u);

  const BoardReading reading = found.devices[0]->read(10);
  EXPECT_EQ(reading.identity, "f0e1d2c3b4a59687");
  EXPECT_EQ(reading.vendor, "amd");
  EXPECT_EQ(reading.device_class, DeviceClass::gpu);
  EXPECT_EQ(reading.lost, "");
  EXPECT_EQ(reading.board.name, "AMD Instinct MI300X");
  EXPECT_EQ(reading.board.uuid, "f0e1d2c3b4a59687");
  EXPECT_EQ(reading.board.bus, "0000:05:00.0");
  EXPECT_EQ(reading.board.driver, "amdgpu, Linux 6.8.0-45-generic");
  EXPECT_EQ(reading.board.read_by, "amdgpu");
  EXPECT_EQ(reading.board.power_cap_min_w, 0);
  EXPECT_EQ(reading.board.power_cap_max_w, 750);
  EXPECT_EQ(reading.board.power_cap_default_w, 750);
  EXPECT_EQ(reading.board.clock_max_mhz, 2100);
  EXPECT_EQ(reading.board.slowdown_c, 100);
  EXPECT_EQ(reading.board.pcie_generation_max, 5);
  EXPECT_EQ(reading.board.pcie_lanes_max, 16);

  EXPECT_DOUBLE_EQ(reading.values[Metric::utilization], 0.97);
  EXPECT_DOUBLE_EQ(reading.values[Metric::memory_activity], 0.41);
  EXPECT_EQ(reading.values[Metric::memory_used], 103079215104);
  EXPECT_EQ(reading.values[Metric::memory_total], 206141652992);
  EXPECT_EQ(reading.values[Metric::power], 745);
  EXPECT_EQ(reading.values[Metric::power_cap], 750);
  EXPECT_EQ(reading.values[Metric::temperature], 71);
  EXPECT_EQ(reading.values[Metric::memory_temperature], 64);
  EXPECT_EQ(reading.values[Metric::clock], 2100);
  EXPECT_EQ(reading.values[Metric::memory_clock], 1300);
  EXPECT_EQ(reading.values[Metric::energy], 1000) << "in units of 2^-16 J";
  EXPECT_EQ(reading.values[Metric::pcie_generation], 5);
  EXPECT_EQ(reading.values[Metric::pcie_lanes], 16);
  EXPECT_EQ(reading.values[Metric::ecc_corrected], 23);
  EXPECT_EQ(reading.values[Metric::ecc_uncorrected], 1);
  EXPECT_EQ(reading.values[Metric::power_violation], 0);
  EXPECT_EQ(why_missing(reading, Metric::throttle), "the reasons to throttle need two readings");
  EXPECT_EQ(why_missing(reading, Metric::link_sent), "a rate needs two readings");
  EXPECT_EQ(why_missing(reading, Metric::fan),
            "the driver reports no fan: the board may have none");
  expect_value_or_reason_for_all(reading);
}

TEST(AmdDevices, RatesAndThrottlingAreOfTheTimeBetweenReadings) {
  const FileTree tree;
  write_mi300x(tree);
  const FoundDevices found = find_amd_devices(places_in(tree));
  found.devices[0]->read(10);
  // Of 100 ticks in 4 s, the power cap was in force in 25, and hot memory in 5.
  tree.write("sys/class/drm/card1/device/gpu_metrics",
             table_1_7({.power = 745,
                        .energy = 65'536'000 + 4 * 745 * 65'536,
                        .ticks = {1100, 0, 25, 0, 0, 5},
                        .read_kb = 1000 + 500,
                        .written_kb = 2000 + 1500}));
  BoardReading reading = found.devices[0]->read(14);
  EXPECT_EQ(reading.values[Metric::energy], 1000 + 4 * 745);
  EXPECT_EQ(reading.values[Metric::link_received], 8 * 500 * 1024 / 4.0) << "over eight links";
  EXPECT_EQ(reading.values[Metric::link_sent], 8 * 1500 * 1024 / 4.0);
  EXPECT_EQ(reading.values[Metric::throttle], throttle_sw_power_cap | throttle_sw_thermal_slowdown);
  EXPECT_DOUBLE_EQ(reading.values[Metric::power_violation], 1);
  EXPECT_DOUBLE_EQ(reading.values[Metric::thermal_violation], 0.2);
  expect_value_or_reason_for_all(reading);

  tree.write("sys/class/drm/card1/device/gpu_metrics",
             table_1_7({.ticks = {1200, 50, 25, 0, 0, 5}}));
  reading = found.devices[0]->read(16);
  EXPECT_EQ(reading.values[Metric::throttle], throttle_hw_thermal_slowdown);
  EXPECT_DOUBLE_EQ(reading.values[Metric::power_violation], 1);
  EXPECT_DOUBLE_EQ(reading.values[Metric::thermal_violation], 1.2);
}

TEST(AmdDevices, TheSecondDieOfAnMi250XHasNoPowerOfItsOwn) {
  const FileTree tree;
  for (const int die : {0, 1}) {
    const std::string card = "card" + std::to_string(die);
    const std::string folder = "sys/class/drm/" + card + "/device/";
    write_card(tree, card, "0x7408", fmt::format("0000:c{}:00.0", die), 128 + die);
    tree.write(folder + "unique_id", fmt::format("aa0{}\n", die));
    tree.write(folder + "hwmon/hwmon3/power1_average", die == 0 ? "410000000\n" : "0\n");
    tree.write(folder + "hwmon/hwmon3/power1_cap", die == 0 ? "560000000\n" : "0\n");
    tree.write(folder + "hwmon/hwmon3/temp1_input", "52000\n");
    tree.write(folder + "hwmon/hwmon3/temp1_label", "edge\n");
    tree.write(folder + "hwmon/hwmon3/temp2_input", "60000\n");
    tree.write(folder + "hwmon/hwmon3/temp2_label", "junction\n");
    tree.write(folder + "gpu_metrics",
               table_1_3({.energy = die == 0 ? 655'360u : 0u, .status = 1}));
  }
  const FoundDevices found = find_amd_devices(places_in(tree));
  ASSERT_EQ(found.devices.size(), 2u);
  const BoardReading first = found.devices[0]->read(0);
  EXPECT_EQ(first.identity, "aa00");
  EXPECT_EQ(first.board.name, "AMD Instinct MI250X");
  EXPECT_EQ(first.values[Metric::power], 410);
  EXPECT_EQ(first.values[Metric::power_cap], 560);
  EXPECT_EQ(first.values[Metric::energy], 10);
  EXPECT_EQ(first.values[Metric::temperature], 52) << "the edge, where there is one";
  EXPECT_EQ(first.values[Metric::throttle], throttle_sw_power_cap);
  EXPECT_EQ(why_missing(first, Metric::power_violation),
            "gpu_metrics of revision 1.3 does not say");
  expect_value_or_reason_for_all(first);

  const BoardReading second = found.devices[1]->read(0);
  EXPECT_EQ(second.identity, "aa01");
  for (const Metric metric : {Metric::power, Metric::power_cap, Metric::energy})
    EXPECT_EQ(why_missing(second, metric), "the first die of this board has it for both dies");
  EXPECT_EQ(second.values[Metric::temperature], 52) << "each die has its own";
  expect_value_or_reason_for_all(second);
}

TEST(AmdDevices, ARadeonHasAFanAndAnEnergyCounterOfUnknownUnit) {
  const FileTree tree;
  write_card(tree, "card0", "0x744c", "0000:0c:00.0");
  const std::string folder = "sys/class/drm/card0/device/";
  tree.write(folder + "product_name", "Radeon RX 7900 XTX\n");
  tree.write(folder + "hwmon/hwmon2/power1_average", "312000000\n");
  tree.write(folder + "hwmon/hwmon2/fan1_input", "1650\n");
  tree.write(folder + "hwmon/hwmon2/fan1_max", "3300\n");
  tree.write(folder + "gpu_metrics", table_1_3({.energy = 123, .lanes = 8, .tenths_of_gt_s = 160}));
  // The link to the switch on the board, which is always at its best.
  tree.write(folder + "current_link_speed", "32.0 GT/s PCIe\n");
  tree.write(folder + "current_link_width", "16\n");
  const FoundDevices found = find_amd_devices(places_in(tree));
  const BoardReading reading = found.devices[0]->read(0);
  EXPECT_EQ(reading.identity, "0000:0c:00.0") << "without a unique id";
  EXPECT_EQ(reading.board.name, "Radeon RX 7900 XTX");
  EXPECT_EQ(reading.values[Metric::power], 312);
  EXPECT_DOUBLE_EQ(reading.values[Metric::fan], 0.5);
  EXPECT_EQ(reading.values[Metric::pcie_generation], 4) << "of the slot";
  EXPECT_EQ(reading.values[Metric::pcie_lanes], 8);
  EXPECT_EQ(why_missing(reading, Metric::energy),
            "the unit of gpu_metrics' energy counter is not published for this board");
  EXPECT_EQ(why_missing(reading, Metric::power_cap), "the driver has no file power1_cap");
  EXPECT_EQ(why_missing(reading, Metric::ecc_corrected),
            "the driver does not report memory errors for this board");
  expect_value_or_reason_for_all(reading);
}

TEST(AmdDevices, NamesComeFromThePciIdElseFromTheBoard) {
  const FileTree tree;
  write_card(tree, "card0", "0x740c", "0000:01:00.0");
  tree.write("sys/class/drm/card0/device/product_name", "AMD INSTINCT MI250 (MCM) OAM AC MBA\n");
  write_card(tree, "card1", "0x740c", "0000:02:00.0");
  tree.write("sys/class/drm/card1/device/product_name", "D65210V\n");
  write_card(tree, "card2", "0x9999", "0000:03:00.0");
  write_card(tree, "card3", "0x9999", "0000:04:00.0");
  tree.write("sys/class/drm/card3/device/product_number", "102-G30211\033[2J\n");
  const FoundDevices found = find_amd_devices(places_in(tree));
  std::vector<std::string> names;
  for (const auto& device : found.devices) names.push_back(device->read(0).board.name);
  EXPECT_EQ(names, (std::vector<std::string>{"AMD Instinct MI250", "D65210V", "AMD GPU 1002:9999",
                                             "AMD GPU 102-G30211^[[2J"}));
}

TEST(AmdDevices, PartitionsLeavePowerAndHeatToTheFirst) {
  const FileTree tree;
  write_mi300x(tree, "card1");
  write_mi300x(tree, "card2");  // the same address: a partition of the same board
  // A partition that is no PCI device; ROCm knows the address of its board (5 << 8 | 1).
  tree.write("sys/class/drm/card3/device/uevent", "MODALIAS=platform:amdgpu_xcp_3\n");
  tree.write("sys/class/drm/card3/device/drm/renderD131/dev", "226:131\n");
  tree.write("sys/class/kfd/kfd/topology/nodes/2/properties",
             "cpu_cores_count 0\ndrm_render_minor 131\nlocation_id 1281\ndomain 0\n");
  const FoundDevices found = find_amd_devices(places_in(tree));
  ASSERT_EQ(found.devices.size(), 3u);
  EXPECT_EQ(found.devices[0]->read(0).values[Metric::power], 745);
  for (const std::size_t index : {1, 2}) {
    const BoardReading reading = found.devices[index]->read(0);
    EXPECT_EQ(reading.identity, fmt::format("f0e1d2c3b4a59687/partition {}", index));
    EXPECT_EQ(reading.board.bus, "0000:05:00.0");
    for (const Metric metric :
         {Metric::power, Metric::power_cap, Metric::temperature, Metric::energy, Metric::throttle})
      EXPECT_EQ(
          why_missing(reading, metric),
          fmt::format("card{} is a partition: card1 has this for the whole board", index + 1));
    EXPECT_FALSE(reading.board.power_cap_max_w);
    EXPECT_EQ(found.devices[index]->set_power_cap(500).error().message,
              fmt::format("card{} is a partition: card1 has the power cap of the whole board",
                          index + 1));
    expect_value_or_reason_for_all(reading);
  }
  EXPECT_DOUBLE_EQ(found.devices[1]->read(1).values[Metric::utilization], 0.97);
  EXPECT_EQ(why_missing(found.devices[2]->read(1), Metric::utilization),
            "the driver has no file gpu_busy_percent");
}

TEST(AmdDevices, BoardsWithTheSameUniqueIdStayTwoBoards) {
  const FileTree tree;
  write_mi300x(tree, "card0", "0000:05:00.0");
  write_mi300x(tree, "card1", "0000:06:00.0");
  const FoundDevices found = find_amd_devices(places_in(tree));
  EXPECT_EQ(found.devices[0]->read(0).identity, "f0e1d2c3b4a59687");
  EXPECT_EQ(found.devices[1]->read(0).identity, "0000:06:00.0");
  EXPECT_EQ(found.devices[1]->read(0).values[Metric::power], 745);
}

TEST(AmdDevices, PowerCapsAreWrittenWithinTheirBounds) {
  const FileTree tree;
  write_mi300x(tree);
  tree.write("sys/class/drm/card1/device/hwmon/hwmon4/power1_cap_min", "100000000\n");
  const FoundDevices found = find_amd_devices(places_in(tree));
  DriverDevice& device = *found.devices[0];
  ASSERT_TRUE(device.set_power_cap(612.5));
  EXPECT_EQ(tree.text_of("sys/class/drm/card1/device/hwmon/hwmon4/power1_cap").substr(0, 9),
            "612500000");
  for (const double refused : {99.0, 751.0, 0.0, -5.0, std::nan("")}) {
    const Status set = device.set_power_cap(refused);
    ASSERT_FALSE(set) << refused;
    EXPECT_NE(set.error().message.find("the driver accepts power caps from 100 W to 750 W"),
              std::string::npos)
        << set.error().message;
  }
  tree.remove("sys/class/drm/card1/device/hwmon/hwmon4/power1_cap");
  EXPECT_EQ(device.set_power_cap(500).error().message, "the driver has no file power1_cap");
  EXPECT_EQ(device.set_power_cap(500).error().kind, ErrorKind::refused);
}

TEST(AmdDevices, TakeNoPowerCapWhoseBoundsAreNotKnownAtThatTime) {
  const FileTree tree;
  write_mi300x(tree);
  const FoundDevices found = find_amd_devices(places_in(tree));
  tree.remove("sys/class/drm/card1/device/hwmon/hwmon4/power1_cap_max");
  const Status set = found.devices[0]->set_power_cap(500);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().message, "the driver does not report its power cap range");
  EXPECT_EQ(set.error().kind, ErrorKind::refused);
}

TEST(AmdDevices, ProcessesOnTheCardAreListed) {
  const FileTree tree;
  write_mi300x(tree);
  write_process(tree, 4711, "vllm", "9", "/dev/dri/renderD128",
                "drm-client-id:\t1\ndrm-pdev:\t0000:05:00.0\ndrm-memory-vram:\t1024 KiB\n");
  const BoardReading reading = find_amd_devices(places_in(tree)).devices[0]->read(0);
  ASSERT_EQ(reading.board.processes.size(), 1u);
  EXPECT_EQ(reading.board.processes[0].name, "vllm");
  EXPECT_EQ(reading.board.processes[0].memory_bytes, 1 << 20);
}

TEST(AmdDevices, ABoardThatIsGoneIsLost) {
  const FileTree tree;
  write_mi300x(tree);
  const FoundDevices found = find_amd_devices(places_in(tree));
  tree.remove("sys/class/drm/card1");
  const BoardReading reading = found.devices[0]->read(0);
  EXPECT_EQ(reading.lost, "card1 is no longer there");
  EXPECT_EQ(reading.identity, "f0e1d2c3b4a59687");
}

TEST(AmdDevices, EmptyHugeAndGarbageFilesAreReasonsAndNeverValues) {
  const FileTree tree;
  write_mi300x(tree);
  const std::string folder = "sys/class/drm/card1/device/";
  const FoundDevices found = find_amd_devices(places_in(tree));
  for (const std::string& text :
       {std::string(), std::string("N/A"), std::string(1 << 20, '9'), std::string("\xff\0\xfe", 3),
        std::string("nan"), std::string("-")}) {
    for (const char* file :
         {"gpu_busy_percent", "mem_busy_percent", "mem_info_vram_used", "mem_info_vram_total",
          "gpu_metrics", "ras/umc_err_count", "current_link_speed", "current_link_width",
          "hwmon/hwmon4/power1_input", "hwmon/hwmon4/power1_cap", "hwmon/hwmon4/temp2_input",
          "hwmon/hwmon4/temp3_input", "hwmon/hwmon4/freq1_input", "hwmon/hwmon4/freq2_input"})
      tree.write(folder + file, text);
    const BoardReading reading = found.devices[0]->read(0);
    EXPECT_EQ(reading.lost, "");
    EXPECT_EQ(reading.board.missing.size(), std::size_t{metric_count} - 1) << text.substr(0, 9);
    expect_value_or_reason_for_all(reading);
  }
}

TEST(AmdDevices, WithoutOnesSayWhy) {
  const FileTree tree;
  FoundDevices found = find_amd_devices(places_in(tree));
  EXPECT_TRUE(found.devices.empty());
  EXPECT_EQ(found.notes, std::vector<std::string>{"no AMD card in /sys/class/drm"});
  write_card(tree, "card0", "0x6798", "0000:01:00.0");
  tree.write("sys/class/drm/card0/device/uevent", "DRIVER=radeon\nPCI_SLOT_NAME=0000:01:00.0\n");
  tree.write("sys/class/drm/card1/device/vendor", "0x10de\n");
  tree.write("sys/class/drm/card2/device/vendor", "garbage\n");
  found = find_amd_devices(places_in(tree));
  EXPECT_TRUE(found.devices.empty());
  EXPECT_EQ(found.notes, std::vector<std::string>{"card0: the driver is radeon; amdgpu is read"});
}

}  // namespace
}  // namespace drover::agents
