// Real pages of exporters, each with every value that is on it.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>

#include "tests/agents/scrape/pages.h"

namespace drover::agents::pages {
namespace {

/// The page, or nothing and the reason.
std::optional<std::string> shared_page(const std::string& name, std::string& why) {
  const char* const shared = std::getenv("DROVER_SHARED");
  if (shared == nullptr) {
    why = "DROVER_SHARED does not name the folder of shared data";
    return std::nullopt;
  }
  const std::string path = std::string(shared) + "/data/exposition/" + name;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    why = path + " is not there";
    return std::nullopt;
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}
#define DROVER_SHARED_PAGE(name)                   \
  std::string why;                                 \
  const auto found_page = shared_page(name, why);  \
  if (!found_page) GTEST_SKIP() << why;            \
  const HostReadings readings = read(*found_page); \
  EXPECT_EQ(readings.notes, std::vector<std::string>{})

TEST(RealPages, DcgmExporterOnAnL4) {
  DROVER_SHARED_PAGE("dcgm-exporter-l4.prom");
  const BoardReading reading = only_board(readings);
  EXPECT_EQ(readings.hosts[0].host, "i-030791dc5a37cd257");
  EXPECT_EQ(reading.identity, "GPU-c2f76b33-7953-256e-8f33-1343419b1a1c");
  EXPECT_EQ(reading.index, 0);
  EXPECT_EQ(reading.device_class, DeviceClass::gpu);
  EXPECT_EQ(reading.vendor, "nvidia");
  EXPECT_EQ(reading.lost, "");
  EXPECT_EQ(reading.board.name, "NVIDIA L4");
  EXPECT_EQ(reading.board.uuid, "GPU-c2f76b33-7953-256e-8f33-1343419b1a1c");
  EXPECT_EQ(reading.board.bus, "0000:31:00.0");
  EXPECT_EQ(reading.board.driver, "NVIDIA 580.105.08");
  EXPECT_EQ(reading.board.read_by, "http://target:9400/metrics");
  EXPECT_TRUE(reading.board.processes.empty());
  EXPECT_TRUE(reading.board.partitions.empty());
  expect_values(reading, {{Metric::utilization, 0},
                          {Metric::tensor_activity, 0},
                          {Metric::memory_activity, 0},
                          {Metric::memory_used, 0},
                          {Metric::memory_total, (22563 + 470) * mib},
                          {Metric::power, 16.365},
                          {Metric::temperature, 31},
                          {Metric::clock, 210},
                          {Metric::energy, 4742.776},
                          {Metric::memory_clock, 405},
                          {Metric::pcie_sent, 112603},
                          {Metric::pcie_received, 17544}});
  // An L4 has no such sensor; DCGM says 0.
  EXPECT_EQ(why_missing(reading, Metric::memory_temperature),
            "the page says 0 for DCGM_FI_DEV_MEMORY_TEMP, which means not known");
  EXPECT_EQ(why_missing(reading, Metric::xid), "the page has no DCGM_FI_DEV_XID_ERRORS");
}

TEST(RealPages, DcgmExporterOnAnA100WithoutTypes) {
  DROVER_SHARED_PAGE("dcgm-exporter-a100-no-help.prom");
  const BoardReading reading = only_board(readings);
  EXPECT_EQ(readings.hosts[0].host, "ub20-a100-k8s");
  EXPECT_EQ(reading.identity, "GPU-34319582-d595-d1c7-d1d2-179bcfa61660");
  EXPECT_EQ(reading.index, 0);
  EXPECT_EQ(reading.vendor, "nvidia");
  EXPECT_EQ(reading.board.name, "");
  EXPECT_EQ(reading.board.driver, "");
  EXPECT_EQ(reading.board.bus, "");
  expect_values(reading, {{Metric::utilization, 0.995630},
                          {Metric::memory_used, 4845 * mib},
                          {Metric::memory_total, (4845 + 35690) * mib},
                          {Metric::power, 409.692},
                          {Metric::temperature, 61},
                          {Metric::clock, 1215},
                          {Metric::energy, 319159.391},
                          {Metric::memory_temperature, 69},
                          {Metric::memory_clock, 1215},
                          {Metric::xid, 0}});
}

TEST(RealPages, DcgmExporterOnAT4WithTheUsersPod) {
  DROVER_SHARED_PAGE("dcgm-exporter-t4-pod-labels.prom");
  const BoardReading reading = only_board(readings);
  EXPECT_EQ(readings.hosts[0].host, "hami-workshop");
  EXPECT_EQ(reading.identity, "GPU-8f1f4d06-07fd-27a7-52d5-e58aa060d256");
  EXPECT_EQ(reading.index, 0);
  EXPECT_EQ(reading.board.name, "Tesla T4");
  EXPECT_EQ(reading.board.bus, "0000:00:04.0");
  ASSERT_EQ(reading.board.processes.size(), 1U);
  EXPECT_EQ(reading.board.processes[0],
            (DeviceProcess{0, "", "default/gpu-test/gpu-test", "default", {}, {}}));
  expect_values(reading,
                {{Metric::memory_used, 0}, {Metric::power, 15.507}, {Metric::temperature, 43}});
  EXPECT_EQ(why_missing(reading, Metric::memory_total), "the page has no DCGM_FI_DEV_FB_TOTAL");
}

TEST(RealPages, AllSmiOnAnH200) {
  DROVER_SHARED_PAGE("all-smi-h200.prom");
  const BoardReading reading = only_board(readings);
  EXPECT_EQ(readings.hosts[0].host, "node-0058");
  EXPECT_EQ(readings.hosts[0].labels, (std::map<std::string, std::string>{}));
  EXPECT_EQ(reading.identity, "GPU-12345");
  EXPECT_EQ(reading.index, 0);
  EXPECT_EQ(reading.device_class, DeviceClass::gpu);
  EXPECT_EQ(reading.vendor, "nvidia");
  EXPECT_EQ(reading.board.name, "NVIDIA H200 141GB HBM3");
  expect_values(reading, {{Metric::utilization, 0.255},
                          {Metric::memory_used, 8589934592},
                          {Metric::memory_total, 34359738368},
                          {Metric::temperature, 65}});
  EXPECT_EQ(why_missing(reading, Metric::power),
            "the page has no all_smi_gpu_power_consumption_watts");
  EXPECT_EQ(why_missing(reading, Metric::throttle), "all-smi does not publish it");
}

}  // namespace
}  // namespace drover::agents::pages
