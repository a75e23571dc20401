#include "fleet/trace/trace.h"

#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/fleet/trace/read_trace.h"

namespace drover {
namespace {

constexpr std::string_view azure_header = "TIMESTAMP,ContextTokens,GeneratedTokens";

TraceReader reader(std::uint64_t seed = 1) {
  return TraceReader(reading_of(TraceFormat::azure, "azure.csv", "llama-3.1-70b"),
                     RandomStream(seed));
}

/// Reads the lines; answers the last one's result.
Result<std::optional<TraceJob>> last_of(std::initializer_list<std::string_view> lines) {
  TraceReader trace = reader();
  Result<std::optional<TraceJob>> result = std::optional<TraceJob>{};
  for (const std::string_view line : lines) result = trace.read_line(line);
  return result;
}

std::string problem_of(std::initializer_list<std::string_view> lines) {
  const auto result = last_of(lines);
  return result ? "" : result.error().message;
}

TEST(Trace, RowBecomesAChatRequest) {
  const auto result = last_of(
      {azure_header, "2023-11-16 18:17:03.9799600,4808,10", "2023-11-16 18:17:04.0319600,3180,8"});
  ASSERT_TRUE(result && *result);
  const TraceJob& row = **result;
  EXPECT_EQ(row.arrival, std::chrono::milliseconds{52});
  EXPECT_EQ(row.job.work.kind, WorkKind::serve);
  EXPECT_EQ(row.job.work.model, "llama-3.1-70b");
  EXPECT_EQ(row.job.work.input_tokens, 3180U);
  EXPECT_EQ(row.job.work.output_tokens, 8U);
  EXPECT_EQ(row.job.priority, 10);
  EXPECT_FALSE(row.job.id.empty());
}

TEST(Trace, HeadersAndEmptyLinesAreNotJobs) {
  TraceReader trace = reader();
  for (const std::string_view line :
       std::initializer_list<std::string_view>{"", "\r\n", azure_header, "", "  "}) {
    const auto result = trace.read_line(line);
    ASSERT_TRUE(result);
    EXPECT_FALSE(result->has_value());
  }
}

TEST(Trace, ColumnsAreFoundByName) {
  const auto result =
      last_of({"\xef\xbb\xbf\"GeneratedTokens\",Region, ContextTokens ,TIMESTAMP\r\n",
               "7,west,\"300\",2023-11-16T18:17:03Z\r\n"});
  ASSERT_TRUE(result && *result);
  EXPECT_EQ((*result)->job.work.input_tokens, 300U);
  EXPECT_EQ((*result)->job.work.output_tokens, 7U);
}

TEST(Trace, BadHeaderIsReportedAndNoRowIsGuessed) {
  EXPECT_EQ(problem_of({"TIMESTAMP,ContextTokens"}),
            "azure.csv:1: header: found no column GeneratedTokens in "
            "\"TIMESTAMP,ContextTokens\", expected one each of TIMESTAMP, ContextTokens, "
            "GeneratedTokens");
  EXPECT_EQ(problem_of({"TIMESTAMP,ContextTokens", "2023-11-16 18:17:03,1"}),
            "azure.csv:2: the file has no valid header");
  EXPECT_NE(problem_of({"TIMESTAMP,ContextTokens,GeneratedTokens,ContextTokens"}), "");
  EXPECT_NE(problem_of({"2023-11-16 18:17:03.9799600,4808,10"}), "");
}

TEST(Trace, BadFieldIsNamedWithFileLineAndColumn) {
  const struct {
    std::string_view row, expected;
  } cases[] = {
      {"2023-11-16 18:17:03,5,abc",
       "azure.csv:2: GeneratedTokens: found \"abc\", expected a whole number 1..1000000"},
      {"2023-11-16 18:17:03,0,5",
       "azure.csv:2: ContextTokens: found \"0\", expected a whole number 1..1000000"},
      {"2023-11-16 18:17:03,-5,5",
       "azure.csv:2: ContextTokens: found \"-5\", expected a whole number 1..1000000"},
      {"2023-11-16 18:17:03,1000001,5",
       "azure.csv:2: ContextTokens: found \"1000001\", expected a whole number 1..1000000"},
      {"2023-11-16 18:17:03,99999999999999999999,5",
       "azure.csv:2: ContextTokens: found \"99999999999999999999\", expected a whole number "
       "1..1000000"},
      {"2023-11-16 18:17:03,5,1.5",
       "azure.csv:2: GeneratedTokens: found \"1.5\", expected a whole number 1..1000000"},
      {"2023-11-16 18:17:03,5,",
       "azure.csv:2: GeneratedTokens: found \"\", expected a whole number 1..1000000"},
      {"2023-11-16 18:17:03,5,\x1b[2J",
       "azure.csv:2: GeneratedTokens: found \"^[[2J\", expected a whole number 1..1000000"},
      {"soon,5,5",
       "azure.csv:2: TIMESTAMP: found \"soon\", expected a time such as \"2023-11-16 "
       "18:17:03.9799600\""},
      {"\"2023-11-16 18:17:03,5,6",
       "azure.csv:2: found a quote that is never closed in \"\"2023-11-16 18:17:03,5,6\""},
      {"2023-11-16 18:17:03,5,6\r7",
       "azure.csv:2: found a line end within \"2023-11-16 18:17:03,5,6^M7\""},
      {"2023-11-16 18:17:03,5",
       "azure.csv:2: found 2 fields, expected 3 (TIMESTAMP,ContextTokens,GeneratedTokens)"},
      {"2023-11-16 18:17:03,5,6,7",
       "azure.csv:2: found 4 fields, expected 3 (TIMESTAMP,ContextTokens,GeneratedTokens)"},
  };
  for (const auto& row : cases) EXPECT_EQ(problem_of({azure_header, row.row}), row.expected);
  EXPECT_EQ(problem_of({azure_header, std::string(70'000, ',')}),
            "azure.csv:2: found more than 65536 bytes in one line");
}

TEST(Trace, ReadingGoesOnAfterABadRow) {
  const auto result = last_of({azure_header, "garbage", "2023-11-16 18:17:03,5,6"});
  ASSERT_TRUE(result && *result);
  EXPECT_EQ((*result)->arrival, Duration{0});
}

TEST(Trace, RowsOutOfOrderKeepTheirArrivalUnlessBeforeTheFirst) {
  const auto between = last_of({azure_header, "2023-11-16 18:17:03,5,6", "2023-11-16 18:17:09,5,6",
                                "2023-11-16 18:17:05,5,6"});
  ASSERT_TRUE(between && *between);
  EXPECT_EQ((*between)->arrival, std::chrono::seconds{2});
  EXPECT_EQ(problem_of({azure_header, "2023-11-16 18:17:03,5,6", "2023-11-16 18:17:02,5,6"}),
            "azure.csv:3: TIMESTAMP: found \"2023-11-16 18:17:02\", expected no time before that "
            "of the first row, 2023-11-16T18:17:03.000Z");
}

TEST(Trace, IdsDependOnlyOnSeedAndLine) {
  const auto ids = [](std::uint64_t seed, std::string_view second_row) {
    TraceReader trace = reader(seed);
    std::vector<JobId> listed;
    for (const std::string_view line : {azure_header, std::string_view("2023-11-16 18:17:03,5,6"),
                                        second_row, std::string_view("2023-11-16 18:17:03,5,6")}) {
      const auto result = trace.read_line(line);
      if (result && *result) listed.push_back((*result)->job.id);
    }
    return listed;
  };
  const auto whole = ids(1, "2023-11-16 18:17:03,5,6");
  ASSERT_EQ(whole.size(), 3U);
  EXPECT_EQ(std::set<JobId>(whole.begin(), whole.end()).size(), 3U);
  EXPECT_EQ(ids(1, "2023-11-16 18:17:03,5,6"), whole);
  EXPECT_EQ(ids(1, "broken"), (std::vector<JobId>{whole[0], whole[2]}));
  EXPECT_NE(ids(2, "2023-11-16 18:17:03,5,6")[0], whole[0]);
}

TEST(Trace, FormatsAreKnownByName) {
  for (const std::string& name : trace_format_names()) {
    const auto format = parse_trace_format(name);
    ASSERT_TRUE(format) << name;
    EXPECT_EQ(trace_format_names()[static_cast<std::size_t>(*format)], name);
  }
  EXPECT_EQ(parse_trace_format("azur").error().message,
            "trace format: found \"azur\", expected a known one; did you mean azure?");
}

struct Sums {
  std::uint64_t rows = 0, input = 0, output = 0;
  bool operator==(const Sums&) const = default;
};

/// The same sums by the plainest means, without the reader.
Sums plain_sums(std::istream& file) {
  Sums sums;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string timestamp, input, output;
    std::getline(fields, timestamp, ',');
    std::getline(fields, input, ',');
    std::getline(fields, output, ',');
    ++sums.rows;
    sums.input += std::stoull(input);
    sums.output += std::stoull(output);
  }
  return sums;
}

TEST(Trace, EveryRowOfTheRealTraceIsRead) {
  DROVER_SHARED_TRACE("azure2023_code.csv");
  const ReadTrace read =
      read_lines(reading_of(TraceFormat::azure, "azure.csv", "llama-3.1-70b"), lines_of(text));
  EXPECT_EQ(read.problems, std::vector<std::string>{});
  Sums sums;
  Duration last{};
  for (const TraceJob& row : read.jobs) {
    ++sums.rows;
    sums.input += row.job.work.input_tokens;
    sums.output += row.job.work.output_tokens;
    EXPECT_GE(row.arrival, last);
    last = row.arrival;
  }
  std::istringstream file(text);
  EXPECT_EQ(sums, plain_sums(file));
  EXPECT_EQ(sums.rows, 8819U);
  EXPECT_NEAR(to_seconds(last), 3436, 1);
}

}  // namespace
}  // namespace drover
