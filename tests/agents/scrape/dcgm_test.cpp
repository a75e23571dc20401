// What NVIDIA's dcgm-exporter says: every field with a place, old and new names, values that mean
// "not known", MIG instances, and the pods that use a board.
#include <vector>

#include "tests/agents/scrape/pages.h"

namespace drover::agents::pages {
namespace {

/// One line of a board.
std::string line(const std::string& name, const std::string& value,
                 const std::string& more_labels = "") {
  return name + "{gpu=\"3\",UUID=\"GPU-7\",Hostname=\"node-7\"" + more_labels + "} " + value + "\n";
}

TEST(Dcgm, EveryFieldWithAPlaceIsRead) {
  const BoardReading reading = only_board(
      line("DCGM_FI_DEV_GPU_UTIL", "97") + line("DCGM_FI_DEV_MEM_COPY_UTIL", "29") +
      line("DCGM_FI_DEV_SM_CLOCK", "1980") + line("DCGM_FI_DEV_MEM_CLOCK", "2619") +
      line("DCGM_FI_DEV_GPU_TEMP", "61") + line("DCGM_FI_DEV_MEMORY_TEMP", "72") +
      line("DCGM_FI_DEV_POWER_USAGE", "698.412") +
      line("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "9007199254741") +
      line("DCGM_FI_DEV_FB_USED", "71000") + line("DCGM_FI_DEV_FB_FREE", "9999") +
      line("DCGM_FI_DEV_FB_RESERVED", "560") + line("DCGM_FI_DEV_FB_TOTAL", "81559") +
      line("DCGM_FI_DEV_POWER_MGMT_LIMIT", "650") +
      line("DCGM_FI_DEV_ENFORCED_POWER_LIMIT", "600") +
      line("DCGM_FI_DEV_POWER_MGMT_LIMIT_MIN", "200") +
      line("DCGM_FI_DEV_POWER_MGMT_LIMIT_MAX", "700") +
      line("DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF", "690") + line("DCGM_FI_DEV_SLOWDOWN_TEMP", "87") +
      line("DCGM_FI_DEV_XID_ERRORS", "79") + line("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "36") +
      line("DCGM_FI_DEV_POWER_VIOLATION", "1500000000") +
      line("DCGM_FI_DEV_THERMAL_VIOLATION", "2000000") +
      line("DCGM_FI_DEV_BOARD_LIMIT_VIOLATION", "0") + line("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "12") +
      line("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "1") + line("DCGM_FI_DEV_PCIE_LINK_GEN", "4") +
      line("DCGM_FI_DEV_PCIE_LINK_WIDTH", "8") + line("DCGM_FI_DEV_PCIE_MAX_LINK_GEN", "5") +
      line("DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH", "16") + line("DCGM_FI_DEV_MAX_SM_CLOCK", "1980") +
      line("DCGM_FI_DEV_FAN_SPEED", "55") + line("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "0.9") +
      line("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "0.41") + line("DCGM_FI_PROF_DRAM_ACTIVE", "0.62") +
      line("DCGM_FI_PROF_PCIE_TX_BYTES", "112603") + line("DCGM_FI_PROF_PCIE_RX_BYTES", "17544") +
      line("DCGM_FI_PROF_NVLINK_TX_BYTES", "2e11") + line("DCGM_FI_PROF_NVLINK_RX_BYTES", "1e11"));
  expect_values(reading, {{Metric::utilization, 0.97},
                          {Metric::tensor_activity, 0.41},
                          {Metric::memory_activity, 0.62},
                          {Metric::memory_used, 71000 * mib},
                          {Metric::memory_total, 81559 * mib},
                          {Metric::power, 698.412},
                          {Metric::power_cap, 600},
                          {Metric::temperature, 61},
                          {Metric::clock, 1980},
                          {Metric::throttle, throttle_sw_power_cap | throttle_sw_thermal_slowdown},
                          {Metric::energy, 9007199254.741},
                          {Metric::memory_temperature, 72},
                          {Metric::power_violation, 1.5},
                          {Metric::thermal_violation, 0.002},
                          {Metric::board_limit_violation, 0},
                          {Metric::memory_clock, 2619},
                          {Metric::pcie_sent, 112603},
                          {Metric::pcie_received, 17544},
                          {Metric::link_sent, 2e11},
                          {Metric::link_received, 1e11},
                          {Metric::pcie_generation, 4},
                          {Metric::pcie_lanes, 8},
                          {Metric::ecc_corrected, 12},
                          {Metric::ecc_uncorrected, 1},
                          {Metric::xid, 79},
                          {Metric::fan, 0.55}});
  EXPECT_EQ(reading.index, 3);
  EXPECT_EQ(reading.board.power_cap_min_w, 200);
  EXPECT_EQ(reading.board.power_cap_max_w, 700);
  EXPECT_EQ(reading.board.power_cap_default_w, 690);
  EXPECT_EQ(reading.board.clock_max_mhz, 1980);
  EXPECT_EQ(reading.board.slowdown_c, 87);
  EXPECT_EQ(reading.board.pcie_generation_max, 5);
  EXPECT_EQ(reading.board.pcie_lanes_max, 16);
  EXPECT_EQ(why_missing(reading, Metric::busiest_cpu_core), "dcgm-exporter does not publish it");
}

TEST(Dcgm, NewAndOldNamesOfFieldsAreTheSame) {
  expect_values(only_board(line("DCGM_FI_DEV_GPU_UTIL_RATIO", "97") +
                           line("DCGM_FI_DEV_GPU_TEMP_CELSIUS", "61") +
                           line("DCGM_FI_DEV_MEMORY_TEMP_CELSIUS", "72") +
                           line("DCGM_FI_DEV_BOARD_POWER_WATTS", "698.4") +
                           line("DCGM_FI_DEV_BOARD_POWER_LIMIT_ENFORCED_WATTS", "600") +
                           line("DCGM_FI_DEV_XID_ERROR", "0")),
                {{Metric::utilization, 0.97},
                 {Metric::temperature, 61},
                 {Metric::memory_temperature, 72},
                 {Metric::power, 698.4},
                 {Metric::power_cap, 600},
                 {Metric::xid, 0}});
  expect_values(only_board("dcgm_gpu_temp{gpu=\"0\",uuid=\"GPU-1\"} 61\n"
                           "dcgm_power_usage{gpu=\"0\",uuid=\"GPU-1\"} 70.5\n"
                           "dcgm_gpu_utilization{gpu=\"0\",uuid=\"GPU-1\"} 12\n"
                           "dcgm_fb_used{gpu=\"0\",uuid=\"GPU-1\"} 100\n"
                           "dcgm_fb_free{gpu=\"0\",uuid=\"GPU-1\"} 900\n"),
                {{Metric::temperature, 61},
                 {Metric::power, 70.5},
                 {Metric::utilization, 0.12},
                 {Metric::memory_used, 100 * mib},
                 {Metric::memory_total, 1000 * mib}});
}

// Names of dcgm-exporter's etc/1.x-compatibility-metrics.csv, labels as in its issue 272.
TEST(Dcgm, NamesAndLabelsOfItsFirstVersionAreRead) {
  const std::string labels =
      "{gpu=\"0\",uuid=\"GPU-ed1353d6\",device=\"nvidia0\",modelName=\"NVIDIA A100 80GB PCIe\","
      "container_name=\"main\",pod_name=\"train-0\",pod_namespace=\"ml\"} ";
  const BoardReading reading = only_board(
      "dcgm_fi_prof_gr_engine_active" + labels + "0.25\n" + "dcgm_fi_prof_pipe_tensor_active" +
      labels + "0.125\n" + "dcgm_fi_prof_dram_active" + labels + "0.5\n" +
      "dcgm_pcie_tx_throughput" + labels + "7\n" + "dcgm_pcie_rx_throughput" + labels + "9\n");
  expect_values(reading, {{Metric::utilization, 0.25},
                          {Metric::tensor_activity, 0.125},
                          {Metric::memory_activity, 0.5},
                          {Metric::pcie_sent, 7000},
                          {Metric::pcie_received, 9000}});
  EXPECT_EQ(reading.board.processes,
            (std::vector<DeviceProcess>{{0, "", "ml/train-0/main", "ml", {}, {}}}));
}

TEST(Dcgm, BytesOfTheProfilerCountBeforeKilobytesOfTheDriver) {
  expect_values(only_board(line("DCGM_FI_DEV_PCIE_TX_THROUGHPUT", "7") +
                           line("DCGM_FI_PROF_PCIE_TX_BYTES", "8192") +
                           line("DCGM_FI_DEV_PCIE_RX_THROUGHPUT", "9")),
                {{Metric::pcie_sent, 8192}, {Metric::pcie_received, 9000}});
}

TEST(Dcgm, CountersMayHaveTheSuffixOfOpenMetrics) {
  expect_values(only_board(line("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION_total", "5000") +
                           line("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL_total", "2") + "# EOF\n"),
                {{Metric::energy, 5}, {Metric::ecc_corrected, 2}});
}

TEST(Dcgm, WhatIsNotKnownHasItsReason) {
  const BoardReading reading = only_board(
      line("DCGM_FI_DEV_GPU_UTIL", "9223372036854775794") +
      line("DCGM_FI_DEV_POWER_USAGE", "140737488355328") +
      line("DCGM_FI_DEV_XID_ERRORS", "2147483632") + line("DCGM_FI_DEV_SM_CLOCK", "2147483634") +
      line("DCGM_FI_DEV_FB_USED", "-1") + line("DCGM_FI_DEV_GPU_TEMP", "NaN") +
      line("DCGM_FI_DEV_MEM_CLOCK", "+Inf") + line("DCGM_FI_DEV_FAN_SPEED", "-5") +
      line("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "9.223372036854776e+18") +
      line("DCGM_FI_DEV_MEMORY_TEMP", "0") + line("DCGM_FI_DEV_MEM_COPY_UTIL", "131") +
      line("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", ""));
  expect_values(reading, {});
  EXPECT_EQ(why_missing(reading, Metric::utilization),
            "the page says 9.223372036854776e+18 for DCGM_FI_DEV_GPU_UTIL, which is DCGM's blank");
  EXPECT_EQ(why_missing(reading, Metric::temperature),
            "the page says nan for DCGM_FI_DEV_GPU_TEMP, which is no number");
  EXPECT_EQ(why_missing(reading, Metric::memory_activity),
            "the page says 131 for DCGM_FI_DEV_MEM_COPY_UTIL, which is not plausible");
  EXPECT_EQ(why_missing(reading, Metric::ecc_corrected),
            "the page has no DCGM_FI_DEV_ECC_SBE_VOL_TOTAL");
}

TEST(Dcgm, AValueThatCountsIsPreferredToABetterNameThatDoesNot) {
  for (const bool first : {true, false}) {
    const std::string blank = line("DCGM_FI_DEV_GPU_UTIL", "9223372036854775794");
    const std::string good = line("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "0.5");
    const BoardReading reading = only_board(first ? blank + good : good + blank);
    EXPECT_EQ(reading.values[Metric::utilization], 0.5);
  }
  const std::string both =
      line("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "0.5") + line("DCGM_FI_DEV_GPU_UTIL", "70");
  EXPECT_EQ(only_board(both).values[Metric::utilization], 0.7);
}

TEST(Dcgm, OfASeriesThatIsThereTwiceTheLastCounts) {
  const HostReadings readings =
      read(line("DCGM_FI_DEV_GPU_TEMP", "61") + line("DCGM_FI_DEV_GPU_TEMP", "62") +
           line("DCGM_FI_DEV_GPU_TEMP", "63"));
  EXPECT_EQ(only_board(readings).values[Metric::temperature], 63);
  EXPECT_EQ(readings.notes, std::vector<std::string>{"2 series there before; the last one counts"});
}

TEST(Dcgm, BadLinesAreNoted) {
  const HostReadings readings =
      read(line("DCGM_FI_DEV_GPU_TEMP", "61") + line("DCGM_FI_DEV_POWER_USAGE", "") +
           line("DCGM_FI_DEV_SM_CLOCK", "fast") + "DCGM_FI_DEV_MEM_CLOCK 405\n");
  expect_values(only_board(readings), {{Metric::temperature, 61}});
  EXPECT_EQ(readings.notes, (std::vector<std::string>{
                                "1 series without a device; left out", "1 series without a value",
                                "1 line malformed; line 3: a value is not a number"}));
}

std::string instance(const std::string& id, const std::string& profile) {
  return ",GPU_I_PROFILE=\"" + profile + "\",GPU_I_ID=\"" + id + "\"";
}

TEST(Dcgm, MigInstancesArePartsOfTheirBoard) {
  const std::string one = instance("7", "1g.10gb");
  const std::string two = instance("2", "3g.40gb");
  const BoardReading reading = only_board(
      line("DCGM_FI_DEV_GPU_TEMP", "61") + line("DCGM_FI_DEV_FB_USED", "700") +
      line("DCGM_FI_DEV_FB_FREE", "80000") + line("DCGM_FI_DEV_FB_USED", "100", one) +
      line("DCGM_FI_DEV_FB_FREE", "9900", one) + line("DCGM_FI_DEV_FB_USED", "500", two) +
      line("DCGM_FI_DEV_FB_FREE", "40000", two) + line("DCGM_FI_DEV_FB_RESERVED", "60", two) +
      line("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "0.25", one) +
      line("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "0.5", one) +
      line("DCGM_FI_DEV_GPU_TEMP", "60", one) + line("DCGM_FI_DEV_POWER_USAGE", "310", one) +
      line("DCGM_FI_DEV_POWER_USAGE", "310", two) +
      line("DCGM_FI_DEV_GPU_UTIL", "9223372036854775794", one));
  ASSERT_EQ(reading.board.partitions.size(), 2U);
  EXPECT_EQ(reading.board.partitions[0],
            (DevicePartition{2, "3g.40gb", "", 500 * mib, 40560 * mib, {}}));
  EXPECT_EQ(reading.board.partitions[1],
            (DevicePartition{7, "1g.10gb", "", 100 * mib, 10000 * mib, 0.25}));
  // The board's own temperature and memory count; watts are the board's in every instance's line.
  expect_values(reading, {{Metric::temperature, 61},
                          {Metric::power, 310},
                          {Metric::memory_used, 700 * mib},
                          {Metric::memory_total, 80700 * mib}});
  EXPECT_EQ(why_missing(reading, Metric::tensor_activity),
            "the page has no DCGM_FI_PROF_PIPE_TENSOR_ACTIVE of the whole board");
}

TEST(Dcgm, ABoardOfWhichOnlyInstancesAreKnownHasTheirMemory) {
  const std::string one = instance("7", "1g.10gb");
  const std::string two = instance("2", "3g.40gb");
  const HostReadings readings =
      read(line("DCGM_FI_DEV_FB_USED", "100", one) + line("DCGM_FI_DEV_FB_FREE", "9900", one) +
           line("DCGM_FI_DEV_FB_USED", "500", two) + line("DCGM_FI_DEV_FB_FREE", "40000", two));
  expect_values(only_board(readings),
                {{Metric::memory_used, 600 * mib}, {Metric::memory_total, 50500 * mib}});
  EXPECT_EQ(readings.notes, std::vector<std::string>{});
}

// NVIDIA/gpu-monitoring-tools, issue 193.
TEST(Dcgm, BlankTextsSayNothing) {
  const Board board =
      only_board(line("DCGM_FI_DEV_FB_USED", "100",
                      instance("6", "<<<NULL>>>") + ",modelName=\"<<<NOT_SUPPORTED>>>\""))
          .board;
  ASSERT_EQ(board.partitions.size(), 1U);
  EXPECT_EQ(board.partitions[0], (DevicePartition{6, "", "", 100 * mib, {}, {}}));
  EXPECT_EQ(board.name, "");
}

TEST(Dcgm, ABoardHasAFewInstances) {
  std::string page;
  for (int id = 0; id < 100; ++id) {
    page += line("DCGM_FI_DEV_FB_USED", "1", instance(std::to_string(id), "1g.5gb"));
  }
  EXPECT_EQ(only_board(page).board.partitions.size(), device_partitions_max);
}

std::string pod(const std::string& pod_namespace, const std::string& name,
                const std::string& container, const std::string& prefix = "") {
  return fmt::format(",{3}namespace=\"{0}\",{3}pod=\"{1}\",{3}container=\"{2}\"", pod_namespace,
                     name, container, prefix);
}

TEST(Dcgm, PodsAreUsersAndTheirNamespacesTenants) {
  const BoardReading shared =
      only_board(line("DCGM_FI_DEV_GPU_TEMP", "61", pod("ml", "train-0", "main")) +
                 line("DCGM_FI_DEV_GPU_TEMP", "61", pod("web", "chat-1", "vllm")) +
                 line("DCGM_FI_DEV_SM_CLOCK", "1980", pod("ml", "train-0", "main")));
  ASSERT_EQ(shared.board.processes.size(), 2U);
  EXPECT_EQ(shared.board.processes[0], (DeviceProcess{0, "", "ml/train-0/main", "ml", {}, {}}));
  EXPECT_EQ(shared.board.processes[1], (DeviceProcess{0, "", "web/chat-1/vllm", "web", {}, {}}));
  expect_values(shared, {{Metric::temperature, 61}, {Metric::clock, 1980}});

  // A Prometheus server calls the page's labels exported_.., where its own are the exporter's.
  const BoardReading exported =
      only_board(line("DCGM_FI_DEV_GPU_TEMP", "61",
                      pod("gpu-operator", "nvidia-dcgm-exporter-x7", "exporter") +
                          pod("ml", "train-0", "main", "exported_")));
  ASSERT_EQ(exported.board.processes.size(), 1U);
  EXPECT_EQ(exported.board.processes[0].name, "ml/train-0/main");
  EXPECT_EQ(exported.board.processes[0].tenant, "ml");
  const BoardReading idle = only_board(line(
      "DCGM_FI_DEV_GPU_TEMP", "61", pod("gpu-operator", "nvidia-dcgm-exporter-x7", "exporter")));
  EXPECT_TRUE(idle.board.processes.empty());
  EXPECT_TRUE(
      only_board(line("DCGM_FI_DEV_GPU_TEMP", "61", pod("", "", ""))).board.processes.empty());
}

TEST(Dcgm, AJobOfACluster) {
  EXPECT_EQ(only_board(line("DCGM_FI_DEV_GPU_TEMP", "61", ",hpc_job=\"4711\"")).board.processes,
            (std::vector<DeviceProcess>{{0, "", "job 4711", "", {}, {}}}));
}

TEST(Dcgm, ABoardShowsTheFirstOfManyPods) {
  std::string page;
  for (int number = 0; number < 1000; ++number) {
    page +=
        line("DCGM_FI_DEV_GPU_TEMP", "61", pod("ml", "train-" + std::to_string(number), "main"));
  }
  const Board board = only_board(page).board;
  EXPECT_EQ(board.processes.size(), device_processes_max);
  EXPECT_EQ(board.processes_left_out, 1000 - device_processes_max);
  EXPECT_EQ(board.processes[0].name, "ml/train-0/main");
}

}  // namespace
}  // namespace drover::agents::pages
