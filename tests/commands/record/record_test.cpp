// Recordings in the making: `drover record` and `drover router --record`, as real processes.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "commands/record/recording_file.h"
#include "tests/commands/dashboard/screen.h"
#include "tests/commands/program.h"
#include "tests/commands/small_fleet.h"

namespace drover::commands {
namespace {

Json info(const std::string& path) {
  return only_object(run_drover({"recording", "info", path, "--json"}).out);
}

int verified(const std::string& path) {
  return run_drover({"recording", "verify", path}).exit_code;
}

std::int64_t messages_of(const Json& info, const std::string& channel) {
  for (std::size_t i = 0; i < info["channels"].size(); ++i) {
    if (info["channels"][i]["channel"].text() == channel) {
      return info["channels"][i]["messages"].integer();
    }
  }
  return 0;
}

TEST(Record, WritesWhatTheRouterPublishesUntilItIsStopped) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const std::string path = fleet.file("a.mcap");
  DroverProcess record(fleet.with_connect({"record", "-o", path}));
  ASSERT_TRUE(record.says("recording to")) << record.err();
  const ProcessResult job =
      fleet.ask({"submit", "--kind", "train", "--model", "bert-large", "--steps", "3", "--batch",
                 "8", "--seq-len", "128", "--wait"});
  EXPECT_EQ(job.exit_code, 0) << job.err;
  ASSERT_TRUE(eventually([&] { return info(path)["journaled"].integer() > 10; })) << record.err();
  EXPECT_NE(info(path)["state"].text().find("still being written"), std::string::npos);
  record.signal(SIGTERM);
  const ProcessResult ran = record.wait();
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(verified(path), 0);
  const Json said = info(path);
  EXPECT_EQ(said["devices"].integer(), 2) << said.dump();
  EXPECT_GE(said["keyframes"].integer(), 1) << said.dump();
  EXPECT_GT(said["sample_batches"].integer(), 1) << said.dump();
  EXPECT_GT(messages_of(said, "jobs"), 0) << said.dump();
  EXPECT_GT(messages_of(said, "decisions"), 0) << said.dump();
  const std::vector<std::string> frame = {"frame", "--replay", path,      "--at",
                                          "1s",    "--view",   "devices", "--ascii"};
  const ProcessResult once = run_drover(frame);
  EXPECT_NE(once.out.find("h-1/0"), std::string::npos) << once.out << once.err;
  EXPECT_EQ(run_drover(frame).out, once.out);
}

TEST(Record, LosesNothingAlreadyWrittenWhenKilled) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const std::string path = fleet.file("a.mcap");
  DroverProcess record(fleet.with_connect({"record", "-o", path}));
  ASSERT_TRUE(eventually([&] { return info(path)["journaled"].integer() > 20; })) << record.err();
  const Json before = info(path);
  record.signal(SIGKILL);
  ASSERT_TRUE(record.ends());
  const ProcessResult recovered =
      run_drover({"recording", "recover", path, "-o", fleet.file("whole.mcap")});
  EXPECT_EQ(recovered.exit_code, 0) << recovered.out << recovered.err;
  EXPECT_EQ(verified(fleet.file("whole.mcap")), 0);
  const Json after = info(fleet.file("whole.mcap"));
  EXPECT_GE(after["end"].text(), before["end"].text());
  EXPECT_EQ(after["start"].text(), before["start"].text());
  EXPECT_EQ(after["devices"].integer(), 2);
}

TEST(Record, StopsAfterItsDurationAndReportsWhyItCannotStart) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const std::string path = fleet.file("a.mcap");
  EXPECT_EQ(fleet.ask({"record", "-o", path, "--for", "1s"}).exit_code, 0);
  EXPECT_EQ(verified(path), 0);
  const ProcessResult again = fleet.ask({"record", "-o", path, "--for", "1s"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_NE(again.err.find("already exists; use --force"), std::string::npos) << again.err;
  EXPECT_EQ(fleet.ask({"record", "-o", path, "--for", "1s", "--force"}).exit_code, 0);
  const ProcessResult nameless = fleet.ask({"record"});
  EXPECT_EQ(nameless.exit_code, 2);
  EXPECT_NE(nameless.err.find("-o FILE"), std::string::npos) << nameless.err;
}

TEST(RouterRecord, WritesItsOwnStreamAndClosesTheFileAtItsEnd) {
  const TestFolder folder;
  const std::string path = folder.file("a.mcap");
  SmallFleet fleet({"--record", path}, "20");
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  EXPECT_EQ(fleet
                .ask({"submit", "--kind", "train", "--model", "bert-large", "--steps", "3",
                      "--batch", "8", "--seq-len", "128", "--wait"})
                .exit_code,
            0);
  // A keyframe a fleet minute.
  ASSERT_TRUE(eventually([&] { return info(path)["keyframes"].integer() >= 2; }));
  fleet.router().signal(SIGTERM);
  const ProcessResult ran = fleet.router().wait();
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(verified(path), 0);
  const Json said = info(path);
  EXPECT_EQ(said["devices"].integer(), 2) << said.dump();
  EXPECT_EQ(said["dropped"].integer(), 0) << said.dump();
  EXPECT_GT(messages_of(said, "jobs"), 0) << said.dump();
  const ProcessResult states =
      run_drover({"recording", "export", path, "--format", "ndjson", "--channel", "jobs"});
  EXPECT_NE(states.out.find("\"state\":\"finished\""), std::string::npos) << states.out;
}

TEST(RouterRecord, KeepsRoutingWhenTheRecordingFails) {
  const TestFolder folder;
  // The limit on file sizes stands for a full disk: the ledger is small, the recording grows.
  const std::string endpoint = free_endpoint();
  const std::string path = folder.file("a.mcap");
  DroverProcess router(
      "/bin/sh",
      {"-c", "trap '' XFSZ; ulimit -f 1024; exec " DROVER_BINARY " router --listen " + endpoint +
                 " --ledger " + folder.file("ledger.sqlite") + " --speed 20 --record " + path});
  ASSERT_TRUE(router.says("router ready")) << router.err();
  DroverProcess agent(
      {"agent", "--connect", endpoint, "--name", "h-1", "--devices", "l4:128,l4:128"});
  ASSERT_TRUE(router.says("the recording has ended: ")) << router.err();
  const ProcessResult job =
      run_drover({"submit", "--connect", endpoint, "--kind", "train", "--model", "bert-large",
                  "--steps", "3", "--batch", "8", "--seq-len", "128", "--wait"});
  EXPECT_EQ(job.exit_code, 0) << job.err;
  const ProcessResult seen =
      run_drover({"frame", "--connect", endpoint, "--ascii", "--size", "160x50"});
  EXPECT_NE(seen.out.find("the recording has ended:"), std::string::npos) << seen.out << seen.err;
  router.signal(SIGTERM);
  const ProcessResult ran = router.wait();
  EXPECT_EQ(ran.exit_code, 3) << ran.err;
  EXPECT_NE(ran.err.find("File too large"), std::string::npos) << ran.err;
}

/// The texts of its bookmarks, in order.
std::vector<std::string> bookmarks_of(const std::string& path) {
  auto recording = open_recording(path, RecordingSurvey::always);
  if (!recording) return {recording.error().message};
  std::vector<std::string> texts;
  const auto marks = recording->reader.bookmarks();
  if (!marks) return {marks.error().message};
  for (const RecordedMessage& mark : *marks) {
    texts.push_back(std::get<Event>(mark.envelope.body).text);
  }
  return texts;
}

TEST(Record, EachRecorderOfARouterGetsABookmarkOnce) {
  const TestFolder folder;
  const std::string of_router = folder.file("router.mcap");
  SmallFleet fleet({"--record", of_router}, "1");
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const std::string of_record = folder.file("record.mcap");
  const std::string of_top = folder.file("top.mcap");
  DroverProcess record(fleet.with_connect({"record", "-o", of_record}));
  ASSERT_TRUE(record.says("recording to")) << record.err();
  ASSERT_TRUE(eventually([&] { return info(of_record)["journaled"].integer() > 0; }))
      << record.err();
  PseudoTerminal other(fleet.with_connect({"top", "--view", "events"}), 120, 40);
  ASSERT_TRUE(other.shows("events")) << other.screen();
  PseudoTerminal top(fleet.with_connect({"top", "--record", of_top}), 120, 40);
  ASSERT_TRUE(top.shows("h-1")) << top.screen();
  top.type(":bookmark draft\r:bookmark the peak\r");
  EXPECT_TRUE(other.shows("the peak (of ")) << other.screen();
  std::this_thread::sleep_for(std::chrono::seconds(1));  // to the recorders, as to `other`
  for (PseudoTerminal* const each : {&top, &other}) {
    each->type("q");
    ASSERT_TRUE(each->ends()) << each->screen();
  }
  record.signal(SIGTERM);
  EXPECT_EQ(record.wait().exit_code, 0);
  fleet.router().signal(SIGTERM);
  EXPECT_EQ(fleet.router().wait().exit_code, 0);
  for (const std::string& path : {of_router, of_record, of_top}) {
    EXPECT_EQ(bookmarks_of(path), (std::vector<std::string>{"draft", "the peak"})) << path;
  }
}

TEST(Record, ADashboardSaysWhichBookmarkTheRouterRefuses) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  PseudoTerminal top(fleet.with_connect({"top"}), 120, 40);
  ASSERT_TRUE(top.shows("h-1")) << top.screen();
  for (int i = 0; i < 11; ++i) top.type(":bookmark the peak\r");
  EXPECT_TRUE(top.shows("only kept here: there were many in the last minute")) << top.screen();
  top.type("q");
  ASSERT_TRUE(top.ends()) << top.screen();
}

TEST(Record, ABookmarkThatNoRouterCanTakeIsRecordedByItsDashboard) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const std::string path = fleet.file("top.mcap");
  PseudoTerminal top(fleet.with_connect({"top", "--record", path}), 120, 40);
  ASSERT_TRUE(top.shows("h-1")) << top.screen();
  fleet.router().signal(SIGKILL);
  ASSERT_TRUE(fleet.router().ends());
  top.type(":bookmark alone\r");
  EXPECT_TRUE(top.shows("kept here")) << top.screen();
  top.type("q");
  ASSERT_TRUE(top.ends()) << top.screen();
  EXPECT_EQ(bookmarks_of(path), std::vector<std::string>{"alone"});
}

}  // namespace
}  // namespace drover::commands
