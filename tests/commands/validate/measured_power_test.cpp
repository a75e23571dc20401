// Rows of the tables of power as questions to the models.
#include <gtest/gtest.h>

#include "commands/validate/measured.h"

namespace drover::commands {
namespace {

using devices::CaseColumn;

CsvTable power_table(const std::string& text) {
  Result<CsvTable> parsed = CsvTable::parse(text, "table.csv");
  EXPECT_TRUE(parsed);
  return *parsed;
}

const std::string energy_columns =
    "device,n_devices,model,workload,precision,batch_or_concurrency,avg_power_w,power_scope,"
    "throughput,throughput_unit,latency,latency_unit,notes,source\n";

TEST(MeasuredPower, ServingIsEvaluatedAtItsMeanBatchPerBoard) {
  const MeasuredTable read = measured_power(power_table(
      energy_columns +
      "H100-SXM5-80GB,2,Qwen/Qwen3-32B (32B total),\"LLM serving, task lm-arena-chat; TP2 EP1 "
      "DP1\",bfloat16,max_num_seqs=64 avg_batch=63.86,974.14,\"sum of GPU boards (NVML), steady "
      "state\",2660,output tokens/s (total),22,ms median inter-token,avg output len 635; "
      "vLLM,github ml-energy/leaderboard:x.json\n"));
  ASSERT_EQ(read.measurements.size(), 1u);
  const Measurement& row = read.measurements.front();
  EXPECT_EQ(row.answer, "avg_power_w");
  EXPECT_DOUBLE_EQ(row.value, 487.07);
  EXPECT_EQ(row.measure_class, MeasureClass::power);
  EXPECT_EQ(row.source, "ml-energy/leaderboard");
  EXPECT_EQ(row.row[CaseColumn::kind], "decode") << "the step whose time stands beside it";
  EXPECT_EQ(row.row[CaseColumn::batch], "63.86");
  EXPECT_EQ(row.row[CaseColumn::tp], "2");
}

TEST(MeasuredPower, WholeNodesAndIdleBoardsAreSkipped) {
  const MeasuredTable read = measured_power(power_table(
      energy_columns +
      "A30,3,RNN-T,MLPerf Inference v2.1 Offline,fp16,,927,whole system at the wall (3 "
      "accelerators + host),1,samples/s,,,x,github mlcommons/inference_results_v2.1:y\n"
      "H100-SXM5-80GB,1,(idle),\"bare idle, no context\",,,71.8,GPU board (NVML),,,,,x,paper\n"));
  EXPECT_TRUE(read.measurements.empty());
  ASSERT_EQ(read.skipped.size(), 2u);
  EXPECT_EQ(read.skipped[1].line, 3u);
}

const std::string capping_columns =
    "device,n_devices,model,dataset,batch_size,optimizer,precision,power_limit_w,avg_power_w,"
    "power_scope,time_s,throughput,throughput_unit,notes,source\n";

TEST(MeasuredCapping, EachLimitIsComparedWithTheHighestOfItsJob) {
  const std::string job = "V100 (board max limit 250 W),1,resnet50,imagenet,128,adadelta,fp32,";
  const std::string rest = ",,,,github ml-energy/zeus:trace.csv\n";
  const MeasuredTable read =
      measured_capping(power_table(capping_columns + job + "100,99.5,GPU board (NVML),6824.4" +
                                   rest + job + "250,222.4,GPU board (NVML),3603.6" + rest));
  // Power of both, and the rate of the capped one.
  ASSERT_EQ(read.measurements.size(), 3u);
  const Measurement& capped = read.measurements[1];
  EXPECT_EQ(capped.measure_class, MeasureClass::capped);
  EXPECT_EQ(capped.answer, "time_ms");
  EXPECT_EQ(capped.uncapped_line, 3u);
  EXPECT_NEAR(capped.uncapped_value / capped.value, 0.528, 0.001);
  EXPECT_EQ(capped.row[CaseColumn::power_limit_w], "100");
  EXPECT_EQ(capped.row[CaseColumn::global_batch], "128");
  EXPECT_EQ(read.measurements[0].measure_class, MeasureClass::power);
}

TEST(MeasuredCapping, ACappedSubmissionIsMatchedWithItsUncappedCounterpart) {
  const std::string start =
      "H200-SXM-141GB,8,BERT-large SQuAD (99%),MLPerf Inference v4.1 Offline,,,int8,";
  const MeasuredTable read = measured_capping(
      power_table(capping_columns + start +
                  "400,5528,whole system at the wall,,54063,samples/s (total),NVIDIA "
                  "H200-SXM-141GBx8_TRT_MaxQ; limit from submission config,github "
                  "mlcommons/inference_results_v4.1:a\n" +
                  start +
                  "700,,not measured,,73309,samples/s (total),\"uncapped companion of the MaxQ row "
                  "(H200-SXM-141GBx8_TRT, default board limit assumed 700 W)\",github "
                  "mlcommons/inference_results_v4.1:b\n"));
  ASSERT_EQ(read.measurements.size(), 2u);
  EXPECT_EQ(read.measurements[0].uncapped_line, 3u);
  EXPECT_NEAR(read.measurements[0].value / read.measurements[0].uncapped_value, 0.737, 0.001);
}

}  // namespace
}  // namespace drover::commands
