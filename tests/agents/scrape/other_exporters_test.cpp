// What other exporters than NVIDIA's say: GKE's device plugin, all-smi, AMD's exporter and
// nvidia_gpu_exporter. The names and labels are those of their sources.
#include <vector>

#include "tests/agents/scrape/pages.h"

namespace drover::agents::pages {
namespace {

constexpr const char* gke_page =
    "# HELP duty_cycle Percent of time when the TPU was actively processing\n"
    "# TYPE duty_cycle gauge\n"
    "duty_cycle{accelerator_id=\"4804027230473290011-1\",container=\"vllm\",make=\"cloud-tpu\","
    "model=\"tpu-v6e-slice\",namespace=\"web\",pod=\"chat-0\",tpu_topology=\"2x2\"} 42.5\n"
    "duty_cycle_node{accelerator_id=\"4804027230473290011-0\",make=\"cloud-tpu\","
    "model=\"tpu-v6e-slice\",tpu_topology=\"2x2\"} 0\n"
    "duty_cycle_node{accelerator_id=\"4804027230473290011-1\",make=\"cloud-tpu\","
    "model=\"tpu-v6e-slice\",tpu_topology=\"2x2\"} 42.5\n"
    "memory_bandwidth_utilization_node{accelerator_id=\"4804027230473290011-1\",make=\"cloud-tpu\","
    "model=\"tpu-v6e-slice\",tpu_topology=\"2x2\"} 17\n"
    "memory_total_node{accelerator_id=\"4804027230473290011-1\",make=\"cloud-tpu\","
    "model=\"tpu-v6e-slice\",tpu_topology=\"2x2\"} 3.3550303232e+10\n"
    "memory_used{accelerator_id=\"4804027230473290011-1\",container=\"vllm\",make=\"cloud-tpu\","
    "model=\"tpu-v6e-slice\",namespace=\"web\",pod=\"chat-0\",tpu_topology=\"2x2\"} "
    "1.2884901888e+10\n"
    "tensorcore_utilization{accelerator_id=\"4804027230473290011-1\",container=\"vllm\","
    "make=\"cloud-tpu\",model=\"tpu-v6e-slice\",namespace=\"web\",pod=\"chat-0\","
    "tpu_topology=\"2x2\"} 29\n"
    "go_goroutines 12\n"
    "memory_used 5\n";

TEST(GkeDevicePlugin, ReadsTpusAndWhoUsesThem) {
  const HostReadings readings = read(gke_page, "http://10.128.0.7:2112/metrics");
  ASSERT_EQ(readings.hosts.size(), 1U);
  EXPECT_EQ(readings.hosts[0].host, "10.128.0.7");
  ASSERT_EQ(readings.hosts[0].boards.size(), 2U);
  const BoardReading& idle = readings.hosts[0].boards[0];
  EXPECT_EQ(idle.index, 0);
  EXPECT_TRUE(idle.board.processes.empty());
  expect_values(idle, {{Metric::utilization, 0}});
  const BoardReading& busy = readings.hosts[0].boards[1];
  EXPECT_EQ(busy.identity, "4804027230473290011-1");
  EXPECT_EQ(busy.index, 1);
  EXPECT_EQ(busy.device_class, DeviceClass::tpu);
  EXPECT_EQ(busy.vendor, "google");
  EXPECT_EQ(busy.board.name, "tpu-v6e-slice");
  ASSERT_EQ(busy.board.processes.size(), 1U);
  EXPECT_EQ(busy.board.processes[0], (DeviceProcess{0, "", "web/chat-0/vllm", "web", {}, {}}));
  expect_values(busy, {{Metric::utilization, 0.425},
                       {Metric::tensor_activity, 0.29},
                       {Metric::memory_activity, 0.17},
                       {Metric::memory_used, 12884901888},
                       {Metric::memory_total, 33550303232}});
  for (const Metric metric : {Metric::power, Metric::temperature}) {
    EXPECT_EQ(why_missing(busy, metric), "Google publishes no power and no temperature of TPUs");
  }
  EXPECT_EQ(why_missing(busy, Metric::clock), "GKE's device plugin does not publish it");
}

TEST(GkeDevicePlugin, ReadsGpusToo) {
  const BoardReading reading = only_board(
      "duty_cycle_node{accelerator_id=\"GPU-7\",make=\"nvidia\",model=\"nvidia-l4\"} 50\n");
  EXPECT_EQ(reading.device_class, DeviceClass::gpu);
  EXPECT_EQ(reading.vendor, "nvidia");
  EXPECT_EQ(reading.board.uuid, "GPU-7");
  EXPECT_EQ(reading.index, std::nullopt);
  expect_values(reading, {{Metric::utilization, 0.5}});
}

// A page of its version 1.35.7, as facebookincubator/dynolog has it in a test.
TEST(GkeDevicePlugin, AChipHasTheNumberOfItsIdAlsoWhereOthersAreNotOnThePage) {
  const auto of = [](const std::string& name, int chip, const std::string& value,
                     const std::string& pod = "") {
    return fmt::format(
        "{}{{accelerator_id=\"1234567890123456789-{}\",make=\"cloud-tpu\",model=\"tpu7x\",{}"
        "tpu_topology=\"2x2x2\"}} {}\n",
        name, chip, pod, value);
  };
  const std::string pod = "namespace=\"test-namespace\",pod=\"test-workload-pod\",";
  const HostReadings readings =
      read(of("duty_cycle", 4, "75", pod) + of("duty_cycle_node", 0, "0") +
           of("memory_total", 4, "2.03465670656e+11", pod) +
           of("memory_bandwidth_utilization_node", 0, "42.5"));
  ASSERT_EQ(readings.hosts[0].boards.size(), 2U);
  EXPECT_EQ(readings.hosts[0].boards[0].index, 0);
  expect_values(readings.hosts[0].boards[0],
                {{Metric::utilization, 0}, {Metric::memory_activity, 0.425}});
  EXPECT_EQ(readings.hosts[0].boards[1].index, 4);
  EXPECT_EQ(readings.hosts[0].boards[1].board.processes.at(0).tenant, "test-namespace");
  expect_values(readings.hosts[0].boards[1],
                {{Metric::utilization, 0.75}, {Metric::memory_total, 203465670656}});
}

// Google Cloud's metrics kubernetes.io/{container,node}/accelerator/... in PromQL.
TEST(GkeDevicePlugin, ReadsGoogleCloudsNames) {
  const std::string chip = "{accelerator_id=\"43-1\",make=\"cloud-tpu\",model=\"tpu-v6e-slice\",";
  const HostReadings readings =
      read("kubernetes_io:container_accelerator_memory_used" + chip +
           "namespace_name=\"web\",pod_name=\"chat-0\",container_name=\"vllm\"} 1000\n"
           "kubernetes_io:node_accelerator_duty_cycle" +
           chip + "node_name=\"gke-tpu-1\"} 43\n");
  EXPECT_EQ(readings.hosts.at(0).host, "gke-tpu-1");
  const BoardReading reading = only_board(readings);
  expect_values(reading, {{Metric::utilization, 0.43}, {Metric::memory_used, 1000}});
  EXPECT_EQ(reading.board.processes,
            (std::vector<DeviceProcess>{{0, "", "web/chat-0/vllm", "web", {}, {}}}));
}

std::string all_smi(const std::string& name, const std::string& host, int index,
                    const std::string& value) {
  return fmt::format(
      "all_smi_{}{{gpu=\"NVIDIA H200\",instance=\"{}\",gpu_uuid=\"GPU-{}-{}\",gpu_index=\"{}\"}} "
      "{}\n",
      name, host, host, index, index, value);
}

TEST(AllSmi, ReadsManyHostsOfOnePage) {
  std::string page;
  for (const char* host : {"node-b", "node-a"}) {
    for (int index = 1; index >= 0; --index) {
      page += all_smi("gpu_temperature_celsius", host, index, std::to_string(50 + index));
    }
  }
  const HostReadings readings = read(page);
  ASSERT_EQ(readings.hosts.size(), 2U);
  EXPECT_EQ(readings.hosts[0].host, "node-b");
  EXPECT_EQ(readings.hosts[1].host, "node-a");
  for (const HostReading& host : readings.hosts) {
    ASSERT_EQ(host.boards.size(), 2U);
    for (std::uint16_t index = 0; index < 2; ++index) {
      EXPECT_EQ(host.boards[index].index, index);
      EXPECT_EQ(host.boards[index].values[Metric::temperature], 50 + index);
    }
  }
}

TEST(AllSmi, ReadsEveryMetricWithAPlace) {
  const auto of = [](const std::string& name, const std::string& value) {
    return all_smi(name, "node-7", 3, value);
  };
  const BoardReading reading = only_board(
      of("gpu_utilization", "25.5") + of("gpu_memory_used_bytes", "8589934592") +
      of("gpu_memory_total_bytes", "150754820096") + of("gpu_temperature_celsius", "65") +
      of("gpu_power_consumption_watts", "400.5") + of("gpu_frequency_mhz", "1980") +
      of("gpu_power_limit_current_watts", "700") + of("gpu_power_limit_max_watts", "701") +
      of("gpu_clock_graphics_max_mhz", "1981") + of("gpu_pcie_gen_current", "5") +
      of("gpu_pcie_width_current", "16") + of("gpu_temperature_threshold_slowdown_celsius", "87") +
      "all_smi_gpu_info{gpu=\"NVIDIA H200\",instance=\"node-7\",gpu_uuid=\"GPU-node-7-3\","
      "gpu_index=\"3\",type=\"GPU\",driver_version=\"580.65\",cuda_version=\"13.0\"} 1\n"
      "all_smi_process_memory_used_bytes{pid=\"1234\",name=\"python\",user=\"alice\","
      "device_id=\"3\",gpu_index=\"3\",device_uuid=\"GPU-node-7-3\",command=\"python a.py\"} 2e9\n"
      "all_smi_process_memory_used_bytes{pid=\"99\",name=\"vllm\",user=\"CORP\\\\bob\","
      "device_id=\"3\",gpu_index=\"3\",device_uuid=\"GPU-node-7-3\",command=\"vllm\"} 3e9\n");
  expect_values(reading, {{Metric::utilization, 0.255},
                          {Metric::memory_used, 8589934592},
                          {Metric::memory_total, 150754820096},
                          {Metric::temperature, 65},
                          {Metric::power, 400.5},
                          {Metric::power_cap, 700},
                          {Metric::clock, 1980},
                          {Metric::pcie_generation, 5},
                          {Metric::pcie_lanes, 16}});
  EXPECT_EQ(reading.board.name, "NVIDIA H200");
  EXPECT_EQ(reading.board.driver, "NVIDIA 580.65");
  EXPECT_EQ(reading.board.power_cap_max_w, 701);
  EXPECT_EQ(reading.board.clock_max_mhz, 1981);
  EXPECT_EQ(reading.board.slowdown_c, 87);
  EXPECT_EQ(reading.board.processes,
            (std::vector<DeviceProcess>{{99, "CORP\\bob", "vllm", "CORP-bob", 3e9, {}},
                                        {1234, "alice", "python", "alice", 2e9, {}}}));
}

TEST(AllSmi, ReadsMigInstancesAndTpus) {
  const std::string labels =
      "{gpu_index=\"0\",gpu_uuid=\"GPU-1\",gpu=\"NVIDIA A100\",instance=\"n\",host=\"n\","
      "mig_instance=\"0\",mig_uuid=\"MIG-x\",mig_profile=\"1g.5gb\",gpu_instance_id=\"7\","
      "compute_instance_id=\"\"} ";
  const BoardReading mig =
      only_board("all_smi_mig_instance_utilization_gpu" + labels + "75\n" +
                 "all_smi_mig_instance_memory_used_bytes" + labels + "1073741824\n" +
                 "all_smi_mig_instance_memory_total_bytes" + labels + "5368709120\n");
  ASSERT_EQ(mig.board.partitions.size(), 1U);
  EXPECT_EQ(mig.board.partitions[0],
            (DevicePartition{7, "1g.5gb", "MIG-x", 1073741824, 5368709120, 0.75}));
  expect_values(mig, {{Metric::memory_used, 1073741824}, {Metric::memory_total, 5368709120}});

  const std::string tpu = "{npu=\"Google TPU v6e\",instance=\"n\",uuid=\"tpu-0\",index=\"0\"} ";
  const BoardReading reading = only_board("all_smi_tpu_utilization_percent" + tpu + "42\n" +
                                          "all_smi_tpu_memory_used_bytes" + tpu + "1000\n" +
                                          "all_smi_tpu_memory_total_bytes" + tpu + "4000\n");
  EXPECT_EQ(reading.device_class, DeviceClass::tpu);
  EXPECT_EQ(reading.vendor, "google");
  EXPECT_EQ(reading.board.name, "Google TPU v6e");
  expect_values(
      reading,
      {{Metric::utilization, 0.42}, {Metric::memory_used, 1000}, {Metric::memory_total, 4000}});
}

// lablup/all-smi: src/api/metrics/hardware.rs, energy.rs and npu/tenstorrent.rs.
TEST(AllSmi, ReadsWhatNewerVersionsAdd) {
  const HostReadings readings =
      read(all_smi("gpu_memory_bandwidth_utilization", "n", 0, "0.42") +
           "all_smi_energy_consumed_joules_total{host=\"n\",scope=\"gpu\",gpu_index=\"0\","
           "gpu_uuid=\"GPU-n-0\"} 8.43e6\n"
           "all_smi_energy_consumed_joules_total{host=\"n\",scope=\"chassis\"} 6.13e7\n"
           "all_smi_tenstorrent_pcie_generation{npu=\"x\",instance=\"n\",npu_uuid=\"GPU-n-"
           "0\",npu_index=\"0\"} "
           "4\n"
           "all_smi_tenstorrent_pcie_width{npu=\"x\",instance=\"n\",npu_uuid=\"GPU-n-0\",npu_"
           "index=\"0\"} 16\n");
  EXPECT_EQ(readings.notes, std::vector<std::string>{});
  expect_values(only_board(readings), {{Metric::memory_activity, 0.42},
                                       {Metric::energy, 8.43e6},
                                       {Metric::pcie_generation, 4},
                                       {Metric::pcie_lanes, 16}});
}

TEST(AllSmi, ZeroOfASensorThatIsNotThereIsAbsent) {
  const BoardReading reading = only_board(all_smi("gpu_temperature_celsius", "n", 0, "0") +
                                          all_smi("gpu_frequency_mhz", "n", 0, "0") +
                                          all_smi("gpu_power_consumption_watts", "n", 0, "0") +
                                          all_smi("gpu_utilization", "n", 0, "0"));
  expect_values(reading, {{Metric::utilization, 0}});
}

std::string amd(const std::string& name, const std::string& value, const std::string& more = "") {
  return name +
         "{card_model=\"102-G30211-0C\",card_series=\"AMD Instinct MI300X "
         "OAM\",card_vendor=\"AMD\","
         "cluster_name=\"\",container=\"\",driver_version=\"6.12.12\","
         "gpu_compute_partition_type=\"spx\",gpu_id=\"2\",gpu_memory_partition_type=\"nps1\","
         "gpu_partition_id=\"0\",gpu_uuid=\"ccff74a1-0000-1000-80e0-c6d49f5b0d86\","
         "hostname=\"tw038\",namespace=\"\",pod=\"\",serial_number=\"692409005408\"" +
         more + "} " + value + "\n";
}

TEST(AmdExporter, ReadsEveryMetricWithAPlace) {
  const BoardReading reading = only_board(
      "# TYPE gpu_gfx_activity gauge\n" + amd("gpu_gfx_activity", "98") +
      amd("gpu_umc_activity", "41") + amd("gpu_prof_tensor_active_percent", "37") +
      amd("gpu_used_vram", "183265") + amd("gpu_total_vram", "196592") +
      amd("gpu_free_vram", "13327") + amd("gpu_package_power", "748") +
      amd("gpu_average_package_power", "0") + amd("gpu_edge_temperature", "0") +
      amd("gpu_junction_temperature", "76") + amd("gpu_memory_temperature", "58") +
      amd("gpu_energy_consumed", "1.4e17") +
      amd("gpu_clock", "1533", ",clock_index=\"0\",clock_type=\"GPU_CLOCK_TYPE_SYSTEM\"") +
      amd("gpu_clock", "2100", ",clock_index=\"1\",clock_type=\"GPU_CLOCK_TYPE_SYSTEM\"") +
      amd("gpu_clock", "132", ",clock_index=\"2\",clock_type=\"GPU_CLOCK_TYPE_SYSTEM\"") +
      amd("gpu_clock", "1292", ",clock_index=\"8\",clock_type=\"GPU_CLOCK_TYPE_MEMORY\"") +
      amd("gpu_clock", "29", ",clock_index=\"9\",clock_type=\"GPU_CLOCK_TYPE_VIDEO\"") +
      amd("gpu_ecc_correct_total", "3") + amd("gpu_ecc_uncorrect_total", "1") +
      amd("pcie_speed", "32") + amd("pcie_max_speed", "32"));
  expect_values(reading, {{Metric::utilization, 0.98},
                          {Metric::tensor_activity, 0.37},
                          {Metric::memory_activity, 0.41},
                          {Metric::memory_used, 183265 * mib},
                          {Metric::memory_total, 196592 * mib},
                          {Metric::power, 748},
                          {Metric::temperature, 76},
                          {Metric::memory_temperature, 58},
                          {Metric::energy, 1.4e11},
                          {Metric::clock, 2100},
                          {Metric::memory_clock, 1292},
                          {Metric::ecc_corrected, 3},
                          {Metric::ecc_uncorrected, 1},
                          {Metric::pcie_generation, 5}});
  EXPECT_EQ(reading.vendor, "amd");
  EXPECT_EQ(reading.index, 2);
  EXPECT_EQ(reading.identity, "ccff74a1-0000-1000-80e0-c6d49f5b0d86");
  EXPECT_EQ(reading.board.name, "AMD Instinct MI300X OAM");
  EXPECT_EQ(reading.board.driver, "amdgpu 6.12.12");
  EXPECT_EQ(reading.board.pcie_generation_max, 5);
  EXPECT_TRUE(reading.board.processes.empty());
}

TEST(AmdExporter, NamesMayBeUpperCaseOrHaveAPrefix) {
  expect_values(only_board(amd("GPU_GFX_ACTIVITY", "98") + amd("amd_gpu_power_usage", "700") +
                           amd("gpu_clock", "1500", ",clock_type=\"system\"") +
                           amd("gpu_clock", "1300", ",clock_type=\"memory\"")),
                {{Metric::utilization, 0.98},
                 {Metric::power, 700},
                 {Metric::clock, 1500},
                 {Metric::memory_clock, 1300}});
}

TEST(AmdExporter, PartitionsOfABoardAreDevices) {
  std::string page;
  for (int part = 0; part < 8; ++part) {
    page += fmt::format(
        "gpu_used_vram{{gpu_id=\"{0}\",gpu_partition_id=\"{0}\",gpu_uuid=\"cc-1\","
        "serial_number=\"69\",hostname=\"tw\"}} {1}\n",
        part, 100 + part);
  }
  const HostReadings readings = read(page);
  ASSERT_EQ(readings.hosts.size(), 1U);
  ASSERT_EQ(readings.hosts[0].boards.size(), 8U);
  EXPECT_EQ(readings.hosts[0].boards[0].identity, "cc-1");
  EXPECT_EQ(readings.hosts[0].boards[7].identity, "cc-1/7");
  EXPECT_EQ(readings.hosts[0].boards[7].values[Metric::memory_used], 107 * mib);
}

// ROCm/device-metrics-exporter, issue 259 and docs/integrations/slurm-integration.md.
TEST(AmdExporter, ABoardWithoutPartitionsIsTheWholeBoard) {
  const std::string page = amd("gpu_used_vram", "26");
  const std::string part = "gpu_partition_id=\"0\"";
  std::string without = page;
  without.replace(page.find(part), part.size(), "gpu_partition_id=\"NA\"");
  EXPECT_EQ(only_board(without).identity, only_board(page).identity);
}

TEST(AmdExporter, TheUserOfASlurmJobIsATenant) {
  const std::string job = ",job_id=\"4711\",job_partition=\"gpu\",job_user=\"alice\"";
  EXPECT_EQ(only_board(amd("gpu_used_vram", "26", job)).board.processes,
            (std::vector<DeviceProcess>{{0, "alice", "job 4711", "alice", {}, {}}}));
  EXPECT_TRUE(
      only_board(amd("gpu_used_vram", "26", ",job_id=\"\",job_user=\"\"")).board.processes.empty());
}

TEST(AmdExporter, WithoutAUuidTheIndexIsTheIdentity) {
  const BoardReading reading = only_board(
      "gpu_power_usage{gpu_id=\"4\",card_model=\"102\",serial_number=\"69\",hostname=\"tw\"} 90\n");
  EXPECT_EQ(reading.identity, "gpu 4");
  EXPECT_EQ(reading.board.uuid, "69");
  EXPECT_EQ(reading.board.name, "102");
}

TEST(NvidiaGpuExporter, ReadsEveryMetricWithAPlace) {
  const auto of = [](const std::string& name, const std::string& value) {
    return "nvidia_smi_" + name + "{uuid=\"df6e7a7c-7314\"} " + value + "\n";
  };
  const BoardReading reading = only_board(
      of("utilization_gpu_ratio", "0.42") + of("utilization_memory_ratio", "0.11") +
      of("memory_used_bytes", "7.06740224e+08") + of("memory_total_bytes", "8.589934592e+09") +
      of("power_draw_watts", "28.07") + of("enforced_power_limit_watts", "250") +
      of("power_min_limit_watts", "105") + of("power_max_limit_watts", "350") +
      of("power_default_limit_watts", "251") + of("temperature_gpu", "34") +
      of("clocks_current_sm_clock_hz", "6e+06") + of("clocks_current_memory_clock_hz", "1.6e+07") +
      of("clocks_max_sm_clock_hz", "2.28e+09") + of("clocks_event_reasons_active", "4") +
      of("energy_joules_total", "1234.5") + of("pcie_throughput_tx_bytes_per_second", "1000") +
      of("pcie_throughput_rx_bytes_per_second", "2000") + of("pcie_link_gen_current", "3") +
      of("pcie_link_width_current", "8") + of("pcie_link_gen_max", "3") +
      of("pcie_link_width_max", "16") + of("fan_speed_ratio", "0.38") +
      of("ecc_errors_corrected_volatile_total", "3") +
      of("ecc_errors_uncorrected_volatile_total", "1") +
      of("clocks_event_reasons_counters_sw_power_cap_seconds", "12.5") +
      "nvidia_smi_gpu_info{uuid=\"df6e7a7c-7314\",name=\"NVIDIA GeForce RTX 2080 SUPER\","
      "driver_version=\"471.11\",pci_bus_id=\"00000000:71:00.0\",index=\"1\"} 1\n"
      "nvidia_smi_compute_app_used_memory_bytes{pid=\"10291\",process_name=\"/root/memhog\","
      "uuid=\"df6e7a7c-7314\"} 2.690646016e+09\n");
  expect_values(reading, {{Metric::utilization, 0.42},
                          {Metric::memory_activity, 0.11},
                          {Metric::memory_used, 706740224},
                          {Metric::memory_total, 8589934592},
                          {Metric::power, 28.07},
                          {Metric::power_cap, 250},
                          {Metric::temperature, 34},
                          {Metric::clock, 6},
                          {Metric::memory_clock, 16},
                          {Metric::throttle, throttle_sw_power_cap},
                          {Metric::energy, 1234.5},
                          {Metric::power_violation, 12.5},
                          {Metric::ecc_corrected, 3},
                          {Metric::ecc_uncorrected, 1},
                          {Metric::pcie_sent, 1000},
                          {Metric::pcie_received, 2000},
                          {Metric::pcie_generation, 3},
                          {Metric::pcie_lanes, 8},
                          {Metric::fan, 0.38}});
  EXPECT_EQ(reading.index, 1);
  EXPECT_EQ(reading.board.name, "NVIDIA GeForce RTX 2080 SUPER");
  EXPECT_EQ(reading.board.driver, "NVIDIA 471.11");
  EXPECT_EQ(reading.board.bus, "0000:71:00.0");
  EXPECT_EQ(reading.board.power_cap_min_w, 105);
  EXPECT_EQ(reading.board.power_cap_max_w, 350);
  EXPECT_EQ(reading.board.power_cap_default_w, 251);
  EXPECT_EQ(reading.board.clock_max_mhz, 2280);
  EXPECT_EQ(reading.board.pcie_lanes_max, 16);
  EXPECT_EQ(reading.board.processes,
            (std::vector<DeviceProcess>{{10291, "", "/root/memhog", "", 2690646016., {}}}));
}

// Versions before the label "index", as in utkuozdemir/nvidia_gpu_exporter's _test.go files.
TEST(NvidiaGpuExporter, ItsIndexMayBeASeries) {
  const HostReadings readings = read(
      "nvidia_smi_temperature_gpu{uuid=\"b\"} 40\n"
      "nvidia_smi_temperature_gpu{uuid=\"a\"} 50\n"
      "nvidia_smi_index{uuid=\"b\"} 1\n"
      "nvidia_smi_index{uuid=\"a\"} 0\n");
  ASSERT_EQ(readings.hosts.at(0).boards.size(), 2U);
  for (std::uint16_t index = 0; index < 2; ++index) {
    EXPECT_EQ(readings.hosts[0].boards[index].index, index);
    EXPECT_EQ(readings.hosts[0].boards[index].board.uuid, index == 0 ? "a" : "b");
  }
}

}  // namespace
}  // namespace drover::agents::pages
