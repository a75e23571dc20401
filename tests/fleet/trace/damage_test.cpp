// Traces with damage drawn from a seed: whatever stands there, each line is a job, nothing or a
// problem with its place, jobs keep to the limits, and undamaged rows are read as before.
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fleet/base/random_stream.h"
#include "fleet/base/text.h"
#include "tests/fleet/trace/read_trace.h"

namespace drover {
namespace {

struct SampleTrace {
  TraceFormat format;
  std::string header;  // empty: none
  std::string (*row)(int number);
};

std::string azure_row(int number) {
  return fmt::format("2023-11-16 18:17:{:02}.9799600,{},10", number % 60, 100 + number);
}
std::string mooncake_row(int number) {
  return fmt::format(
      R"({{"timestamp": {}, "input_length": 600, "output_length": 7, "hash_ids": [4, {}]}})",
      number, number);
}
std::string gavel_row(int number) {
  return fmt::format("LM (batch size 5)\tcd %s && x\t--steps\t1\t{}\t{}.000000\t2", 100 + number,
                     number);
}
std::string tiresias_row(int number) {
  return fmt::format("{},1,{},606,resnet-50,164,30", number, number);
}
std::string csv_row(int number) { return fmt::format("{},\"a, \"\"b\"\"\",300,7", number); }

const SampleTrace samples[] = {
    {TraceFormat::azure, "TIMESTAMP,ContextTokens,GeneratedTokens", azure_row},
    {TraceFormat::mooncake, "", mooncake_row},
    {TraceFormat::gavel, "", gavel_row},
    {TraceFormat::tiresias, "job_id,num_gpu,submit_time,iterations,model_name,duration,interval",
     tiresias_row},
    {TraceFormat::csv, "at,note,in,out", csv_row}};

TraceReaderOptions reading_of_sample(const SampleTrace& sample) {
  const bool named = sample.format == TraceFormat::gavel || sample.format == TraceFormat::tiresias;
  TraceReaderOptions reading = reading_of(sample.format, "f", named ? "" : "bert-large");
  reading.measured_on = "k80";
  if (sample.format != TraceFormat::tiresias) reading.measured_on.clear();
  auto columns = TraceColumns::parse("arrival=at:ms,input=in,output=out");
  EXPECT_TRUE(columns);
  reading.columns = *std::move(columns);
  return reading;
}

std::string damaged(std::string line, RandomStream& random) {
  static constexpr char characters[] = "\0\t\n\r\"',:;[]{}()-+.0189eEnaN \x1b\x7f\xc3\xff";
  constexpr std::string_view alphabet(characters, sizeof characters - 1);
  for (auto count = random.below(4) + 1; count > 0; --count) {
    const std::size_t at = random.below(line.size() + 1);
    switch (random.below(4)) {
      case 0:
        line.insert(at, 1, alphabet[random.below(alphabet.size())]);
        break;
      case 1:
        line.erase(at, random.below(5));
        break;
      case 2:
        line.insert(at, line.substr(random.below(line.size() + 1), random.below(20)));
        break;
      default:
        if (at < line.size()) line[at] = alphabet[random.below(alphabet.size())];
    }
  }
  return line;
}

void expect_within_limits(const Workload& work) {
  EXPECT_FALSE(work.model.empty());
  if (work.kind == WorkKind::train) {
    EXPECT_GE(work.steps, 1U);
    EXPECT_LE(work.steps, 1'000'000'000U);
    EXPECT_GE(work.batch, 1U);
    EXPECT_GE(work.devices, 1U);
    EXPECT_LE(work.devices, 4096U);
    for (const MeasuredThroughput& each : work.throughputs) EXPECT_GE(each.steps_per_s, 0);
    return;
  }
  EXPECT_GE(work.input_tokens, 1U);
  EXPECT_LE(work.input_tokens, 1'000'000U);
  EXPECT_GE(work.output_tokens, 1U);
  EXPECT_LE(work.prefix.size(), 512U);
}

class DamagedTrace : public testing::TestWithParam<SampleTrace> {};
class DamagedHeader : public testing::TestWithParam<SampleTrace> {};

TEST_P(DamagedTrace, IsReadWithoutHarm) {
  const SampleTrace& sample = GetParam();
  RandomStream random = RandomStream(7).child("damage");
  int problems = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> lines;
    if (!sample.header.empty()) lines.push_back(sample.header);
    lines.push_back(sample.row(0));
    lines.push_back(damaged(sample.row(1), random));
    const ReadTrace rows = read_lines(reading_of_sample(sample), lines);
    ASSERT_GE(rows.jobs.size(), 1U) << printable(lines.back());
    ASSERT_LE(rows.jobs.size(), 2U) << printable(lines.back());
    for (const TraceJob& row : rows.jobs) {
      EXPECT_GE(row.arrival, Duration{0});
      expect_within_limits(row.job.work);
    }
    for (const std::string& problem : rows.problems) {
      ++problems;
      const std::string place = fmt::format("f:{}: ", lines.size());
      EXPECT_EQ(problem.substr(0, place.size()), place) << printable(lines.back());
      EXPECT_EQ(problem, printable(problem));
    }
  }
  EXPECT_GT(problems, 500);
}

TEST_P(DamagedHeader, ReadsWithoutProblemsOrYieldsNoRows) {
  const SampleTrace& sample = GetParam();
  RandomStream random = RandomStream(7).child("header");
  for (int round = 0; round < 500; ++round) {
    const ReadTrace rows = read_lines(
        reading_of_sample(sample), {damaged(sample.header, random), sample.row(0), sample.row(1)});
    EXPECT_TRUE(rows.jobs.empty() || rows.problems.empty());
  }
}

TEST_P(DamagedTrace, IdsDependOnlyOnSeedAndRow) {
  const SampleTrace& sample = GetParam();
  const auto ids = [&](std::uint64_t seed, const std::string& second) {
    std::vector<std::string> lines;
    if (!sample.header.empty()) lines.push_back(sample.header);
    lines.insert(lines.end(), {sample.row(1), second, sample.row(3), sample.row(2)});
    std::vector<JobId> listed;
    for (const TraceJob& row : read_lines(reading_of_sample(sample), lines, seed).jobs) {
      listed.push_back(row.job.id);
    }
    return listed;
  };
  const std::vector<JobId> whole = ids(1, sample.row(2));
  ASSERT_EQ(whole.size(), 4U);  // out of order, and yet none before the first
  EXPECT_EQ(std::set<JobId>(whole.begin(), whole.end()).size(), 4U);
  EXPECT_EQ(ids(1, sample.row(2)), whole);
  EXPECT_EQ(ids(1, "broken"), (std::vector<JobId>{whole[0], whole[2], whole[3]}));
  EXPECT_NE(ids(2, sample.row(2))[0], whole[0]);
}

TEST_P(DamagedTrace, RowsOutOfOrderKeepTheirArrival) {
  const SampleTrace& sample = GetParam();
  std::vector<std::string> lines;
  if (!sample.header.empty()) lines.push_back(sample.header);
  lines.insert(lines.end(), {sample.row(1), sample.row(9), sample.row(5), sample.row(0)});
  const ReadTrace rows = read_lines(reading_of_sample(sample), lines);
  ASSERT_EQ(rows.jobs.size(), 3U);
  EXPECT_EQ(rows.jobs[1].arrival, rows.jobs[2].arrival * 2);
  ASSERT_EQ(rows.problems.size(), 1U);
  EXPECT_NE(rows.problems[0].find("expected no time before that of the first row"),
            std::string::npos);
}

std::string name_of(const testing::TestParamInfo<SampleTrace>& sample) {
  return trace_format_names()[static_cast<std::size_t>(sample.param.format)];
}

INSTANTIATE_TEST_SUITE_P(EveryFormat, DamagedTrace, testing::ValuesIn(samples), name_of);
INSTANTIATE_TEST_SUITE_P(FormatsWithHeaders, DamagedHeader,
                         testing::Values(samples[0], samples[3], samples[4]), name_of);

}  // namespace
}  // namespace drover
