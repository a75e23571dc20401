// Intel's boards from trees of files as i915 and xe show them.
#include <gtest/gtest.h>

#include "tests/agents/drivers/file_tree.h"

namespace drover::agents {
namespace {

void write_card(const FileTree& tree, const std::string& driver, const std::string& device) {
  tree.write("sys/class/drm/card0/device/vendor", "0x8086\n");
  tree.write("sys/class/drm/card0/device/device", device + "\n");
  tree.write("sys/class/drm/card0/device/uevent",
             "DRIVER=" + driver + "\nPCI_SLOT_NAME=0000:03:00.0\n");
  tree.write("sys/class/drm/card0/device/drm/renderD128/dev", "226:128\n");
}

/// An Arc B580 with xe.
void write_arc(const FileTree& tree) {
  write_card(tree, "xe", "0xe20b");
  const std::string device = "sys/class/drm/card0/device/";
  const std::string sensors = device + "hwmon/hwmon1/";
  tree.write(sensors + "energy1_input", "77000000000\n");
  tree.write(sensors + "energy1_label", "card\n");
  tree.write(sensors + "energy2_input", "55000000000\n");
  tree.write(sensors + "energy2_label", "pkg\n");
  tree.write(sensors + "power1_max", "190000000\n");
  tree.write(sensors + "power1_rated_max", "200000000\n");
  tree.write(sensors + "temp2_input", "58000\n");
  tree.write(sensors + "temp2_label", "pkg\n");
  tree.write(sensors + "temp3_input", "66000\n");
  tree.write(sensors + "temp3_label", "vram\n");
  tree.write(sensors + "fan1_input", "1200\n");
  tree.write(device + "tile0/physical_vram_size_bytes", "12884901888\n");
  tree.write(device + "tile0/gt0/freq0/act_freq", "2400\n");
  tree.write(device + "tile0/gt0/freq0/rp0_freq", "2850\n");
  for (const char* reason : {"pl1", "pl2", "pl4", "thermal", "prochot"})
    tree.write(device + "tile0/gt0/freq0/throttle/reason_" + reason, "0\n");
  tree.write(device + "current_link_speed", "16.0 GT/s PCIe\n");
  tree.write(device + "current_link_width", "8\n");
}

std::string xe_text(std::uint64_t work, std::uint64_t total) {
  return fmt::format(
      "drm-driver:\txe\ndrm-client-id:\t1\ndrm-pdev:\t0000:03:00.0\n"
      "drm-resident-vram0:\t1024 MiB\ndrm-cycles-ccs:\t{}\n"
      "drm-total-cycles-ccs:\t{}\n",
      work, total);
}

TEST(IntelDevices, AnArcWithXeHasEachValue) {
  const FileTree tree;
  write_arc(tree);
  write_process(tree, 77, "ollama", "5", "/dev/dri/renderD128", xe_text(100, 1000));
  const FoundDevices found = find_intel_devices(places_in(tree));
  ASSERT_EQ(found.devices.size(), 1u);
  EXPECT_EQ(found.driver, "xe");
  BoardReading reading = found.devices[0]->read(10);
  EXPECT_EQ(why_missing(reading, Metric::power), "a rate needs two readings");
  EXPECT_EQ(why_missing(reading, Metric::utilization), "busy time of processes needs two readings");
  expect_value_or_reason_for_all(reading);

  tree.write("sys/class/drm/card0/device/hwmon/hwmon1/energy1_input", "77360000000\n");
  tree.write("sys/class/drm/card0/device/tile0/gt0/freq0/throttle/reason_pl1", "1\n");
  tree.write("sys/class/drm/card0/device/tile0/gt0/freq0/throttle/reason_prochot", "1\n");
  tree.write("proc/77/fdinfo/5", xe_text(700, 2000));
  reading = found.devices[0]->read(12);
  EXPECT_EQ(reading.identity, "0000:03:00.0");
  EXPECT_EQ(reading.vendor, "intel");
  EXPECT_EQ(reading.board.name, "Intel Arc B580");
  EXPECT_EQ(reading.board.read_by, "xe");
  EXPECT_EQ(reading.board.power_cap_max_w, 200);
  EXPECT_EQ(reading.board.power_cap_default_w, 200);
  EXPECT_EQ(reading.board.clock_max_mhz, 2850);
  EXPECT_DOUBLE_EQ(reading.values[Metric::power], 180) << "360 J of the whole card in 2 s";
  EXPECT_EQ(reading.values[Metric::energy], 77360);
  EXPECT_EQ(reading.values[Metric::power_cap], 190);
  EXPECT_EQ(reading.values[Metric::temperature], 58);
  EXPECT_EQ(reading.values[Metric::memory_temperature], 66);
  EXPECT_EQ(reading.values[Metric::clock], 2400);
  EXPECT_EQ(reading.values[Metric::throttle], throttle_sw_power_cap | throttle_hw_thermal_slowdown);
  EXPECT_EQ(reading.values[Metric::memory_total], 12884901888);
  EXPECT_EQ(reading.values[Metric::memory_used], 1 << 30);
  EXPECT_DOUBLE_EQ(reading.values[Metric::utilization], 0.6);
  EXPECT_EQ(reading.values[Metric::pcie_generation], 4);
  EXPECT_EQ(reading.values[Metric::pcie_lanes], 8);
  ASSERT_EQ(reading.board.processes.size(), 1u);
  EXPECT_EQ(reading.board.processes[0].name, "ollama");
  EXPECT_DOUBLE_EQ(*reading.board.processes[0].share, 0.6);
  EXPECT_EQ(why_missing(reading, Metric::fan), "the driver has no file pwm1");
  expect_value_or_reason_for_all(reading);
}

TEST(IntelDevices, AFlexWithI915HasItsFilesInOtherPlaces) {
  const FileTree tree;
  write_card(tree, "i915", "0x56c0");
  const std::string card = "sys/class/drm/card0/";
  tree.write(card + "gt/gt0/rps_act_freq_mhz", "1950\n");
  tree.write(card + "gt/gt0/rps_RP0_freq_mhz", "2050\n");
  for (const char* reason : {"pl1", "pl2", "thermal", "prochot"})
    tree.write(card + "gt/gt0/throttle_reason_" + reason,
               reason == std::string("thermal") ? "1" : "0");
  tree.write(card + "lmem_total_bytes", "17179869184\n");
  tree.write(card + "device/hwmon/hwmon2/energy1_input", "1000000\n");
  tree.write(card + "device/hwmon/hwmon2/power1_max", "0\n");
  const FoundDevices found = find_intel_devices(places_in(tree));
  found.devices[0]->read(0);
  tree.write(card + "device/hwmon/hwmon2/energy1_input", "121000000\n");
  const BoardReading reading = found.devices[0]->read(1);
  EXPECT_EQ(reading.board.name, "Intel Data Center GPU Flex 170");
  EXPECT_DOUBLE_EQ(reading.values[Metric::power], 120);
  EXPECT_EQ(why_missing(reading, Metric::power_cap), "the power cap is switched off");
  EXPECT_EQ(reading.values[Metric::clock], 1950);
  EXPECT_EQ(reading.board.clock_max_mhz, 2050);
  EXPECT_EQ(reading.values[Metric::throttle], throttle_sw_thermal_slowdown);
  EXPECT_EQ(reading.values[Metric::memory_total], 17179869184);
  EXPECT_EQ(reading.values[Metric::memory_used], 0) << "nobody uses it";
  EXPECT_EQ(reading.values[Metric::utilization], 0);
  EXPECT_EQ(why_missing(reading, Metric::temperature),
            "the driver has no such sensor for this board");
  expect_value_or_reason_for_all(reading);
}

TEST(IntelDevices, ThatAreAPartOfAProcessorHaveReasonsForAlmostAll) {
  const FileTree tree;
  write_card(tree, "i915", "0x46a6");
  tree.write("sys/class/drm/card0/gt_act_freq_mhz", "300\n");
  const FoundDevices found = find_intel_devices(places_in(tree));
  const BoardReading reading = found.devices[0]->read(0);
  EXPECT_EQ(reading.board.name, "Intel GPU 8086:46a6");
  EXPECT_EQ(reading.values[Metric::clock], 300);
  EXPECT_EQ(why_missing(reading, Metric::throttle), "this version of the driver does not say");
  EXPECT_EQ(why_missing(reading, Metric::power), "the driver has no energy counter for this board");
  EXPECT_EQ(why_missing(reading, Metric::memory_total),
            "the driver has no file with the size of the memory: it may be a part of main memory");
  expect_value_or_reason_for_all(reading);
}

TEST(IntelDevices, PowerCapsAreWrittenUpToTheRatedPower) {
  const FileTree tree;
  write_arc(tree);
  const FoundDevices found = find_intel_devices(places_in(tree));
  ASSERT_TRUE(found.devices[0]->set_power_cap(150));
  EXPECT_EQ(tree.text_of("sys/class/drm/card0/device/hwmon/hwmon1/power1_max").substr(0, 9),
            "150000000");
  EXPECT_EQ(found.devices[0]->set_power_cap(201).error().message,
            "201 W: the driver accepts power caps from 0 W to 200 W");
  EXPECT_FALSE(found.devices[0]->set_power_cap(0)) << "which would switch the cap off";
}

TEST(IntelDevices, WhatCannotBeReadWhenTheyAreFoundIsReadLater) {
  const FileTree tree;
  write_arc(tree);
  const std::string device = "sys/class/drm/card0/device/";
  for (const char* name : {"hwmon/hwmon1/energy1_input", "tile0/gt0/freq0/act_freq"}) {
    tree.remove(device + name);
    tree.write(device + name + "/makes_it_a_folder", "");  // reading it is an error
  }
  const FoundDevices found = find_intel_devices(places_in(tree));
  EXPECT_TRUE(std::isnan(found.devices[0]->read(10).values[Metric::clock]));
  for (const char* name : {"hwmon/hwmon1/energy1_input", "tile0/gt0/freq0/act_freq"}) {
    tree.remove(device + name);
    tree.write(device + name, "2400\n");
  }
  const BoardReading reading = found.devices[0]->read(11);
  EXPECT_EQ(reading.values[Metric::clock], 2400);
  EXPECT_EQ(reading.values[Metric::energy], 2400e-6);
}

TEST(IntelDevices, GarbageIsAReasonAndNeverAValue) {
  const FileTree tree;
  write_arc(tree);
  const FoundDevices found = find_intel_devices(places_in(tree));
  const std::string device = "sys/class/drm/card0/device/";
  for (const std::string& text : {std::string(), std::string("?"), std::string(1 << 20, '1')}) {
    for (const char* file :
         {"hwmon/hwmon1/energy1_input", "hwmon/hwmon1/power1_max", "hwmon/hwmon1/temp2_input",
          "hwmon/hwmon1/temp3_input", "hwmon/hwmon1/fan1_input", "tile0/gt0/freq0/act_freq",
          "tile0/gt0/freq0/throttle/reason_pl1", "tile0/physical_vram_size_bytes",
          "current_link_speed", "current_link_width"})
      tree.write(device + file, text);
    const BoardReading reading = found.devices[0]->read(0);
    EXPECT_TRUE(std::isnan(reading.values[Metric::power]));
    EXPECT_TRUE(std::isnan(reading.values[Metric::clock]));
    EXPECT_TRUE(std::isnan(reading.values[Metric::throttle]));
    EXPECT_TRUE(std::isnan(reading.values[Metric::memory_total]));
    expect_value_or_reason_for_all(reading);
  }
}

TEST(IntelDevices, WithoutOnesSayWhy) {
  const FileTree tree;
  write_card(tree, "vfio-pci", "0x56c0");
  const FoundDevices found = find_intel_devices(places_in(tree));
  EXPECT_TRUE(found.devices.empty());
  EXPECT_EQ(found.notes,
            std::vector<std::string>{"card0: the driver is vfio-pci; i915 and xe are read"});
  const FileTree none;
  EXPECT_EQ(find_intel_devices(places_in(none)).notes,
            std::vector<std::string>{"no Intel card in /sys/class/drm"});
}

}  // namespace
}  // namespace drover::agents
