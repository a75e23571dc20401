#include <map>

#include <gtest/gtest.h>

#include "tests/fleet/trace/read_trace.h"

namespace drover {
namespace {

constexpr const char* gavel_line = "ResNet-50 (batch size 64)\tcd %s\t-n\t1\t1000\t10.5\t2";

Throughputs throughputs(std::string_view json) {
  auto measured = Throughputs::parse(
      json, "t.json",
      [](std::string_view name) -> Result<std::string> { return std::string(name); });
  EXPECT_TRUE(measured) << measured.error().message;
  return measured ? *std::move(measured) : Throughputs{};
}

ReadTrace read_gavel(const std::vector<std::string>& lines, const std::string& model = "") {
  return read_lines(reading_of(TraceFormat::gavel, "g.tsv", model), lines);
}

TEST(GavelTrace, ReadsATrainingJobFromEachRowLayout) {
  const std::string layouts[] = {
      "ResNet-18 (batch size 32)\tcd %s\t-n\t1\t3948\t12.250000\t2",
      "ResNet-18 (batch size 32)\tcd %s\t-n\t1\t3948\t2\t1\t-1.000000\t12.25",
      "ResNet-18 (batch size 32)\tpython3\tcifar10\t-n\t1\t3948\t2\t1\t-1.000000\t12.25\r"};
  for (const std::string& line : layouts) {
    const ReadTrace rows = read_gavel({"LM (batch size 5)\tx\t-n\t0\t1\t0\t1", line});
    ASSERT_EQ(rows.jobs.size(), 2U) << line;
    EXPECT_EQ(rows.jobs[1].arrival, std::chrono::milliseconds{12'250});
    const Job& job = rows.jobs[1].job;
    EXPECT_EQ(job.work.kind, WorkKind::train);
    EXPECT_EQ(job.work.model, "resnet-18-cifar");
    EXPECT_EQ(job.work.batch, 64U);
    EXPECT_EQ(job.work.steps, 1974U);
    EXPECT_EQ(job.work.devices, 2U);
    EXPECT_EQ(job.work.sequence, 1U);
    EXPECT_EQ(job.priority, 0);
    EXPECT_TRUE(rows.remarks.empty());
  }
}

TEST(GavelTrace, AGangStepIsABatchPerDeviceAndTheLastMayBeSmaller) {
  const struct {
    std::string steps, devices;
    std::uint32_t gang_steps, gang_batch;
  } cases[] = {{"1000", "1", 1000, 32},
               {"1000", "8", 125, 256},
               {"1001", "8", 126, 256},
               {"3", "8", 1, 256}};
  for (const auto& row : cases) {
    const ReadTrace rows =
        read_gavel({"ResNet-18 (batch size 32)\tx\t-n\t1\t" + row.steps + "\t0\t" + row.devices});
    ASSERT_EQ(rows.jobs.size(), 1U);
    EXPECT_EQ(rows.jobs[0].job.work.steps, row.gang_steps) << row.steps << " on " << row.devices;
    EXPECT_EQ(rows.jobs[0].job.work.batch, row.gang_batch);
  }
}

TEST(GavelTrace, ReplacesAModelMissingFromTheCatalogueAndRemarksOnItOnce) {
  const std::string line = "A3C\tpython3 main.py\t--max-steps\t0\t500\t0\t1";
  const ReadTrace rows = read_gavel({line, line});
  ASSERT_EQ(rows.jobs.size(), 2U);
  EXPECT_EQ(rows.jobs[0].job.work.model, "shufflenet-v2-cifar");
  EXPECT_EQ(rows.jobs[0].job.work.batch, 1U);
  EXPECT_EQ(rows.remarks, std::vector<std::string>{
                              "g.tsv:1: job type: shufflenet-v2-cifar stands in for A3C: it is the "
                              "smallest net for small images; if a throughput is measured, only "
                              "power and memory depend on it"});
}

TEST(GavelTrace, AModelGivenForAllOverridesThoseNamed) {
  const ReadTrace rows = read_gavel(
      {"A3C\tx\t-n\t0\t500\t0\t1", "VGG (batch size 2)\tx\t-n\t0\t5\t0\t1"}, "bert-large");
  ASSERT_EQ(rows.jobs.size(), 2U);
  EXPECT_EQ(rows.jobs[0].job.work.model, "bert-large");
  EXPECT_EQ(rows.jobs[1].job.work.model, "bert-large");
  EXPECT_EQ(rows.jobs[1].job.work.batch, 2U);
  EXPECT_TRUE(rows.remarks.empty());
}

TEST(GavelTrace, BadRowIsNamedWithFileLineAndFieldAndTheOthersAreRead) {
  const struct {
    std::string row, expected;
  } cases[] = {
      {"ResNet-50 (batch size 64)\tx", "g.tsv:2: found 2 fields between tabs, expected 7, 9 or 10"},
      {"ResNet-50 (batch size 64)\tx\t-n\t1\t10\t0\t1\t",
       "g.tsv:2: found 8 fields between tabs, expected 7, 9 or 10"},
      {"\tx\t-n\t1\t10\t0\t1",
       "g.tsv:2: job type: found \"\", expected a job type such as \"ResNet-18 (batch size 32)\""},
      {"ResNet-50 (batch size x)\tx\t-n\t1\t10\t0\t1",
       "g.tsv:2: job type: found \"ResNet-50 (batch size x)\", expected a job type such as "
       "\"ResNet-18 (batch size 32)\""},
      {"VGG-11 (batch size 8)\tx\t-n\t1\t10\t0\t1", "g.tsv:2: job type: unknown model \"VGG-11\""},
      {"A3C\tx\t-n\t2\t10\t0\t1", "g.tsv:2: needs data: found \"2\", expected a whole number 0..1"},
      {"A3C\tx\t-n\t1\t0\t0\t1",
       "g.tsv:2: total steps: found \"0\", expected a whole number 1..1000000000"},
      {"A3C\tx\t-n\t1\t1e6\t0\t1",
       "g.tsv:2: total steps: found \"1e6\", expected a whole number 1..1000000000"},
      {"A3C\tx\t-n\t1\t10\t0\t0",
       "g.tsv:2: scale factor: found \"0\", expected a whole number 1..4096"},
      {"A3C (batch size 50000000)\tx\t-n\t1\t10\t0\t3",
       "g.tsv:2: scale factor: found 3 batches of 50000000 samples, expected at most 100000000 "
       "samples a step"},
      {"A3C\tx\t-n\t1\t10\t-4\t1",
       "g.tsv:2: arrival: found \"-4\", expected a number of s from 0 to 7258118400"},
      {"A3C\tx\t-n\t1\t10\tnan\t1",
       "g.tsv:2: arrival: found \"nan\", expected a number of s from 0 to 7258118400"},
      {"A3C\tx\t-n\t1\t10\t1e300\t1",
       "g.tsv:2: arrival: found \"1e300\", expected a number of s from 0 to 7258118400"},
      {"A3C\tx\t-n\t1\t10\t3\t1",
       "g.tsv:2: arrival: found \"3\", expected no time before that of the first row, "
       "1970-01-01T00:00:10.500Z"},
  };
  for (const auto& row : cases) {
    const ReadTrace rows = read_gavel({gavel_line, row.row, gavel_line});
    EXPECT_EQ(rows.problems, std::vector<std::string>{row.expected});
    EXPECT_EQ(rows.jobs.size(), 2U) << row.row;
  }
}

TEST(GavelTrace, ConvertsMeasuredThroughputsOfAJobTypeToGangSteps) {
  TraceReaderOptions reading = reading_of(TraceFormat::gavel, "g.tsv");
  reading.throughputs = throughputs(
      R"json({"v100": {"('ResNet-50 (batch size 64)', 2)": {"null": 7.92},
                       "('ResNet-50 (batch size 32)', 2)": {"null": 9}}})json");
  const ReadTrace rows = read_lines(std::move(reading), {gavel_line, "A3C\tx\t-n\t1\t10\t20\t1"});
  ASSERT_EQ(rows.jobs.size(), 2U);
  EXPECT_EQ(rows.jobs[0].job.work.throughputs,
            (std::vector<MeasuredThroughput>{{"v100-sxm2-16gb", 2, 3.96}}));
  EXPECT_TRUE(rows.jobs[1].job.work.throughputs.empty());
}

TEST(GavelTrace, EveryRowOfTheRealTraceIsReadAndEveryTypeIsMeasured) {
  DROVER_SHARED_TRACE("gavel_philly_vc_ee9e8c_seed0.tsv");
  const auto json = shared_trace("gavel_simulation_throughputs.json", absent);
  if (!json) GTEST_SKIP() << absent;
  TraceReaderOptions reading = reading_of(TraceFormat::gavel, "g.tsv");
  reading.throughputs = throughputs(*json);
  const ReadTrace rows = read_lines(std::move(reading), lines_of(text));
  EXPECT_EQ(rows.problems, std::vector<std::string>{});
  EXPECT_EQ(rows.remarks.size(), 3U);  // Transformer, CycleGAN, A3C
  ASSERT_EQ(rows.jobs.size(), 2000U);
  EXPECT_EQ(rows.jobs.back().arrival, std::chrono::seconds{4'508'448});
  EXPECT_EQ(rows.jobs[0].job.work.steps, 15'486'530U);
  EXPECT_EQ(rows.jobs[1].job.work.devices, 8U);
  EXPECT_EQ(rows.jobs[1].job.work.batch, 8U * 8192U);
  std::map<unsigned, int> gangs;
  for (const TraceJob& row : rows.jobs) {
    ++gangs[row.job.work.devices];
    EXPECT_FALSE(row.job.work.throughputs.empty());
  }
  EXPECT_EQ(gangs,
            (std::map<unsigned, int>{
                {1, 975}, {2, 47}, {4, 321}, {7, 2}, {8, 543}, {16, 106}, {20, 1}, {32, 5}}));
}

}  // namespace
}  // namespace drover
