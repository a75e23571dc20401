// Google's TPUs: which chips there are, and what a real server of gRPC in libtpu's place says of
// them.
#include <gtest/gtest.h>

#include <atomic>

#include "agents/drivers/driver.h"
#include "agents/drivers/tpu_metrics.h"
#include "tests/agents/drivers/file_tree.h"
#include "tests/agents/drivers/grpc_servers.h"

namespace drover::agents {
namespace {

constexpr const char* no_program =
    "no program uses the chip: libtpu serves metrics only while one runs";

class TpuDevices : public testing::Test {
 protected:
  /// A chip with its file, which a program opens.
  void write_chip(int number, const std::string& device, const std::string& subsystem,
                  bool with_vfio) {
    const std::string folder = fmt::format("sys/bus/pci/devices/0000:00:0{}.0/", number + 4);
    tree_.write(folder + "vendor", "0x1ae0\n");
    tree_.write(folder + "device", device + "\n");
    tree_.write(folder + "subsystem_device", subsystem + "\n");
    tree_.link(folder + "iommu_group", fmt::format("../../../kernel/iommu_groups/{}", number));
    tree_.write(with_vfio ? fmt::format("dev/vfio/{}", number) : fmt::format("dev/accel{}", number),
                "");
  }
  FoundDevices found(const std::string& ports) {
    setenv("TPU_RUNTIME_METRICS_PORTS", ports.c_str(), 1);
    FoundDevices devices = find_tpu_devices(places_in(tree_));
    unsetenv("TPU_RUNTIME_METRICS_PORTS");
    return devices;
  }
  FoundDevices found(const LibtpuServer& server) { return found(std::to_string(server.port())); }
  /// A port at which nobody listens.
  static std::string free_port() { return std::to_string(BadServer().port()); }

  FileTree tree_;
};

TEST_F(TpuDevices, OfAllKindsHaveTheNamesOfTheCatalogue) {
  const std::vector<std::array<std::string, 3>> kinds = {
      {"0x0027", "0x004e", "TPU v2"},  {"0x0027", "0x004f", "TPU v3"},
      {"0x005e", "0x0000", "TPU v4"},  {"0x0063", "0x0000", "TPU v5e"},
      {"0x0062", "0x0000", "TPU v5p"}, {"0x006f", "0x0000", "TPU v6e"},
      {"0x0076", "0x0000", "TPU v7x"}};
  for (const auto& [device, subsystem, name] : kinds) {
    write_chip(0, device, subsystem, true);
    const FoundDevices devices = found(free_port());
    ASSERT_EQ(devices.devices.size(), 1u) << name;
    EXPECT_EQ(devices.devices[0]->read(0).board.name, name);
    tree_.remove("sys");
  }
}

TEST_F(TpuDevices, OfOtherMakersAndUnknownKindsAreNone) {
  write_chip(0, "0x0042", "0x0000", false);  // Google's virtual network card
  write_chip(1, "0x0027", "0x9999", false);
  tree_.write("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
  const FoundDevices devices = found(free_port());
  EXPECT_TRUE(devices.devices.empty());
  EXPECT_EQ(devices.notes, std::vector<std::string>{"no TPU on the PCI bus"});
}

TEST_F(TpuDevices, WithoutAProgramAreIdleAndSayWhy) {
  write_chip(0, "0x0063", "0x0000", true);
  const FoundDevices devices = found(free_port());
  const BoardReading reading = devices.devices[0]->read(0);
  EXPECT_EQ(reading.identity, "0000:00:04.0");
  EXPECT_EQ(reading.device_class, DeviceClass::tpu);
  EXPECT_EQ(reading.vendor, "google");
  EXPECT_EQ(reading.lost, "");
  for (const Metric metric : {Metric::utilization, Metric::memory_used, Metric::memory_total})
    EXPECT_EQ(why_missing(reading, metric), no_program);
  EXPECT_EQ(why_missing(reading, Metric::power),
            "Google publishes neither power nor temperature for a TPU VM");
  EXPECT_EQ(why_missing(reading, Metric::temperature),
            "Google publishes neither power nor temperature for a TPU VM");
  EXPECT_EQ(reading.board.missing.size(), std::size_t{metric_count} - 1);
  expect_value_or_reason_for_all(reading);
  EXPECT_EQ(devices.devices[0]->set_power_cap(100).error().message,
            "Google offers no power caps for TPUs");
}

TEST_F(TpuDevices, OfAV5eHostHaveTheValuesOfTheirChip) {
  DROVER_NEEDS_PYTHON_GRPC();
  for (int chip = 0; chip < 4; ++chip) write_chip(chip, "0x0063", "0x0000", true);
  const LibtpuServer server({
      "tensorcore.dutycycle.percent=3:40.0,0:10.5,1:20.0,2:30.0",
      "hbm.memory.usage.bytes=0:1000,1:2000,2:3000,3:4000",
      "hbm.memory.total.bytes=0:17179869184,1:17179869184,2:17179869184,3:17179869184",
  });
  const FoundDevices devices = found(server);
  ASSERT_EQ(devices.devices.size(), 4u);
  const BoardReading first = devices.devices[0]->read(0);
  EXPECT_DOUBLE_EQ(first.values[Metric::utilization], 0.105);
  EXPECT_EQ(first.values[Metric::memory_used], 1000);
  EXPECT_EQ(first.values[Metric::memory_total], 17179869184);
  expect_value_or_reason_for_all(first);
  const BoardReading last = devices.devices[3]->read(0);
  EXPECT_EQ(last.identity, "0000:00:07.0");
  EXPECT_DOUBLE_EQ(last.values[Metric::utilization], 0.4);
  EXPECT_EQ(last.values[Metric::memory_used], 4000);
}

TEST_F(TpuDevices, OfAV2HostJoinTheMemoryOfTheirTwoCores) {
  DROVER_NEEDS_PYTHON_GRPC();
  for (int chip = 0; chip < 2; ++chip) write_chip(chip, "0x0027", "0x004e", false);
  const LibtpuServer server({
      "tensorcore.dutycycle.percent=0:50.0,1:75.0",    // by chip
      "hbm.memory.usage.bytes=0:1,1:20,2:300,3:4000",  // by core
      "hbm.memory.total.bytes=0:8589934592,1:8589934592,2:8589934592,3:8589934592",
  });
  const FoundDevices devices = found(server);
  const BoardReading first = devices.devices[0]->read(0);
  EXPECT_DOUBLE_EQ(first.values[Metric::utilization], 0.5);
  EXPECT_EQ(first.values[Metric::memory_used], 21);
  EXPECT_EQ(first.values[Metric::memory_total], 17179869184);
  const BoardReading second = devices.devices[1]->read(0);
  EXPECT_DOUBLE_EQ(second.values[Metric::utilization], 0.75);
  EXPECT_EQ(second.values[Metric::memory_used], 4300);
}

TEST_F(TpuDevices, OfSeveralProcessesAreReadAtAllTheirPorts) {
  DROVER_NEEDS_PYTHON_GRPC();
  for (int chip = 0; chip < 2; ++chip) write_chip(chip, "0x005e", "0x0000", false);
  const LibtpuServer one({"tensorcore.dutycycle.percent=0:10.0"});
  const LibtpuServer two({"tensorcore.dutycycle.percent=1:90.0"});
  const FoundDevices devices = found(fmt::format("{},{},{}", two.port(), free_port(), one.port()));
  EXPECT_DOUBLE_EQ(devices.devices[0]->read(0).values[Metric::utilization], 0.1);
  EXPECT_DOUBLE_EQ(devices.devices[1]->read(0).values[Metric::utilization], 0.9);
  EXPECT_EQ(why_missing(devices.devices[0]->read(0), Metric::memory_used),
            "libtpu does not serve it");
}

TEST_F(TpuDevices, ThatAProgramLeavesAloneAreToldFromItsOwn) {
  DROVER_NEEDS_PYTHON_GRPC();
  for (int chip = 0; chip < 4; ++chip) write_chip(chip, "0x0063", "0x0000", true);
  write_process(tree_, 4711, "python3", "17", "/dev/vfio/2");
  const LibtpuServer server({"tensorcore.dutycycle.percent=0:60.0"});
  const FoundDevices devices = found(server);
  const BoardReading unused = devices.devices[0]->read(0);
  EXPECT_EQ(why_missing(unused, Metric::utilization), "no program uses the chip");
  EXPECT_TRUE(unused.board.processes.empty());
  const BoardReading used = devices.devices[2]->read(0);
  EXPECT_DOUBLE_EQ(used.values[Metric::utilization], 0.6);
  ASSERT_EQ(used.board.processes.size(), 1u);
  EXPECT_EQ(used.board.processes[0].pid, 4711u);
  EXPECT_EQ(used.board.processes[0].name, "python3");
  tree_.remove("proc");
  const FoundDevices again = found(server);
  EXPECT_EQ(why_missing(again.devices[2]->read(0), Metric::utilization),
            "libtpu reports 1 chip of this host's 4 chips, but not which");
}

TEST_F(TpuDevices, OfAProgramThatHasEndedAreIdle) {
  DROVER_NEEDS_PYTHON_GRPC();
  write_chip(0, "0x0063", "0x0000", true);
  LibtpuServer server({"tensorcore.dutycycle.percent=0:60.0"});
  const FoundDevices devices = found(server);
  EXPECT_DOUBLE_EQ(devices.devices[0]->read(0).values[Metric::utilization], 0.6);
  server.stop();
  EXPECT_EQ(why_missing(devices.devices[0]->read(1), Metric::utilization), no_program);
}

TEST_F(TpuDevices, DoNotAskAServerThatHungUntilTenSecondsLater) {
  write_chip(0, "0x0063", "0x0000", true);
  std::atomic<int> connections = 0;
  const BadServer server([&](int) { ++connections; });
  const FoundDevices devices = found(std::to_string(server.port()));
  const std::string why = why_missing(devices.devices[0]->read(100), Metric::utilization);
  EXPECT_EQ(why.find("libtpu's metric service: "), 0u) << why;
  EXPECT_EQ(why_missing(devices.devices[0]->read(109.9), Metric::utilization), why);
  EXPECT_EQ(connections, 1);
  devices.devices[0]->read(110);
  EXPECT_EQ(connections, 2);
}

TEST_F(TpuDevices, GarbageAndRefusalsOfTheServiceAreReasons) {
  DROVER_NEEDS_PYTHON_GRPC();
  write_chip(0, "0x0063", "0x0000", true);
  const std::string name = "tensorcore.dutycycle.percent=";
  const LibtpuServer garbage({name + "garbage"});
  const LibtpuServer refuses({name + "refuse"});
  const std::vector<std::pair<const LibtpuServer*, std::string>> expected = {
      {&garbage, "libtpu's metric service: libtpu's answer is no MetricResponse"},
      {&refuses,
       "libtpu's metric service: gRPC status 5: no metric tpu.runtime.hbm.memory.total.bytes"}};
  for (const auto& [server, why] : expected) {
    const FoundDevices devices = found(*server);
    const BoardReading reading = devices.devices[0]->read(0);
    EXPECT_EQ(why_missing(reading, Metric::utilization), why);
    expect_value_or_reason_for_all(reading);
  }
}

TEST_F(TpuDevices, ThatAreGoneAreLost) {
  write_chip(0, "0x0063", "0x0000", true);
  const FoundDevices devices = found(free_port());
  tree_.remove("sys");
  EXPECT_EQ(devices.devices[0]->read(0).lost, "0000:00:04.0 is no longer on the PCI bus");
}

TEST(TpuMetricPorts, AreThoseOfTheListElseTheDefault) {
  using Ports = std::vector<std::uint16_t>;
  EXPECT_EQ(tpu_metric_ports(nullptr), Ports{8431});
  EXPECT_EQ(tpu_metric_ports(""), Ports{8431});
  EXPECT_EQ(tpu_metric_ports("8431, 8432"), (Ports{8431, 8432}));
  EXPECT_EQ(tpu_metric_ports("x,0,70000,-1,8433y,8434"), Ports{8434});
  std::string many = "1";
  for (int count = 0; count < 1000; ++count) many += ",1";
  EXPECT_EQ(tpu_metric_ports(many.c_str()).size(), 64u);
}

TEST(TpuMetricResponses, WithAnyBitChangedOrTheEndMissingAreReadOrRefused) {
  // {1: {1: "n", 3: {1: {1: "d", 2: {3: 5}}, 3: {2: 300}}}}
  const std::string bytes(
      "\x0a\x13\x0a\x01n\x1a\x0e\x0a\x07\x0a\x01"
      "d\x12\x02\x18\x05\x1a\x03\x10\xac\x02");
  EXPECT_EQ(*parse_tpu_metric_response(bytes), (std::vector<TpuValue>{{5, 300}}));
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    for (std::size_t bit = 0; bit < 8 * size; ++bit) {
      std::string changed = bytes.substr(0, size);
      changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
      const auto values = parse_tpu_metric_response(changed);
      EXPECT_LE(values ? values->size() : 0, 1u);
    }
  }
}

}  // namespace
}  // namespace drover::agents
