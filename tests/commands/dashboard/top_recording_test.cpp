// A live dashboard that records: its bookmarks are marks of the replay.
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "commands/record/recording_file.h"
#include "tests/commands/dashboard/screen.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

TEST(TopRecording, HasTheBookmarksThatWereMade) {
  const TestFolder folder;
  const std::string endpoint = free_endpoint();
  const std::string file = folder.file("today.mcap");
  DroverProcess router({"router", "--listen", endpoint, "--ledger", folder.file("l.sqlite")});
  ASSERT_TRUE(router.says("router ready")) << router.err();
  DroverProcess agent({"agent", "--connect", endpoint, "--name", "h-1", "--devices", "l4:2"});
  {
    PseudoTerminal top({"top", "--connect", endpoint, "--record", file}, 120, 40);
    ASSERT_TRUE(top.shows("h-1")) << top.screen();
    std::this_thread::sleep_for(seconds(3));  // a past to go back to
    top.type("[");
    ASSERT_TRUE(top.shows("PAUSED")) << top.screen();
    top.type(":bookmark long ago\r:bookmark a second ago\rL:bookmark the peak\r");
    EXPECT_TRUE(top.shows("the peak")) << top.screen();
    std::this_thread::sleep_for(seconds(3));  // { leads away from a bookmark at the end
    top.type("q");
    ASSERT_TRUE(top.ends()) << top.screen();
    EXPECT_EQ(top.exit_code(), 0) << top.screen();
  }
  auto recording = open_recording(file, RecordingSurvey::always);
  ASSERT_TRUE(recording.ok()) << recording.error().message;
  EXPECT_TRUE(recording->reader.info().closed);
  const auto marks = recording->reader.bookmarks();
  ASSERT_TRUE(marks.ok() && marks->size() == 3);
  EXPECT_EQ(std::get<Event>(marks->at(0).envelope.body).text, "long ago");
  EXPECT_EQ(std::get<Event>(marks->at(1).envelope.body).text, "a second ago");
  EXPECT_EQ(marks->at(0).envelope.at, marks->at(1).envelope.at) << "its new text";
  EXPECT_LT(marks->at(0).envelope.at, marks->at(0).arrived) << "a moment of the past";
  EXPECT_LE(marks->at(1).arrived, marks->at(2).arrived);

  PseudoTerminal replay({"top", "--replay", file}, 120, 40);
  ASSERT_TRUE(replay.shows("h-1")) << replay.screen();
  replay.type("L{");
  EXPECT_TRUE(replay.shows("the peak")) << replay.screen();
  replay.type("{");
  EXPECT_TRUE(replay.shows("a second ago")) << replay.screen();
  replay.type("q");
  ASSERT_TRUE(replay.ends()) << replay.screen();
}

TEST(TopRecording, AFileIsNotOverwrittenBeforeTheTerminalWorks) {
  const TestFolder folder;
  const std::string endpoint = free_endpoint();
  const std::string file = folder.write("today.mcap", "the recording of yesterday");
  DroverProcess router({"router", "--listen", endpoint, "--ledger", folder.file("l.sqlite")});
  ASSERT_TRUE(router.says("router ready")) << router.err();
  const ProcessResult ran = run_drover({"top", "--connect", endpoint, "--record", file, "--force"});
  EXPECT_NE(ran.exit_code, 0);
  EXPECT_NE(ran.err.find("no terminal"), std::string::npos) << ran.err;
  EXPECT_EQ(folder.read("today.mcap"), "the recording of yesterday");
}

TEST(TopRecording, OptionsThatDoNotGoTogetherAreRejected) {
  for (const auto& [words, message] :
       {std::pair(std::vector<std::string>{"top", "--force"}, "work only with --record"),
        std::pair(std::vector<std::string>{"top", "--record", "a", "--replay", "b"},
                  "--record and --replay exclude each other"),
        std::pair(std::vector<std::string>{"top", "--record", "a", "--once"},
                  "--record and --once exclude each other")}) {
    const ProcessResult ran = run_drover(words);
    EXPECT_EQ(ran.exit_code, 2) << ran.err;
    EXPECT_NE(ran.err.find(message), std::string::npos) << ran.err;
  }
}

}  // namespace
}  // namespace drover::commands
