#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fleet/text/json.h"
#include "tests/fleet/trace/read_trace.h"

namespace drover {
namespace {

ReadTrace read_mooncake(const std::vector<std::string>& lines) {
  return read_lines(reading_of(TraceFormat::mooncake, "m.jsonl", "llama-3.1-70b"), lines);
}

const std::string mooncake_line =
    R"({"timestamp": 0, "input_length": 600, "output_length": 7, "hash_ids": [4, 5]})";

TEST(MooncakeTrace, ReadsARowAsARequestThatNamesItsPromptBlocks) {
  const ReadTrace rows = read_mooncake(
      {mooncake_line,
       R"({"hash_ids": [0, 18446744073709551615], "more": {"a": 1}, "output_length": 1, )"
       R"("input_length": 1024, "timestamp": 27001})"});
  ASSERT_EQ(rows.jobs.size(), 2U) << rows.problems.size();
  EXPECT_EQ(rows.jobs[0].arrival, Duration{0});
  EXPECT_EQ(rows.jobs[1].arrival, std::chrono::milliseconds{27001});
  const Job& job = rows.jobs[1].job;
  EXPECT_EQ(job.work.kind, WorkKind::serve);
  EXPECT_EQ(job.work.model, "llama-3.1-70b");
  EXPECT_EQ(job.work.input_tokens, 1024U);
  EXPECT_EQ(job.work.output_tokens, 1U);
  EXPECT_EQ(job.work.prefix, (std::vector<std::uint64_t>{0, 18'446'744'073'709'551'615U}));
  EXPECT_EQ(job.priority, 10);
}

TEST(MooncakeTrace, BadRowIsNamedWithFileLineAndKeyAndTheOthersAreRead) {
  const struct {
    std::string row, expected;
  } cases[] = {
      {R"({"input_length": 5, "output_length": 1, "hash_ids": []})",
       "m.jsonl:2: timestamp: the key is missing"},
      {R"({"timestamp": -1, "input_length": 5, "output_length": 1, "hash_ids": []})",
       "m.jsonl:2: timestamp: found -1, expected a whole number 0..7258118400000"},
      {R"({"timestamp": 0.5, "input_length": 5, "output_length": 1, "hash_ids": []})",
       "m.jsonl:2: timestamp: found 0.5, expected a whole number 0..7258118400000"},
      {R"({"timestamp": "7", "input_length": 5, "output_length": 1, "hash_ids": []})",
       "m.jsonl:2: timestamp: found \"7\", expected a whole number 0..7258118400000"},
      {R"({"timestamp": 99999999999999999999, "input_length": 5, "output_length": 1})",
       "m.jsonl:2: timestamp: found 1e+20, expected a whole number 0..7258118400000"},
      {R"({"timestamp": 0, "input_length": 0, "output_length": 1, "hash_ids": []})",
       "m.jsonl:2: input_length: found 0, expected a whole number 1..1000000"},
      {R"({"timestamp": 0, "input_length": 1e300, "output_length": 1, "hash_ids": []})",
       "m.jsonl:2: input_length: found 1e+300, expected a whole number 1..1000000"},
      {R"({"timestamp": 0, "input_length": 5, "output_length": null, "hash_ids": []})",
       "m.jsonl:2: output_length: found null, expected a whole number 1..1000000"},
      {R"({"timestamp": 0, "input_length": 5, "output_length": 1})",
       "m.jsonl:2: hash_ids: the key is missing"},
      {R"({"timestamp": 0, "input_length": 5, "output_length": 1, "hash_ids": 3})",
       "m.jsonl:2: hash_ids: found 3, expected an array of numbers"},
      {R"({"timestamp": 0, "input_length": 513, "output_length": 1, "hash_ids": [1, -2]})",
       "m.jsonl:2: hash_ids[1]: found -2, expected a whole number of 64 bits"},
      {R"({"timestamp": 0, "input_length": 5, "output_length": 1, "hash_ids": [1.5]})",
       "m.jsonl:2: hash_ids[0]: found 1.5, expected a whole number of 64 bits"},
      {R"({"timestamp": 0, "input_length": 512, "output_length": 1, "hash_ids": [1, 2]})",
       "m.jsonl:2: hash_ids: found 2 blocks of 512 tokens, expected at most 1 for 512 tokens"},
      {"[1, 2]", "m.jsonl:2: found \"[1, 2]\", expected a JSON object"},
  };
  for (const auto& row : cases) {
    const ReadTrace rows = read_mooncake({mooncake_line, row.row, mooncake_line});
    EXPECT_EQ(rows.problems, std::vector<std::string>{row.expected});
    EXPECT_EQ(rows.jobs.size(), 2U) << row.row;
  }
}

TEST(MooncakeTrace, ReportsInvalidJsonWithFileLineAndByte) {
  const struct {
    std::string row, begins;
  } cases[] = {
      {R"({"timestamp": NaN, "input_length": 5})", "m.jsonl:1: JSON: byte 15: "},
      {R"({"timestamp": 0)", "m.jsonl:1: JSON: byte 16: "},
      {std::string("{\"timestamp\": 0\0}", 17), "m.jsonl:1: JSON: byte 16: "},
      {std::string(3000, '[') + std::string(3000, ']'), "m.jsonl:1: JSON: nested more than 64"},
      {std::string(65'537, ' '), "m.jsonl:1: found more than 65536 bytes in one line"},
  };
  for (const auto& row : cases) {
    const ReadTrace rows = read_mooncake({row.row});
    ASSERT_EQ(rows.problems.size(), 1U) << row.begins;
    EXPECT_EQ(rows.problems[0].substr(0, row.begins.size()), row.begins);
  }
}

TEST(MooncakeTrace, KeepsTheFirstBlocksOfLongPromptsAndRemarksOnItOnce) {
  std::string ids;
  for (int i = 0; i < 600; ++i) ids += fmt::format("{}{}", i == 0 ? "" : ",", i);
  const std::string row = fmt::format(
      R"({{"timestamp": 0, "input_length": 307200, "output_length": 1, "hash_ids": [{}]}})", ids);
  const ReadTrace rows = read_mooncake({row, row});
  ASSERT_EQ(rows.jobs.size(), 2U);
  const std::vector<std::uint64_t>& prefix = rows.jobs[1].job.work.prefix;
  ASSERT_EQ(prefix.size(), 512U);
  EXPECT_EQ(prefix.back(), 511U);
  EXPECT_EQ(rows.remarks,
            std::vector<std::string>{
                "m.jsonl:1: hash_ids: only the first 512 blocks of longer prompts are kept"});
}

TEST(MooncakeTrace, EveryRowOfTheRealTraceIsRead) {
  DROVER_SHARED_TRACE("mooncake_synthetic.jsonl");
  const ReadTrace rows = read_mooncake(lines_of(text));
  EXPECT_EQ(rows.problems, std::vector<std::string>{});
  ASSERT_EQ(rows.jobs.size(), 3993U);
  EXPECT_EQ(rows.jobs.back().arrival, std::chrono::milliseconds{1'022'025});
  const Workload& first = rows.jobs.front().job.work;
  EXPECT_EQ(first.input_tokens, 40160U);
  EXPECT_EQ(first.output_tokens, 6U);
  EXPECT_EQ(first.prefix.size(), 79U);
  const auto longest = std::max_element(
      rows.jobs.begin(), rows.jobs.end(), [](const TraceJob& left, const TraceJob& right) {
        return left.job.work.input_tokens < right.job.work.input_tokens;
      });
  EXPECT_EQ(longest->job.work.input_tokens, 191'378U);
  EXPECT_EQ(longest->job.work.prefix.size(), 374U);
}

}  // namespace
}  // namespace drover
