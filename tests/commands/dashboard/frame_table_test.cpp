// The tables of the views for scripts, from the real binary: `frame --json`, `frame --csv`,
// `top --once`.
#include <gtest/gtest.h>

#include "fleet/text/csv.h"
#include "tests/commands/program.h"
#include "tests/commands/record/recorded_story.h"
#include "tests/commands/small_fleet.h"

namespace drover::commands {
namespace {

/// A story at whose end an event says things that must not break a table.
class HostileRecording {
 public:
  HostileRecording() {
    RecordedStory story = story_of(5);
    RecordedMessage event = story.news.back();
    event.envelope.sender = "router";
    event.envelope.sequence = 1'000'000;
    event.envelope.body = Event{Severity::warning, "gpu-a/1", "one \"two\", \x1b[31mthree\nfour"};
    story.news.push_back(event);
    path_ = folder_.write("story.mcap", recording_of(story).file);
  }
  ProcessResult frame(std::vector<std::string> words) const {
    words.insert(words.begin(), {"frame", "--replay", path_, "--at", "5s"});
    return run_drover(words);
  }
  const std::string& path() const { return path_; }

 private:
  TestFolder folder_;
  std::string path_;
};

TEST(FrameTable, OfALiveFleetHasARowForEachDevice) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  for (const std::vector<std::string>& verb :
       {std::vector<std::string>{"frame"}, std::vector<std::string>{"top", "--once"}}) {
    std::vector<std::string> words = verb;
    words.insert(words.end(), {"--view", "devices", "--json"});
    const ProcessResult ran = fleet.ask(words);
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const auto table = Json::parse(ran.out);
    ASSERT_TRUE(table) << ran.out;
    ASSERT_EQ(table->size(), 2u) << ran.out;
    EXPECT_EQ((*table)[1]["id"].text(), "h-1/1");
    EXPECT_TRUE((*table)[1]["power_w"].is_number()) << ran.out;
    EXPECT_TRUE((*table)[1].has("memory_temperature_c")) << "what is missing is null: " << ran.out;
  }
  const ProcessResult text = fleet.ask({"top", "--once", "--view", "devices", "--device", "h-1/1"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("2 devices"), std::string::npos) << text.out;
}

TEST(FrameTable, OfARecordingIsNarrowedByFilterAndDevice) {
  const HostileRecording recording;
  const auto rows = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--view", "devices", "--json"});
    const ProcessResult ran = recording.frame(words);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    const auto table = Json::parse(ran.out);
    return table ? table->size() : 0;
  };
  EXPECT_EQ(rows({}), 36u);
  EXPECT_EQ(rows({"--filter", "kind==tpu"}), 16u);
  EXPECT_EQ(rows({"--device", "gpu-a/3"}), 1u);
}

TEST(FrameTable, IsTheNamedOneInEveryView) {
  const HostileRecording recording;
  for (const char* view : {"fleet", "jobs"}) {
    const ProcessResult ran = recording.frame({"--view", view, "--table", "rules", "--csv"});
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_TRUE(ran.out.starts_with("rule,raised,severity,subject_kind,when,")) << ran.out;
  }
}

TEST(FrameTable, OfAnUnknownDeviceIsAnErrorNotAnEmptyTable) {
  const HostileRecording recording;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--view", "devices", "--csv"}, {"--view", "device"}}) {
    std::vector<std::string> asked = words;
    asked.insert(asked.end(), {"--device", "gpu-a/77"});
    const ProcessResult ran = recording.frame(asked);
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find("--device: no device gpu-a/77"), std::string::npos) << ran.err;
  }
}

TEST(FrameTable, CsvKeepsHostileTextInItsCellAndPrintable) {
  const HostileRecording recording;
  const ProcessResult ran = recording.frame({"--view", "events", "--csv"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);
  const auto table = CsvTable::parse(ran.out, "out");
  ASSERT_TRUE(table) << table.error().message;
  std::string found;
  for (const CsvRow& row : table->rows) {
    EXPECT_EQ(row.cells.size(), table->columns.size());
    if (table->cell(row, "text").starts_with("one")) found = table->cell(row, "text");
  }
  EXPECT_EQ(found, "one \"two\", ^[[31mthree^Jfour") << ran.out;
}

TEST(FrameTable, RejectsOptionsThatDoNotGoTogether) {
  struct Case {
    std::vector<std::string> words;
    const char* problem;
  };
  for (const Case& c : std::vector<Case>{
           {{"frame", "--json"}, "the view fleet has no table; use --table with one of"},
           {{"frame", "--table", "pools"}, "--table works only with --json or --csv"},
           {{"frame", "--csv", "--table", "pool"},
            "--table: found 'pool', expected one of: devices"},
           {{"frame", "--csv", "--table", "flows", "--filter", "kind==tpu"},
            "--filter has no effect on --table flows, which covers the whole fleet"},
           {{"frame", "--csv", "--table", "rules", "--device", "a/0"},
            "--device has no effect on --table rules"},
           {{"frame", "--view", "jobs", "--json", "--csv"}, "--json and --csv exclude each other"},
           {{"frame", "--view", "jobs", "--csv", "--ansi"}, "--ansi and --csv exclude each other"},
           {{"frame", "--view", "jobs", "--json", "--size", "80x24"},
            "--size and --json exclude each other"},
           {{"frame", "--filter", "temp>hot"}, "--filter: "},
           {{"frame", "--device", "nothing"}, "--device: "},
           {{"top", "--view", "jobs", "--json"}, "--json works only with --once"},
           {{"top", "--once", "--replay", "x", "--replay-speed", "3"},
            "--replay-speed and --once exclude each other"}}) {
    const ProcessResult ran = run_drover(c.words);
    EXPECT_EQ(ran.exit_code, 2) << c.problem;
    EXPECT_NE(ran.err.find(c.problem), std::string::npos) << ran.err;
  }
}

}  // namespace
}  // namespace drover::commands
