// amdgpu's binary tables. The places of their fields are written here as in the kernel's structs:
// field after field, with the sizes of kgd_pp_interface.h.
#include "agents/drivers/gpu_metrics.h"

#include <gtest/gtest.h>

#include "fleet/sample/sample.h"
#include "tests/agents/drivers/gpu_metrics_tables.h"

namespace drover::agents {
namespace {

std::string refusal_of(std::string_view bytes) {
  const auto parsed = parse_gpu_metrics(bytes);
  return parsed ? "" : parsed.error().message;
}

TEST(GpuMetrics, OfRevision13AreReadAsARadeonAndAnMi250XWriteThem) {
  const auto metrics = parse_gpu_metrics(table_1_3({.hottest = 71,
                                                    .memory = 64,
                                                    .power = 410,
                                                    .energy = 6'553'600,
                                                    .lanes = 16,
                                                    .tenths_of_gt_s = 160,
                                                    .status = std::uint64_t{1} << 36}));
  ASSERT_TRUE(metrics);
  EXPECT_EQ(metrics->content_revision, 3);
  EXPECT_EQ(metrics->temperature_c, 71);
  EXPECT_EQ(metrics->memory_temperature_c, 64);
  EXPECT_EQ(metrics->energy, 6'553'600u);
  EXPECT_EQ(metrics->pcie_lanes, 16);
  EXPECT_DOUBLE_EQ(*metrics->pcie_gt_s, 16);
  EXPECT_EQ(metrics->throttle_status, std::uint64_t{1} << 36);
  EXPECT_FALSE(metrics->throttle_ticks);
  EXPECT_FALSE(metrics->link_read_bytes);
}

TEST(GpuMetrics, OfRevision17AreReadAsAnMi300XWritesThem) {
  const auto metrics = parse_gpu_metrics(table_1_7({.hottest = 55,
                                                    .memory = 48,
                                                    .power = 745,
                                                    .energy = 65'536,
                                                    .ticks = {100, 1, 20, 3, 4, 5},
                                                    .lanes = 16,
                                                    .tenths_of_gt_s = 320,
                                                    .read_kb = 7,
                                                    .written_kb = 9}));
  ASSERT_TRUE(metrics);
  EXPECT_EQ(metrics->content_revision, 7);
  EXPECT_EQ(metrics->temperature_c, 55);
  EXPECT_EQ(metrics->memory_temperature_c, 48);
  EXPECT_EQ(metrics->energy, 65'536u);
  EXPECT_DOUBLE_EQ(*metrics->pcie_gt_s, 32);
  EXPECT_EQ(metrics->link_read_bytes, 8 * 7 * 1024) << "eight links";
  EXPECT_EQ(metrics->link_written_bytes, 8 * 9 * 1024);
  ASSERT_TRUE(metrics->throttle_ticks);
  EXPECT_EQ(metrics->throttle_ticks->ticks, 100u);
  EXPECT_EQ(metrics->throttle_ticks->external, 1u);
  EXPECT_EQ(metrics->throttle_ticks->power, 20u);
  EXPECT_EQ(metrics->throttle_ticks->chip, 3u);
  EXPECT_EQ(metrics->throttle_ticks->regulator, 4u);
  EXPECT_EQ(metrics->throttle_ticks->memory, 5u);
  EXPECT_FALSE(metrics->throttle_status);
}

TEST(GpuMetrics, HaveNoValuesWhereTheFirmwareFillsInNothing) {
  std::string bytes(2208, '\xff');
  bytes.replace(0, 4, std::string("\xa0\x08\x01\x07", 4));  // 2208, 1.7
  const auto metrics = parse_gpu_metrics(bytes);
  ASSERT_TRUE(metrics);
  EXPECT_FALSE(metrics->energy);
  EXPECT_FALSE(metrics->temperature_c);
  EXPECT_FALSE(metrics->pcie_lanes);
  EXPECT_FALSE(metrics->pcie_gt_s);
  EXPECT_FALSE(metrics->throttle_ticks);
  EXPECT_FALSE(metrics->link_read_bytes);
}

TEST(GpuMetrics, OfOtherRevisionsAndSizesAreNotRead) {
  EXPECT_EQ(refusal_of(""), "gpu_metrics has 0 bytes");
  EXPECT_EQ(refusal_of(table(152, 2, 3)), "gpu_metrics has revision 2.3; 1.1 to 1.8 are known");
  EXPECT_EQ(refusal_of(table(264, 3, 0)), "gpu_metrics has revision 3.0; 1.1 to 1.8 are known");
  EXPECT_EQ(refusal_of(table(1000, 1, 9)), "gpu_metrics has revision 1.9; 1.1 to 1.8 are known");
  EXPECT_EQ(refusal_of(table(120, 1, 3).substr(0, 100)),
            "gpu_metrics of revision 1.3 has 100 bytes and says 120; expected: 120");
  // An early 1.6 had other fields in other places.
  EXPECT_EQ(refusal_of(table(368, 1, 6)),
            "gpu_metrics of revision 1.6 has 368 bytes and says 368; expected: 1664");
  for (const std::size_t size : {3360, 3872}) EXPECT_EQ(refusal_of(table(size, 1, 8)), "") << size;
}

TEST(GpuMetrics, EveryTruncationIsRefused) {
  const std::string bytes = table_1_7({});
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(parse_gpu_metrics(bytes.substr(0, size))) << size;
}

TEST(GpuMetrics, StatusBitsBecomeReasonsOnlyWhereTheyMeanTheSame) {
  const auto bit = [](int number) { return throttle_of_status(std::uint64_t{1} << number); };
  EXPECT_EQ(throttle_of_status(0), 0u);
  for (const int power : {0, 3, 7}) EXPECT_EQ(bit(power), throttle_sw_power_cap) << power;
  for (const int current : {16, 18, 22, 23}) EXPECT_EQ(bit(current), 0u) << current;
  for (const int hot : {32, 36, 43}) EXPECT_EQ(bit(hot), throttle_sw_thermal_slowdown) << hot;
  for (const int alarm : {44, 45, 46, 47})
    EXPECT_EQ(bit(alarm), throttle_hw_thermal_slowdown) << alarm;
  for (const int other : {56, 57, 63}) EXPECT_EQ(bit(other), 0u) << other;
}

}  // namespace
}  // namespace drover::agents
