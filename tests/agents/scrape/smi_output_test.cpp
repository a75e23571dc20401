// What nvidia-smi and amd-smi print, in the forms that they have: every column with a place, the
// texts that stand for "not known", and what they say instead of readings.
#include "agents/scrape/smi_output.h"

#include "tests/agents/scrape/pages.h"

namespace drover::agents::pages {
namespace {

/// The output of the whole query for one board, and then these lines.
std::string nvidia(const std::vector<std::string>& rows) {
  std::string output =
      "index, uuid, name, driver_version, pci.bus_id, utilization.gpu [%], utilization.memory [%], "
      "memory.used [MiB], memory.total [MiB], power.draw [W], enforced.power.limit [W], "
      "power.min_limit [W], power.max_limit [W], power.default_limit [W], temperature.gpu, "
      "temperature.memory, clocks.current.sm [MHz], clocks.current.memory [MHz], "
      "clocks.max.sm [MHz], fan.speed [%], pcie.link.gen.current, pcie.link.width.current, "
      "pcie.link.gen.max, pcie.link.width.max, ecc.errors.corrected.volatile.total, "
      "ecc.errors.uncorrected.volatile.total, clocks_throttle_reasons.active\n";
  for (const std::string& row : rows) output += row + "\n";
  return output;
}

const std::string h100 =
    "3, GPU-6f0e3c2a-1111-2222-3333-444455556666, NVIDIA H100 80GB HBM3, 580.105.08, "
    "00000000:5D:00.0, 97, 29, 71000, 81559, 698.41, 700.00, 200.00, 700.00, 700.00, 61, 72, "
    "1980, 2619, 1980, [N/A], 5, 16, 5, 16, 12, 1, 0x0000000000000024";
const std::string rtx =
    "0, GPU-0a, NVIDIA GeForce RTX 3090, 535.183.01, 00000000:01:00.0, 0, [Not Supported], 1, "
    "24576, 23.49, [Not Supported], 100.00, 366.00, 350.00, 35, N/A, 210, 405, 2100, 0, 1, "
    "16, 4, 16, [N/A], [N/A], 0x0000000000000001";

TEST(NvidiaSmi, EveryColumnIsRead) {
  const auto host = read_nvidia_smi(nvidia({h100}));
  ASSERT_TRUE(host) << host.error().message;
  ASSERT_EQ(host->boards.size(), 1u);
  const BoardReading& reading = host->boards[0];
  expect_values(reading, {{Metric::utilization, 0.97},
                          {Metric::memory_activity, 0.29},
                          {Metric::memory_used, 71000 * mib},
                          {Metric::memory_total, 81559 * mib},
                          {Metric::power, 698.41},
                          {Metric::power_cap, 700},
                          {Metric::temperature, 61},
                          {Metric::clock, 1980},
                          {Metric::throttle, throttle_sw_power_cap | throttle_sw_thermal_slowdown},
                          {Metric::memory_temperature, 72},
                          {Metric::memory_clock, 2619},
                          {Metric::pcie_generation, 5},
                          {Metric::pcie_lanes, 16},
                          {Metric::ecc_corrected, 12},
                          {Metric::ecc_uncorrected, 1}});
  EXPECT_EQ(reading.identity, "GPU-6f0e3c2a-1111-2222-3333-444455556666");
  EXPECT_EQ(reading.index, 3);
  EXPECT_EQ(reading.vendor, "nvidia");
  EXPECT_EQ(reading.board.name, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(reading.board.bus, "0000:5d:00.0");
  EXPECT_EQ(reading.board.driver, "NVIDIA 580.105.08");
  EXPECT_EQ(reading.board.power_cap_max_w, 700);
  EXPECT_EQ(reading.board.pcie_lanes_max, 16);
  EXPECT_EQ(reading.board.clock_max_mhz, 1980);
  EXPECT_EQ(why_missing(reading, Metric::fan), "nvidia-smi reports [N/A]");
  EXPECT_EQ(why_missing(reading, Metric::energy), "nvidia-smi does not report it");
}

TEST(NvidiaSmi, WhatABoardDoesNotSupportIsAbsentAndNeverZero) {
  const auto host = read_nvidia_smi(nvidia({rtx, h100}));
  ASSERT_TRUE(host);
  ASSERT_EQ(host->boards.size(), 2u);
  const BoardReading& reading = host->boards[0];
  EXPECT_EQ(reading.values[Metric::utilization], 0);
  for (const Metric metric : {Metric::memory_activity, Metric::power_cap, Metric::ecc_corrected,
                              Metric::memory_temperature}) {
    EXPECT_TRUE(std::isnan(reading.values[metric])) << static_cast<int>(metric);
    EXPECT_NE(why_missing(reading, metric), "") << static_cast<int>(metric);
  }
  EXPECT_EQ(why_missing(reading, Metric::power_cap), "nvidia-smi reports [Not Supported]");
}

TEST(NvidiaSmi, ColumnsMayBeMissingAndABoardMayBeLost) {
  const auto host = read_nvidia_smi(
      "index, uuid, name, temperature.gpu\r\n0, GPU-0, NVIDIA L4, 44\r\n"
      "1, GPU-1, NVIDIA L4, [GPU is lost]\r\n");
  ASSERT_TRUE(host);
  ASSERT_EQ(host->boards.size(), 2u);
  EXPECT_EQ(host->boards[0].values[Metric::temperature], 44);
  EXPECT_EQ(why_missing(host->boards[0], Metric::power),
            "this version of nvidia-smi has no power.draw");
  EXPECT_EQ(host->boards[0].lost, "");
  EXPECT_EQ(host->boards[1].lost, "GPU is lost");
}

TEST(NvidiaSmi, WhatItSaysInsteadIsTheError) {
  const auto said = [](const std::string& output) {
    const auto host = read_nvidia_smi(output);
    return host ? "a reading" : host.error().message;
  };
  EXPECT_EQ(said("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"),
            "nvidia-smi: NVIDIA-SMI has failed because it couldn't communicate with the "
            "NVIDIA driver.");
  EXPECT_EQ(said("No devices were found\n"), "nvidia-smi: No devices were found");
  EXPECT_EQ(said("\x1b[2Jindex\n"), "nvidia-smi: ^[[2Jindex");
  EXPECT_EQ(said(""), "nvidia-smi lists no GPU");
  EXPECT_EQ(said(nvidia({})), "nvidia-smi lists no GPU");
  EXPECT_EQ(said(nvidia({"0, GPU-0, too, few"})), "nvidia-smi: 0, GPU-0, too, few");
}

TEST(NvidiaSmi, NumbersThatCannotBeAreAbsent) {
  for (const char* odd : {"-5", "nan", "inf", "0x", "1e999", "12abc", ""}) {
    const auto host =
        read_nvidia_smi(fmt::format("index, temperature.gpu, power.draw [W]\n0, {}, 3\n", odd));
    ASSERT_TRUE(host) << odd;
    EXPECT_TRUE(std::isnan(host->boards[0].values[Metric::temperature])) << odd;
    EXPECT_EQ(host->boards[0].values[Metric::power], 3) << odd;
  }
}

TEST(NvidiaSmi, TheQueryNamesTheColumnsThatAreRead) {
  const std::string query = nvidia_smi_query();
  EXPECT_TRUE(query.starts_with("index,uuid,name,driver_version,pci.bus_id,utilization.gpu,"))
      << query;
  EXPECT_EQ(query.find(' '), std::string::npos);
}

constexpr const char* mi300x_static = R"([{"gpu": 0,
  "asic": {"market_name": "AMD Instinct MI300X", "vendor_id": "0x1002"},
  "bus": {"bdf": "0000:05:00.0", "max_pcie_width": 16, "max_pcie_speed": {"value": 32, "unit": "GT/s"}},
  "driver": {"name": "amdgpu", "version": "6.10.5"},
  "vram": {"type": "HBM", "size": {"value": 196592, "unit": "MB"}},
  "limit": {"max_power": {"value": 750, "unit": "W"}, "min_power": {"value": 0, "unit": "W"},
            "socket_power": {"value": 700, "unit": "W"}}}])";

constexpr const char* mi300x_metric = R"([{"gpu": 0,
  "usage": {"gfx_activity": {"value": 87, "unit": "%"}, "umc_activity": {"value": 41, "unit": "%"},
            "mm_activity": "N/A", "vcn_activity": [{"value": 0, "unit": "%"}, "N/A"]},
  "power": {"socket_power": {"value": 542, "unit": "W"}, "gfx_voltage": "N/A"},
  "clock": {"gfx_0": {"clk": {"value": 1820, "unit": "MHz"}, "min_clk": {"value": 500, "unit": "MHz"},
                      "max_clk": {"value": 2100, "unit": "MHz"}},
            "gfx_1": {"clk": {"value": 2095, "unit": "MHz"}, "max_clk": {"value": 2100, "unit": "MHz"}},
            "mem_0": {"clk": {"value": 900, "unit": "MHz"}, "max_clk": {"value": 1300, "unit": "MHz"}}},
  "temperature": {"edge": "N/A", "hotspot": {"value": 71, "unit": "C"}, "mem": {"value": 52, "unit": "C"}},
  "pcie": {"width": 16, "speed": {"value": 32, "unit": "GT/s"}},
  "ecc": {"total_correctable_count": 4, "total_uncorrectable_count": 0},
  "fan": {"speed": "N/A", "usage": "N/A"},
  "energy": {"total_energy_consumption": {"value": 83456.5, "unit": "J"}},
  "mem_usage": {"total_vram": {"value": 196592, "unit": "MB"}, "used_vram": {"value": 121344, "unit": "MB"}}}])";

TEST(AmdSmi, EveryValueIsRead) {
  // ROCm 7 has the list in an object; warnings stand before it.
  const std::string wrapped =
      std::string("WARNING: User is missing the following groups: render\n") +
      "{\"gpu_data\": " + mi300x_metric + "}";
  for (const std::string& metrics : {std::string(mi300x_metric), wrapped}) {
    const auto host = read_amd_smi(mi300x_static, metrics);
    ASSERT_TRUE(host) << host.error().message;
    ASSERT_EQ(host->boards.size(), 1u);
    const BoardReading& reading = host->boards[0];
    expect_values(reading, {{Metric::utilization, 0.87},
                            {Metric::memory_activity, 0.41},
                            {Metric::memory_used, 121344 * mib},
                            {Metric::memory_total, 196592 * mib},
                            {Metric::power, 542},
                            {Metric::power_cap, 700},
                            {Metric::temperature, 71},
                            {Metric::clock, 2095},
                            {Metric::energy, 83456.5},
                            {Metric::memory_temperature, 52},
                            {Metric::memory_clock, 900},
                            {Metric::pcie_generation, 5},
                            {Metric::pcie_lanes, 16},
                            {Metric::ecc_corrected, 4},
                            {Metric::ecc_uncorrected, 0}});
    EXPECT_EQ(reading.identity, "0000:05:00.0");
    EXPECT_EQ(reading.vendor, "amd");
    EXPECT_EQ(reading.board.name, "AMD Instinct MI300X");
    EXPECT_EQ(reading.board.driver, "amdgpu 6.10.5");
    EXPECT_EQ(reading.board.clock_max_mhz, 2100);
    EXPECT_EQ(reading.board.power_cap_max_w, 750);
    EXPECT_EQ(reading.board.pcie_generation_max, 5);
    EXPECT_EQ(why_missing(reading, Metric::fan), "amd-smi does not report it");
  }
}

TEST(AmdSmi, NewerLimitsAndMissingStaticsAreRead) {
  const std::string metrics = R"({"gpu_data": [{"gpu": 2, "usage": "N/A", "power": "N/A",
    "mem_usage": "N/A", "temperature": {"edge": {"value": null}}}]})";
  const auto host = read_amd_smi(R"({"gpu_data": [{"gpu": 2, "limit": {"ppt0": {
    "socket_power_limit": {"value": 1400, "unit": "W"},
    "max_power_limit": {"value": 1400, "unit": "W"}}, "ppt1": {"socket_power_limit": "N/A"}}}]})",
                                 metrics);
  ASSERT_TRUE(host);
  EXPECT_EQ(host->boards[0].values[Metric::power_cap], 1400);
  expect_values(host->boards[0], {{Metric::power_cap, 1400}});
  const auto alone = read_amd_smi("", metrics);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->boards[0].identity, "gpu 2");
}

TEST(AmdSmi, WhatItSaysInsteadIsTheError) {
  const auto said = [](const std::string& output) {
    const auto host = read_amd_smi("", output);
    return host ? "a reading" : host.error().message;
  };
  EXPECT_EQ(said("ERROR: AMDGPU driver not loaded\n"), "amd-smi: ERROR: AMDGPU driver not loaded");
  EXPECT_EQ(said(""), "amd-smi printed nothing");
  EXPECT_EQ(said("[]"), "amd-smi lists no GPU");
  EXPECT_EQ(said("{\"other\": 1}"), "amd-smi printed JSON without a list of GPUs");
  EXPECT_NE(said("[{\"gpu\": ").find("amd-smi printed invalid JSON"), std::string::npos);
  // Values of other types than expected are absent.
  EXPECT_EQ(said("[1, \"x\", null, {\"gpu\": [], \"usage\": [], \"clock\": 7, \"pcie\": \"\"}]"),
            "a reading");
}

}  // namespace
}  // namespace drover::agents::pages
