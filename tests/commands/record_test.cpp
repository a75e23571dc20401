// Recordings in the making: `drover record`, `drover router --record`, and the worker behind both.
#include <gtest/gtest.h>

#include <poll.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "commands/recorder.h"
#include "program.h"
#include "recorded_story.h"
#include "small_fleet.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

RecorderOptions options_for(const std::string& path) {
  RecorderOptions options;
  options.path = path;
  options.disk_free_bytes_min = 0;
  return options;
}

RecordingStart start_of(const RecordedStory& story) { return {story.start, 1, "test", {}, {1, 2}}; }

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

TEST(Recorder, KeepsAllThatFits) {
  const Folder folder;
  const RecordedStory story = story_of(70);
  auto recorder = Recorder::open(options_for(folder.file("a.mcap")), start_of(story));
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  EXPECT_TRUE((*recorder)->take_keyframe(story.start, story.state));
  for (const Recorded& news : story.news) {
    EXPECT_TRUE((*recorder)->take(news.arrived, news.envelope));
  }
  EXPECT_TRUE((*recorder)->end().ok());
  EXPECT_EQ(verified(folder.file("a.mcap")), 0);
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.mcap.journal")));
  const Json said = info(folder.file("a.mcap"));
  EXPECT_EQ(said["sample_batches"].integer(), 4 * 70) << said.dump();
  EXPECT_EQ(messages_of(said, "jobs"), 70) << said.dump();
}

TEST(Recorder, CountsWhatDoesNotFitAndTellsItInTheFile) {
  const Folder folder;
  const RecordedStory story = story_of(5);
  RecorderOptions options = options_for(folder.file("a.mcap"));
  options.queue_bytes_max = 700;  // room for a row, and for no batch
  auto recorder = Recorder::open(options, start_of(story));
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  std::uint64_t refused = 0;
  for (const Recorded& news : story.news) {
    if (std::holds_alternative<SampleBatch>(news.envelope.body)) {
      EXPECT_FALSE((*recorder)->take(news.arrived, news.envelope));
      ++refused;
    }
  }
  EXPECT_EQ((*recorder)->dropped(), refused);
  EXPECT_TRUE((*recorder)->end().ok());
  const Json said = info(folder.file("a.mcap"));
  EXPECT_EQ(said["dropped"].integer(), static_cast<std::int64_t>(refused)) << said.dump();
  EXPECT_EQ(said["drops"][0]["since"].text(), "2025-11-21T02:38:02.000Z") << said.dump();
  EXPECT_EQ(said["drops"][0]["until"].text(), "2025-11-21T02:38:06.000Z") << said.dump();
  EXPECT_EQ(verified(folder.file("a.mcap")), 3) << "whole, but not all that there was";
}

TEST(Recorder, TakesNoFileThatIsThereAndNoneOfAnother) {
  const Folder folder;
  const std::string path = folder.write("a.mcap", "precious");
  const RecordedStory story = story_of(1);
  const auto refused = Recorder::open(options_for(path), start_of(story));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("--force"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(path), 8U);
  RecorderOptions forced = options_for(path);
  forced.force = true;
  const auto first = Recorder::open(forced, start_of(story));
  ASSERT_TRUE(first.ok()) << first.error().message;
  const auto second = Recorder::open(forced, start_of(story));
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("another recorder"), std::string::npos);
}

TEST(Recorder, TakesNoJournalThatIsThere) {
  const Folder folder;
  folder.write("a.mcap.journal", "what another recording has nowhere else");
  const RecordedStory story = story_of(1);
  const auto refused = Recorder::open(options_for(folder.file("a.mcap")), start_of(story));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("a.mcap.journal: is there already; give --force"),
            std::string::npos)
      << refused.error().message;
  EXPECT_EQ(std::filesystem::file_size(folder.file("a.mcap.journal")), 39U);
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.mcap")));
}

/// A limit on file sizes stands for a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit less{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &less);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, signal_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*signal_)(int);
};

bool has_ended(const Recorder& recorder) {
  pollfd ended{recorder.ended_descriptor(), POLLIN, 0};
  return poll(&ended, 1, 0) == 1;
}

TEST(Recorder, EndsByItselfOnADiskThatIsFullAndSaysSo) {
  const Folder folder;
  const RecordedStory story = story_of(70);
  auto recorder = Recorder::open(options_for(folder.file("a.mcap")), start_of(story));
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  {
    const FullDisk disk(40'000);
    for (const Recorded& news : story.news) {
      EXPECT_TRUE((*recorder)->take(news.arrived, news.envelope)) << "nobody waits for it";
    }
    EXPECT_TRUE(eventually([&] { return has_ended(**recorder); }));
  }
  EXPECT_NE((*recorder)->failure().error().message.find("File too large"), std::string::npos);
  EXPECT_FALSE((*recorder)->end().ok());
  const Ran recovered =
      run_drover({"recording", "recover", folder.file("a.mcap"), "-o", folder.file("whole.mcap")});
  EXPECT_EQ(recovered.exit_code, 0) << recovered.out << recovered.err;
  EXPECT_GT(info(folder.file("whole.mcap"))["sample_batches"].integer(), 10);
}

TEST(Recorder, EndsInOrderWhenTheRecordingIsFull) {
  const Folder folder;
  const RecordedStory story = story_of(20);
  RecorderOptions options = options_for(folder.file("a.mcap"));
  options.places_max = 10;
  auto recorder = Recorder::open(options, start_of(story));
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  for (const Recorded& news : story.news) {
    EXPECT_TRUE((*recorder)->take(news.arrived, news.envelope));
  }
  EXPECT_TRUE(eventually([&] { return has_ended(**recorder); }));
  const Status ended = (*recorder)->end();
  ASSERT_FALSE(ended.ok());
  EXPECT_NE(ended.error().message.find("is full with 10 messages"), std::string::npos)
      << ended.error().message;
  EXPECT_EQ(verified(folder.file("a.mcap")), 0);
  const Json said = info(folder.file("a.mcap"));
  EXPECT_EQ(said["sample_batches"].integer() + messages_of(said, "jobs"), 10) << said.dump();
}

TEST(Recorder, BeginsNothingOnADiskThatIsFull) {
  const Folder folder;
  std::filesystem::create_symlink("/dev/full", folder.file("full.mcap"));
  RecorderOptions options = options_for(folder.file("full.mcap"));
  options.force = true;
  const RecordedStory story = story_of(1);
  const auto recorder = Recorder::open(options, start_of(story));
  ASSERT_FALSE(recorder.ok());
  EXPECT_NE(recorder.error().message.find("No space left"), std::string::npos)
      << recorder.error().message;
}

TEST(Recorder, BeginsNothingOnADiskWithTooLittleRoom) {
  const Folder folder;
  RecorderOptions options = options_for(folder.write("a.mcap", "precious"));
  options.force = true;
  options.disk_free_bytes_min = UINT64_MAX / 2;
  const auto recorder = Recorder::open(options, start_of(story_of(1)));
  ASSERT_FALSE(recorder.ok());
  EXPECT_NE(recorder.error().message.find("--min-free"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(folder.file("a.mcap")), 8U) << "nothing was written over";
}

// ---- Real processes ----------------------------------------------------------------------------

TEST(Record, WritesWhatARouterPublishesUntilItIsToldToEnd) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const std::string path = fleet.file("a.mcap");
  Program record(fleet.with_connect({"record", "-o", path}));
  ASSERT_TRUE(record.says("recording to")) << record.err();
  const Ran job = fleet.ask({"submit", "--kind", "train", "--model", "bert-large", "--steps", "3",
                             "--batch", "8", "--seq", "128", "--wait"});
  EXPECT_EQ(job.exit_code, 0) << job.err;
  ASSERT_TRUE(eventually([&] { return info(path)["journaled"].integer() > 10; })) << record.err();
  EXPECT_NE(info(path)["state"].text().find("still being written"), std::string::npos);
  record.signal(SIGTERM);
  const Ran ran = record.wait();
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
  const Ran once = run_drover(frame);
  EXPECT_NE(once.out.find("h-1/0"), std::string::npos) << once.out << once.err;
  EXPECT_EQ(run_drover(frame).out, once.out);
}

TEST(Record, LosesNothingOfWhatItHadWrittenWhenItIsKilled) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const std::string path = fleet.file("a.mcap");
  Program record(fleet.with_connect({"record", "-o", path}));
  ASSERT_TRUE(eventually([&] { return info(path)["journaled"].integer() > 20; })) << record.err();
  const Json before = info(path);
  record.signal(SIGKILL);
  ASSERT_TRUE(record.ends());
  const Ran recovered = run_drover({"recording", "recover", path, "-o", fleet.file("whole.mcap")});
  EXPECT_EQ(recovered.exit_code, 0) << recovered.out << recovered.err;
  EXPECT_EQ(verified(fleet.file("whole.mcap")), 0);
  const Json after = info(fleet.file("whole.mcap"));
  EXPECT_GE(after["last"].text(), before["last"].text());
  EXPECT_EQ(after["first"].text(), before["first"].text());
  EXPECT_EQ(after["devices"].integer(), 2);
}

TEST(Record, EndsWithItsTimeAndSaysWhatStandsInTheWay) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const std::string path = fleet.file("a.mcap");
  EXPECT_EQ(fleet.ask({"record", "-o", path, "--for", "1s"}).exit_code, 0);
  EXPECT_EQ(verified(path), 0);
  const Ran again = fleet.ask({"record", "-o", path, "--for", "1s"});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_NE(again.err.find("is there already; give --force"), std::string::npos) << again.err;
  EXPECT_EQ(fleet.ask({"record", "-o", path, "--for", "1s", "--force"}).exit_code, 0);
  const Ran nameless = fleet.ask({"record"});
  EXPECT_EQ(nameless.exit_code, 2);
  EXPECT_NE(nameless.err.find("-o FILE"), std::string::npos) << nameless.err;
}

TEST(RouterRecord, WritesItsOwnStreamAndClosesTheFileAtItsEnd) {
  const Folder folder;
  const std::string path = folder.file("a.mcap");
  SmallFleet fleet({"--record", path}, "20");
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  EXPECT_EQ(fleet
                .ask({"submit", "--kind", "train", "--model", "bert-large", "--steps", "3",
                      "--batch", "8", "--seq", "128", "--wait"})
                .exit_code,
            0);
  // A keyframe a fleet minute.
  ASSERT_TRUE(eventually([&] { return info(path)["keyframes"].integer() >= 2; }));
  fleet.router().signal(SIGTERM);
  const Ran ran = fleet.router().wait();
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(verified(path), 0);
  const Json said = info(path);
  EXPECT_EQ(said["devices"].integer(), 2) << said.dump();
  EXPECT_EQ(said["dropped"].integer(), 0) << said.dump();
  EXPECT_GT(messages_of(said, "jobs"), 0) << said.dump();
  const Ran states =
      run_drover({"recording", "export", path, "--format", "ndjson", "--channel", "jobs"});
  EXPECT_NE(states.out.find("\"state\":\"finished\""), std::string::npos) << states.out;
}

TEST(RouterRecord, RoutesOnWhenTheRecordingCannot) {
  const Folder folder;
  // The limit on file sizes stands for a full disk: the ledger is small, the recording grows.
  const std::string endpoint = free_endpoint();
  const std::string path = folder.file("a.mcap");
  Program router(
      "/bin/sh",
      {"-c", "trap '' XFSZ; ulimit -f 1024; exec " DROVER_BINARY " router --listen " + endpoint +
                 " --ledger " + folder.file("ledger.sqlite") + " --speed 20 --record " + path});
  ASSERT_TRUE(router.says("router ready")) << router.err();
  Program agent({"agent", "--connect", endpoint, "--name", "h-1", "--devices", "l4:128,l4:128"});
  ASSERT_TRUE(router.says("the recording has ended: ")) << router.err();
  const Ran job =
      run_drover({"submit", "--connect", endpoint, "--kind", "train", "--model", "bert-large",
                  "--steps", "3", "--batch", "8", "--seq", "128", "--wait"});
  EXPECT_EQ(job.exit_code, 0) << job.err;
  const Ran seen = run_drover({"frame", "--connect", endpoint, "--ascii", "--size", "160x50"});
  EXPECT_NE(seen.out.find("the recording has ended: "), std::string::npos) << seen.out << seen.err;
  router.signal(SIGTERM);
  const Ran ran = router.wait();
  EXPECT_EQ(ran.exit_code, 3) << ran.err;
  EXPECT_NE(ran.err.find("File too large"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace drover::commands
