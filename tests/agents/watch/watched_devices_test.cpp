// The devices of a watched host: those that are lost, their errors, and their power caps.
#include <gtest/gtest.h>

#include "tests/agents/watch/stage.h"

namespace drover::agents {
namespace {

using std::chrono::seconds;
using watch::board;
using watch::Stage;

std::vector<std::string> identities_of_caps(const std::vector<CapBoard>& caps) {
  std::vector<std::string> texts;
  for (const CapBoard& cap : caps) texts.push_back(fmt::format("{} {}", cap.identity, cap.watts));
  return texts;
}

// ---- Devices that are lost, and errors ---------------------------------------------------------

TEST(WatchedHost, ADeviceThatIsLostIsReportedOnceAndHasNoSample) {
  Stage stage;
  stage.join();
  stage.read({board("a"), board("b")});
  stage.forget();
  BoardReading lost;
  lost.identity = "b";
  lost.lost = "GPU is lost";
  for (int i = 0; i < 3; ++i) stage.read({board("a"), lost});
  auto reports = stage.sent<DeviceReport>();
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].device, 1);
  EXPECT_FALSE(reports[0].usable);
  EXPECT_EQ(reports[0].detail, "GPU is lost");
  EXPECT_EQ(stage.sampled(), (std::vector<int>{0, 0, 0}));
  EXPECT_TRUE(stage.sent<Register>().empty()) << "it is the same device";
  stage.receive(Reregister{stage.now});
  stage.forget();
  stage.read({board("a"), lost});
  EXPECT_EQ(stage.sent<DeviceReport>().size(), 1U) << "a router that has forgotten is told again";
  stage.forget();
  stage.read({board("a"), board("b")});
  reports = stage.sent<DeviceReport>();
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_TRUE(reports[0].usable);
  EXPECT_EQ(reports[0].detail, "");
}

TEST(WatchedHost, EachErrorCodeIsReportedWithItsMeaning) {
  Stage stage;
  stage.join();
  stage.read({board("a")});
  stage.forget();
  BoardReading reading = board("a");
  reading.xids = {13, 79};
  stage.read({reading});
  const auto reports = stage.sent<DeviceReport>();
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports[0].xid, 13U);
  EXPECT_TRUE(reports[0].usable) << "whether it answers shows that";
  EXPECT_EQ(reports[1].xid, 79U);
  EXPECT_EQ(reports[1].detail, xid_text(79));
}

// ---- Power caps --------------------------------------------------------------------------------

CapDevices cap(double watts, std::vector<std::uint16_t> devices = {0}) {
  CapDevices message;
  message.devices = std::move(devices);
  message.watts = watts;
  return message;
}

TEST(WatchedHost, SetsPowerCapsAndRestoresWhatWasBefore) {
  Stage stage(seconds(1), true);
  stage.join();
  stage.read({board("a"), board("b")});
  stage.receive(cap(50, {0, 1, 9}));
  EXPECT_EQ(identities_of_caps(stage.caps()), (std::vector<std::string>{"a 50", "b 50"}))
      << "there is no tenth device";
  BoardReading capped = board("a");
  capped.values[Metric::power_cap] = 50;
  stage.read({capped, board("b")});
  stage.receive(cap(60));
  EXPECT_EQ(identities_of_caps(stage.caps()), (std::vector<std::string>{"a 60"}));
  stage.receive(cap(0));
  EXPECT_EQ(identities_of_caps(stage.caps()), (std::vector<std::string>{"a 72"}));
  stage.receive(cap(0));
  EXPECT_TRUE(stage.caps().empty()) << "its cap is not the router's any more";
  stage.host.leave(stage.now, "SIGTERM");
  EXPECT_EQ(identities_of_caps(stage.caps()), (std::vector<std::string>{"b 72"}));
  ASSERT_EQ(stage.sent<Leave>().size(), 1U);
  EXPECT_EQ(stage.sent<Leave>()[0].why, "SIGTERM");
  EXPECT_TRUE(stage.was<Left>());
}

TEST(WatchedHost, RestoresPowerCapsWhenAnotherTookItsPlace) {
  Stage stage(seconds(1), true);
  stage.join();
  stage.read({board("a")});
  stage.receive(cap(50));
  stage.caps();
  stage.receive(Superseded{});
  EXPECT_EQ(identities_of_caps(stage.caps()), (std::vector<std::string>{"a 72"}));
}

TEST(WatchedHost, RestoresTheMakersCapWhenItKnowsNoOther) {
  Stage stage(seconds(1), true);
  stage.join();
  BoardReading reading = board("a");
  reading.values[Metric::power_cap] = absent;
  reading.board.power_cap_default_w = 75;
  stage.read({reading});
  stage.receive(cap(50));
  stage.receive(cap(0));
  EXPECT_EQ(identities_of_caps(stage.caps()), (std::vector<std::string>{"a 50", "a 75"}));
}

TEST(WatchedHost, WithoutControlSetsNoPowerCapAndSaysSo) {
  Stage stage;
  stage.join();
  stage.read({board("a")});
  stage.receive(cap(50));
  EXPECT_TRUE(stage.caps().empty());
  const auto reports = stage.sent<DeviceReport>();
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_TRUE(reports[0].usable);
  EXPECT_NE(reports[0].detail.find("--control"), std::string::npos) << reports[0].detail;
  stage.host.leave(stage.now, "SIGTERM");
  EXPECT_TRUE(stage.caps().empty()) << "nothing is restored that was not set";
}

TEST(WatchedHost, ACapThatTheDriverRefusesIsReportedWithItsReason) {
  Stage stage(seconds(1), true);
  stage.join();
  stage.read({board("a")});
  stage.receive(cap(50));
  stage.host.cap_set(stage.now, {"a", 50}, Status{});
  EXPECT_TRUE(stage.sent<DeviceReport>().empty());
  stage.host.cap_set(stage.now, {"a", 40}, error("no permission"));
  stage.host.cap_set(stage.now, {"another host's", 50}, error("no permission"));
  const auto reports = stage.sent<DeviceReport>();
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].detail, "power cap of 40 W not set: no permission");
  stage.host.leave(stage.now, "SIGTERM");
  EXPECT_EQ(identities_of_caps(stage.caps()), (std::vector<std::string>{"a 50", "a 72"}))
      << "the cap that was set before is restored";
}

TEST(WatchedHost, AnAnswerAboutADeviceOfAnotherHostIsNoneOfIts) {
  Stage remote;  // without control, as all hosts but this machine
  remote.join();
  remote.read({board("gpu 0")});
  remote.host.cap_set(remote.now, {"gpu 0", 50}, error("no permission"));
  EXPECT_TRUE(remote.sent<DeviceReport>().empty());
}

TEST(WatchedHost, WhenTheDriverRefusesTheFirstCapNothingIsRestored) {
  Stage stage(seconds(1), true);
  stage.join();
  stage.read({board("a")});
  stage.receive(cap(50));
  stage.host.cap_set(stage.now, {"a", 50}, error("no permission"));
  stage.host.leave(stage.now, "SIGTERM");
  EXPECT_EQ(identities_of_caps(stage.caps()), (std::vector<std::string>{"a 50"}));
}

TEST(WatchedHost, ADeviceWhoseDriverRefusesCapsIsOfferedNoMore) {
  Stage stage(seconds(1), true);
  stage.join();
  BoardReading reading = board("a");
  reading.board.power_cap_min_w = 30;
  stage.read({reading});
  EXPECT_NE(stage.sent<Register>()[0].specs[0].text.find("cap_min_w = { value = 30"),
            std::string::npos)
      << stage.sent<Register>()[0].specs[0].text;
  stage.forget();
  stage.receive(cap(50));
  stage.host.cap_set(stage.now, {"a", 50}, error(ErrorKind::refused, "no permission"));
  stage.read({reading});
  ASSERT_EQ(stage.sent<Register>().size(), 1U);
  EXPECT_EQ(stage.sent<Register>()[0].specs[0].text.find("cap_min_w = { value = 30"),
            std::string::npos);
}

TEST(WatchedHost, TellsWhichCapItWillRestore) {
  Stage stage(seconds(1), true);
  stage.join();
  stage.read({board("a")});
  EXPECT_EQ(stage.sent<BoardReport>()[0].board.power_cap_before_w, std::nullopt);
  stage.receive(cap(50));
  stage.forget();
  BoardReading capped = board("a");
  capped.values[Metric::power_cap] = 50;
  stage.read({capped});
  ASSERT_EQ(stage.sent<BoardReport>().size(), 1U);
  EXPECT_EQ(stage.sent<BoardReport>()[0].board.power_cap_before_w, 72);
}

TEST(WatchedHost, NeverRaisesACapAboveItsOwners) {
  Stage stage(seconds(1), true);
  stage.join();
  stage.read({board("a")});
  stage.receive(cap(100));
  EXPECT_TRUE(stage.caps().empty());
  stage.receive(cap(50));
  stage.receive(cap(100));
  EXPECT_EQ(identities_of_caps(stage.caps()), (std::vector<std::string>{"a 50", "a 72"}));
}

TEST(WatchedHost, SetsNoCapWhereItKnowsNoneToRestore) {
  Stage stage(seconds(1), true);
  stage.join();
  BoardReading reading = board("a");
  reading.values[Metric::power_cap] = absent;
  stage.read({reading});
  stage.receive(cap(50));
  EXPECT_TRUE(stage.caps().empty());
  const auto reports = stage.sent<DeviceReport>();
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_NE(reports[0].detail.find("could not be restored"), std::string::npos);
}

TEST(WatchedHost, ADeviceThatDiesOfAnErrorStaysUnusable) {
  Stage stage;
  stage.join();
  stage.read({board("a")});
  BoardReading lost = board("a");
  lost.lost = "GPU is lost";
  lost.xids = {79};
  stage.read({lost});
  const auto reports = stage.sent<DeviceReport>();
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports[0].xid, 79U);
  EXPECT_FALSE(reports[0].usable);
  EXPECT_FALSE(reports[1].usable);
  EXPECT_EQ(reports[1].detail, "GPU is lost");
}

TEST(WatchedHost, LeavesOnceAndOnlyWhereItIsKnown) {
  Stage unknown;
  unknown.join();
  unknown.host.leave(unknown.now, "SIGTERM");
  EXPECT_TRUE(unknown.sent<Leave>().empty());
  EXPECT_TRUE(unknown.was<Left>());
  Stage stage;
  stage.join();
  stage.read({board("a")});
  for (int i = 0; i < 2; ++i) stage.host.leave(stage.now, "SIGTERM");
  EXPECT_EQ(stage.sent<Leave>().size(), 1U);
}

}  // namespace
}  // namespace drover::agents
