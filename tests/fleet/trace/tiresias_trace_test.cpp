#include <gtest/gtest.h>

#include "tests/fleet/trace/read_trace.h"

namespace drover {
namespace {

constexpr const char* tiresias_header =
    "job_id,num_gpu,submit_time,iterations,model_name,duration,interval";

TraceReaderOptions tiresias_reading(const std::string& model = "") {
  return reading_of(TraceFormat::tiresias, "t.csv", model);
}

TEST(TiresiasTrace, RowBecomesATrainingJob) {
  const ReadTrace rows =
      read_lines(tiresias_reading(),
                 {tiresias_header, "0,1,30,822,bert-large,126,30", "1,4,32.5,200,ResNet50,40,1"});
  ASSERT_EQ(rows.jobs.size(), 2U);
  EXPECT_EQ(rows.jobs[0].job.work.model, "bert-large");
  EXPECT_EQ(rows.jobs[1].arrival, std::chrono::milliseconds{2500});
  const Workload& work = rows.jobs[1].job.work;
  EXPECT_EQ(work.kind, WorkKind::train);
  EXPECT_EQ(work.model, "resnet-50");
  EXPECT_EQ(work.steps, 200U);
  EXPECT_EQ(work.devices, 4U);
  EXPECT_EQ(work.batch, 32U);
  EXPECT_TRUE(work.throughputs.empty());
}

TEST(TiresiasTrace, DurationBecomesAThroughputWhereTheDeviceIsKnown) {
  TraceReaderOptions measured = tiresias_reading();
  measured.measured_on = "p100-pcie";
  const ReadTrace rows = read_lines(
      std::move(measured), {tiresias_header, "0,4,0,200,ResNet50,40,1", "0,4,0,200,ResNet50,0,1"});
  ASSERT_EQ(rows.jobs.size(), 1U);
  EXPECT_EQ(rows.jobs[0].job.work.throughputs,
            (std::vector<MeasuredThroughput>{{"p100-pcie", 4, 5}}));
  EXPECT_EQ(rows.problems,
            std::vector<std::string>{"t.csv:3: duration: found \"0\", expected more than 0 s"});
}

TEST(TiresiasTrace, OnlyColumnsThatAreReadAreNeeded) {
  const ReadTrace rows =
      read_lines(tiresias_reading("bert-large"), {"iterations,submit_time,num_gpu", "5,0,1"});
  ASSERT_EQ(rows.jobs.size(), 1U);
  EXPECT_EQ(rows.jobs[0].job.work.model, "bert-large");
  EXPECT_EQ(read_lines(tiresias_reading(), {"iterations,submit_time,num_gpu"}).problems,
            std::vector<std::string>{
                "t.csv:1: header: found no column model_name in \"iterations,submit_time,num_gpu\","
                " expected one each of num_gpu, submit_time, iterations, model_name"});
}

TEST(TiresiasTrace, BadFieldIsNamedWithFileLineAndColumn) {
  const struct {
    std::string row, expected;
  } cases[] = {
      {"0,0,0,5,ResNet50,1,1", "t.csv:2: num_gpu: found \"0\", expected a whole number 1..4096"},
      {"0,1,x,5,ResNet50,1,1",
       "t.csv:2: submit_time: found \"x\", expected a number of s from 0 to 7258118400"},
      {"0,1,0,2.5,ResNet50,1,1",
       "t.csv:2: iterations: found \"2.5\", expected a whole number 1..1000000000"},
      {"0,1,0,5,vgg19,1,1", "t.csv:2: model_name: unknown model \"vgg19\""},
      {"0,1,0,5",
       "t.csv:2: found 4 fields, expected 7 "
       "(job_id,num_gpu,submit_time,iterations,model_name,duration,interval)"},
  };
  for (const auto& row : cases) {
    EXPECT_EQ(read_lines(tiresias_reading(), {tiresias_header, row.row}).problems,
              std::vector<std::string>{row.expected});
  }
}

TEST(TiresiasTrace, EveryRowOfTheRealTraceIsRead) {
  DROVER_SHARED_TRACE("tiresias_60_job.csv");
  const ReadTrace rows = read_lines(tiresias_reading("resnet-50"), lines_of(text));
  EXPECT_EQ(rows.problems, std::vector<std::string>{});
  ASSERT_EQ(rows.jobs.size(), 60U);
  EXPECT_EQ(rows.jobs.back().arrival, std::chrono::seconds{1779});
  EXPECT_EQ(rows.jobs[1].job.work.devices, 8U);
  EXPECT_EQ(rows.jobs[1].job.work.steps, 133U);
}

}  // namespace
}  // namespace drover
