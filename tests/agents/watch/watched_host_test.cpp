// A host whose devices are read: what it tells the router of readings that come, fail and come
// again.
#include <limits>

#include <gtest/gtest.h>

#include "tests/agents/watch/stage.h"

namespace drover::agents {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using watch::board;
using watch::Stage;

// ---- Registering -------------------------------------------------------------------------------

TEST(WatchedHost, RegistersOnceItHasJoinedAndHasAReading) {
  Stage joined_first;
  joined_first.join();
  EXPECT_TRUE(joined_first.sent<Register>().empty());
  joined_first.read({board("a")});
  ASSERT_EQ(joined_first.sent<Register>().size(), 1U);

  Stage read_first;
  read_first.read({board("a")});
  EXPECT_TRUE(read_first.all().empty()) << "nobody has accepted it yet";
  read_first.join();
  ASSERT_EQ(read_first.sent<Register>().size(), 1U);
}

TEST(WatchedHost, RegistersWhatItsReadingsSay) {
  Stage stage;
  stage.join();
  stage.labels = {{"instance", "n1:9400"}};
  BoardReading second = board("b");
  second.index = 0;
  BoardReading first = board("a");
  first.index = 1;
  stage.read({first, second});
  const Register said = stage.sent<Register>().at(0);
  EXPECT_EQ(said.host, "n1");
  EXPECT_EQ(said.labels, stage.labels);
  EXPECT_EQ(said.incarnation, (Incarnation{1, 2}));
  EXPECT_EQ(said.sample_every, seconds(5));
  EXPECT_EQ(said.asked_at, stage.joined_at);
  ASSERT_EQ(said.groups.size(), 1U) << "two neighbours of one kind";
  EXPECT_EQ(said.groups[0].count, 2);
  EXPECT_EQ(said.groups[0].device, "l4");
  EXPECT_EQ(said.groups[0].power_cap_w, 72);
  ASSERT_EQ(said.specs.size(), 1U);
  EXPECT_EQ(said.specs[0].id, "l4");
  const auto boards = stage.sent<BoardReport>();
  ASSERT_EQ(boards.size(), 2U);
  EXPECT_EQ(boards[0].board.uuid, "a") << "it was read first";
  EXPECT_EQ(boards[0].board.device, 1) << "but its source says that it is the second";
  EXPECT_EQ(boards[1].board.device, 0);
}

TEST(WatchedHost, ANewDeviceGetsTheNextIndexAndMakesItRegisterAgain) {
  Stage stage;
  stage.join();
  stage.read({board("a"), board("b")});
  stage.forget();
  stage.read({board("c", "NVIDIA H100 80GB HBM3"), board("a"), board("b")});
  ASSERT_EQ(stage.sent<Register>().size(), 1U);
  const Register said = stage.sent<Register>()[0];
  ASSERT_EQ(said.groups.size(), 2U);
  EXPECT_EQ(said.groups[1].first, 2);
  EXPECT_EQ(said.groups[1].device, "h100-sxm");
  EXPECT_EQ(said.asked_at, Instant{}) << "nobody asked for it";
  EXPECT_EQ(stage.sent<BoardReport>().size(), 3U) << "after a Register all are reported again";
  stage.forget();
  stage.read({board("a"), board("b"), board("c", "NVIDIA H100 80GB HBM3")});
  EXPECT_TRUE(stage.sent<Register>().empty());
  EXPECT_TRUE(stage.sent<BoardReport>().empty()) << "nothing has changed";
}

TEST(WatchedHost, ADeviceThatStopsHasNoSamplesAndKeepsItsPlace) {
  Stage stage;
  stage.join();
  stage.read({board("a"), board("b"), board("c")});
  stage.forget();
  stage.read({board("a"), board("c")});
  EXPECT_TRUE(stage.sent<Register>().empty());
  EXPECT_EQ(stage.sampled(), (std::vector<int>{0, 2}));
}

TEST(WatchedHost, OfTwoDevicesWithOneIdentityTheFirstCounts) {
  Stage stage;
  stage.join();
  stage.read({board("gpu 0"), board("gpu 0", "AMD Instinct MI300X")});
  ASSERT_EQ(stage.sent<Register>().size(), 1U);
  EXPECT_EQ(stage.host.device_count(), 1U);
}

TEST(WatchedHost, PublishesTheReadingThatCameBeforeItJoined) {
  Stage stage;
  stage.read({board("a")});
  EXPECT_TRUE(stage.all().empty());
  stage.join();
  EXPECT_EQ(stage.sent<Register>().size(), 1U);
  EXPECT_EQ(stage.sent<BoardReport>().size(), 1U);
  EXPECT_EQ(stage.sampled(), std::vector<int>{0});
}

TEST(WatchedHost, TellsOfADeviceWhatChanged) {
  Stage stage;
  stage.join();
  stage.read({board("a")});
  stage.forget();
  BoardReading changed = board("a");
  changed.board.driver = "575.1";
  stage.read({changed});
  ASSERT_EQ(stage.sent<BoardReport>().size(), 1U);
  EXPECT_EQ(stage.sent<BoardReport>()[0].board.driver, "575.1");
  EXPECT_TRUE(stage.sent<Register>().empty());
}

TEST(WatchedHost, TellsOfProcessesAtMostEveryFiveSeconds) {
  Stage stage(seconds(1));
  stage.join();
  BoardReading reading = board("a");
  stage.read({reading});
  stage.forget();
  for (std::uint64_t pid = 1; pid <= 6; ++pid) {
    stage.pass(seconds(1));
    reading.board.processes = {{pid, "ann", "python3", "ann", 1e9, std::nullopt}};
    stage.read({reading});
  }
  const auto reports = stage.sent<BoardReport>();
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].board.processes[0].pid, 5U);
}

TEST(WatchedHost, OfMoreDevicesThanARegisterHoldsTheFirstCount) {
  Stage stage;
  stage.join();
  std::vector<BoardReading> boards;
  for (int i = 0; i < 1100; ++i) {
    boards.push_back(board(fmt::format("board {}", i), i % 2 == 0 ? "NVIDIA L4" : "Tesla T4"));
  }
  stage.read(boards);
  EXPECT_EQ(stage.host.device_count(), 1024U);
  EXPECT_LE(stage.sent<Register>().at(0).groups.size(), 1024U);
  std::size_t rows = 0;
  for (const SampleBatch& batch : stage.sent<SampleBatch>()) {
    EXPECT_LE(batch.devices.size(), batch_rows_max);
    rows += batch.devices.size();
  }
  EXPECT_EQ(rows, 1024U);
}

TEST(WatchedHost, NamesThatChangeAtEveryReadingTakeNoSpace) {
  Stage stage;
  stage.join();
  for (int turn = 0; turn < 40; ++turn) {
    std::vector<BoardReading> boards;
    for (int i = 0; i < 20; ++i)
      boards.push_back(board(fmt::format("{}", i), fmt::format("Board {} of {}", i, turn)));
    stage.forget();
    stage.read(boards);
    ASSERT_EQ(stage.sent<Register>().size(), 1U) << turn;
    const Register said = stage.sent<Register>()[0];
    EXPECT_LE(said.specs.size(), 16U) << "a router accepts no more";
    for (const Group& group : said.groups)
      EXPECT_NE(find_by(said.specs, &SpecText::id, group.device), nullptr) << group.device;
  }
}

TEST(WatchedHost, MemoryThatIsAddedUpFromPartsDoesNotChangeTheDevice) {
  Stage stage;
  stage.join();
  stage.read({board("a")});
  stage.forget();
  BoardReading jittered = board("a");
  jittered.values[Metric::memory_total] += 1e6;
  stage.read({jittered});
  jittered.values[Metric::memory_total] = absent;
  stage.read({jittered});
  EXPECT_TRUE(stage.sent<Register>().empty());
  BoardReading other = board("a", "NVIDIA H100 80GB HBM3");
  stage.read({other});
  EXPECT_EQ(stage.sent<Register>().size(), 1U) << "another board is in its place";
}

// ---- Samples -----------------------------------------------------------------------------------

TEST(WatchedHost, SendsReadingsAsFineAsDriversCount) {
  Stage stage;
  stage.join();
  BoardReading fine = board("a");
  fine.values[Metric::power] = 409.692;
  fine.values[Metric::memory_used] = 5'080'350'720;
  stage.read({fine});
  const auto batches = stage.sent<SampleBatch>();
  ASSERT_EQ(batches.size(), 1U);
  const Sample row = unpack(batches[0]).at(0);
  EXPECT_EQ(row[Metric::power], 409.692);
  EXPECT_EQ(row[Metric::memory_used], 5'080'350'720);
  EXPECT_TRUE(std::isnan(row[Metric::temperature])) << "nothing is made up";
}

TEST(WatchedHost, BeatsOnceItIsRegistered) {
  Stage stage;
  EXPECT_EQ(stage.host.next_deadline(), never);
  stage.join();
  EXPECT_EQ(stage.host.next_deadline(), never) << "there is nothing to keep alive yet";
  stage.read({board("a")});
  EXPECT_EQ(stage.host.next_deadline(), stage.now + seconds(1));
  stage.pass(seconds(3));
  const auto beats = stage.sent<Heartbeat>();
  ASSERT_EQ(beats.size(), 3U);
  EXPECT_EQ(beats[2].incarnation, (Incarnation{1, 2}));
  EXPECT_EQ(beats[2].samples_sent, 1U);
  stage.host.count_undecodable();
  stage.pass(seconds(1));
  EXPECT_EQ(stage.sent<Heartbeat>().back().undecodable, 1U);
}

TEST(WatchedHost, AfterALongPauseBeatsOnce) {
  Stage stage;
  stage.join();
  stage.read({board("a")});
  stage.now += std::chrono::hours(1);
  stage.host.tick(stage.now);
  EXPECT_EQ(stage.sent<Heartbeat>().size(), 1U);
  EXPECT_GT(stage.host.next_deadline(), stage.now);
}

// ---- Unreachable -------------------------------------------------------------------------------

TEST(WatchedHost, IsLostAfterFourReadingsThatFailAndSaysWhy) {
  Stage stage;  // reads every 5 s
  stage.join();
  stage.read({board("a")});
  const Instant failed_at = stage.now;
  while (stage.sent<HostUnreachable>().empty() && stage.now < failed_at + seconds(60)) {
    stage.host.failed(stage.now, "connection refused");
    stage.pass(seconds(5));
  }
  ASSERT_EQ(stage.sent<HostUnreachable>().size(), 1U);
  EXPECT_EQ(stage.sent<HostUnreachable>()[0].why, "connection refused");
  EXPECT_EQ(stage.now - seconds(5) - failed_at, seconds(20)) << "four intervals";
  stage.forget();
  stage.host.failed(stage.now, "connection refused");
  stage.pass(seconds(60));
  EXPECT_TRUE(stage.all().empty()) << "no heartbeats and no second report";
}

TEST(WatchedHost, IsLostAfterTwelveSecondsIfItIsReadOften) {
  Stage stage(milliseconds(500));
  stage.join();
  stage.read({board("a")});
  for (int i = 0; i < 24; ++i) {
    stage.host.failed(stage.now, "no answer");
    EXPECT_TRUE(stage.sent<HostUnreachable>().empty()) << i;
    stage.pass(milliseconds(500));
  }
  stage.host.failed(stage.now, "no answer");
  EXPECT_EQ(stage.sent<HostUnreachable>().size(), 1U);
}

TEST(WatchedHost, AReadingBetweenFailuresKeepsIt) {
  Stage stage;
  stage.join();
  for (int i = 0; i < 10; ++i) {
    stage.read({board("a")});
    for (int failed = 0; failed < 3; ++failed) {
      stage.pass(seconds(5));
      stage.host.failed(stage.now, "no answer");
    }
    stage.pass(seconds(5));
  }
  EXPECT_TRUE(stage.sent<HostUnreachable>().empty());
  EXPECT_EQ(stage.sent<Register>().size(), 1U);
}

TEST(WatchedHost, ComesBackWithItsNextReading) {
  Stage stage;
  stage.join();
  stage.read({board("a")});
  stage.lose();
  stage.forget();
  stage.read({board("a")});
  EXPECT_EQ(stage.sent<Register>().size(), 1U);
  EXPECT_EQ(stage.sent<BoardReport>().size(), 1U);
  EXPECT_EQ(stage.sampled(), (std::vector<int>{0}));
  stage.pass(seconds(2));
  EXPECT_EQ(stage.sent<Heartbeat>().size(), 2U);
}

TEST(WatchedHost, ThatNeverAnsweredIsNotReported) {
  Stage stage;
  stage.join();
  for (int i = 0; i < 10; ++i) {
    stage.host.failed(stage.now, "connection refused");
    stage.pass(seconds(5));
  }
  EXPECT_TRUE(stage.all().empty());
}

// ---- What the router asks ----------------------------------------------------------------------

TEST(WatchedHost, RegistersAgainWhenAsked) {
  Stage stage;
  stage.join();
  stage.read({board("a")});
  stage.forget();
  stage.receive(Reregister{stage.now});
  ASSERT_EQ(stage.sent<Register>().size(), 1U);
  EXPECT_EQ(stage.sent<Register>()[0].asked_at, stage.now);
  stage.forget();
  stage.read({board("a")});
  EXPECT_EQ(stage.sent<BoardReport>().size(), 1U) << "the router has forgotten it";
}

TEST(WatchedHost, ThatDoesNotAnswerRegistersWhenItDoes) {
  Stage stage;
  stage.join();
  stage.read({board("a")});
  stage.host.failed(stage.now, "no answer");
  stage.forget();
  stage.receive(Reregister{stage.now});
  EXPECT_TRUE(stage.sent<Register>().empty());
  stage.read({board("a")});
  EXPECT_EQ(stage.sent<Register>().size(), 1U);
}

TEST(WatchedHost, RegistersWithAnotherRouter) {
  Stage stage;
  stage.join();
  stage.read({board("a")});
  stage.forget();
  stage.join();
  EXPECT_EQ(stage.sent<Register>().size(), 1U);
}

TEST(WatchedHost, EndsWhenAnotherTookItsPlace) {
  Stage stage;
  stage.join();
  stage.read({board("a")});
  stage.receive(Superseded{});
  EXPECT_TRUE(stage.was<Replaced>());
  stage.forget();
  stage.read({board("a")});
  stage.pass(seconds(10));
  stage.host.failed(stage.now, "no answer");
  EXPECT_TRUE(stage.all().empty());
  EXPECT_EQ(stage.host.next_deadline(), never);
}

TEST(WatchedHost, RefusesWork) {
  Stage stage;
  stage.join();
  stage.read({board("a")});
  Assign assign;
  assign.job.id = {0, 9};
  assign.attempt = 3;
  stage.receive(assign);
  const auto refused = stage.sent<Refused>();
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].job, assign.job.id);
  EXPECT_EQ(refused[0].attempt, 3U);
  EXPECT_EQ(refused[0].reason, Reason::policy);
}

}  // namespace
}  // namespace drover::agents
