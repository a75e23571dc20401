#include "commands/trace_source.h"

#include <gtest/gtest.h>

#include "program.h"

namespace drover::commands {
namespace {

const char* const header = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n";

struct Read {
  std::vector<Arrival> arrivals;
  std::vector<std::string> told;
  std::uint64_t skipped = 0;
};

Read read_trace(const std::string& path, double load = 1) {
  Read read;
  auto source = TraceSource::open({path, "azure", "llama-3.1-8b", load, 1},
                                  [&](const std::string& line) { read.told.push_back(line); });
  EXPECT_TRUE(source.ok());
  if (!source) return read;
  while (auto arrival = (*source)->next()) read.arrivals.push_back(std::move(*arrival));
  read.skipped = (*source)->skipped();
  return read;
}

TEST(TraceSource, TurnsRowsIntoJobsAtTheirTimes) {
  const Folder folder;
  const auto read = read_trace(folder.write("t.csv", std::string(header) +
                                                         "2023-11-16 18:17:03.0000000,100,10\r\n"
                                                         "2023-11-16 18:17:05.5000000,200,20"));
  ASSERT_EQ(read.arrivals.size(), 2U);
  EXPECT_EQ(read.arrivals[0].at, Duration{0});
  EXPECT_EQ(read.arrivals[1].at, std::chrono::milliseconds(2500));
  EXPECT_EQ(read.arrivals[1].job.work.input_tokens, 200U);
  EXPECT_EQ(read.arrivals[1].job.work.output_tokens, 20U);
  EXPECT_EQ(read.skipped, 0U);
}

TEST(TraceSource, LoadBringsArrivalsCloserTogether) {
  const Folder folder;
  const auto read =
      read_trace(folder.write("t.csv", std::string(header) + "2023-11-16 18:17:03,100,10\n"
                                                             "2023-11-16 18:17:05,200,20\n"),
                 4);
  ASSERT_EQ(read.arrivals.size(), 2U);
  EXPECT_EQ(read.arrivals[1].at, std::chrono::milliseconds(500));
}

TEST(TraceSource, SkipsBadRowsAndNamesTheFirstOnes) {
  const Folder folder;
  std::string text = header;
  for (int i = 0; i < 15; ++i) text += "2023-11-16 18:17:03,nonsense,10\n";
  text += "2023-11-16 18:17:04,100,10\n";
  const auto read = read_trace(folder.write("bad.csv", text));
  EXPECT_EQ(read.arrivals.size(), 1U);
  EXPECT_EQ(read.skipped, 15U);
  ASSERT_EQ(read.told.size(), bad_rows_told_max + 1);
  EXPECT_NE(read.told[0].find("bad.csv:2"), std::string::npos) << read.told[0];
  EXPECT_NE(read.told[0].find("ContextTokens"), std::string::npos) << read.told[0];
}

TEST(TraceSource, SurvivesALineWithoutEnd) {
  const Folder folder;
  const auto read = read_trace(folder.write(
      "t.csv", std::string(header) + std::string(1 << 20, '7') + "\n2023-11-16 18:17:03,100,10\n"));
  EXPECT_EQ(read.arrivals.size(), 1U);
  EXPECT_EQ(read.skipped, 1U);
}

TEST(TraceSource, SaysWhichFileCannotBeRead) {
  const Folder folder;
  for (const std::string& path : {folder.file("absent.csv"), folder.file("")}) {
    const auto source = TraceSource::open({path, "azure", "llama-3.1-8b", 1, 1}, {});
    ASSERT_FALSE(source.ok());
    EXPECT_NE(source.error().message.find(path), std::string::npos) << source.error().message;
  }
}

}  // namespace
}  // namespace drover::commands
