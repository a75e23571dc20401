// All hosts that one process reads: pages with many hosts, hosts that leave pages, hosts of several
// pages.
#include <gtest/gtest.h>

#include "tests/agents/watch/stage.h"

namespace drover::agents {
namespace {

using std::chrono::seconds;
using watch::board;

constexpr const char* page = "http://ann:secret@n1:9400/metrics";
constexpr const char* other_page = "http://n2:9400/metrics";

struct Hosts {
  explicit Hosts(bool control = false)
      : hosts(settings_of(control), devices::Catalogue::embedded()) {}

  void take(const std::string& target, const std::vector<std::string>& names,
            const std::string& failure = "") {
    TargetNews news{target, {}, failure};
    for (const std::string& name : names) news.hosts.push_back({name, {}, {board("gpu 0")}});
    hosts.take(now, news, [&](std::size_t host) {
      fresh.push_back(hosts.host(host).settings().host);
      JoinAccepted accepted;
      accepted.heartbeat_every = seconds(1);
      hosts.host(host).handle_join_accepted(now, accepted);
    });
  }
  /// Fails, or has these hosts alone, for long enough to be lost.
  void take_long(const std::string& target, const std::vector<std::string>& names,
                 const std::string& failure = "") {
    for (int i = 0; i < 30; ++i) {
      take(target, names, failure);
      now += seconds(1);
    }
  }
  /// Why the host is unreachable; empty: it is not.
  std::string unreachable(std::size_t host) {
    std::string why;
    for (const WatchEffect& effect : hosts.host(host).take_effects()) {
      const auto* send = std::get_if<Send>(&effect);
      if (send == nullptr) continue;
      if (const auto* lost = std::get_if<HostUnreachable>(&send->envelope.body)) why = lost->why;
      if (std::holds_alternative<Register>(send->envelope.body)) why.clear();
    }
    return why;
  }
  static WatchedHostSettings settings_of(bool control) {
    WatchedHostSettings settings;
    settings.host = "here";
    settings.control = control;
    return settings;
  }

  Instant now = Instant{} + std::chrono::hours(24);
  WatchedHosts hosts;
  std::vector<std::string> fresh;
};

TEST(WatchedHosts, EachHostOfAPageJoinsOnce) {
  Hosts stage;
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i) names.push_back(fmt::format("n{}", i));
  stage.take(page, names);
  stage.take(page, names);
  EXPECT_EQ(stage.fresh, names);
  EXPECT_EQ(stage.hosts.size(), 500U);
}

TEST(WatchedHosts, AReadingWithoutANameIsOfThisMachine) {
  Hosts stage;
  stage.take("", {""});
  stage.take(page, {"here"});
  EXPECT_EQ(stage.fresh, (std::vector<std::string>{"here"}));
  EXPECT_EQ(stage.hosts.host(0).device_count(), 1U) << "its board has one identity on both";
}

TEST(WatchedHosts, ATargetThatFailsLosesAllOfItsHostsAndNoOthers) {
  Hosts stage;
  stage.take(page, {"n1", "n2"});
  stage.take(other_page, {"n3"});
  stage.take_long(page, {}, "connection refused");
  EXPECT_EQ(stage.unreachable(0), "connection refused");
  EXPECT_EQ(stage.unreachable(1), "connection refused");
  EXPECT_EQ(stage.unreachable(2), "");
  stage.take(page, {"n1", "n2"});
  EXPECT_EQ(stage.unreachable(0), "");
}

TEST(WatchedHosts, AHostThatLeavesItsPageIsLostAndNoPasswordIsTold) {
  Hosts stage;
  stage.take(page, {"n1", "n2"});
  stage.take_long(page, {"n2"});
  const std::string why = stage.unreachable(0);
  EXPECT_NE(why, "");
  EXPECT_EQ(why.find("secret"), std::string::npos) << why;
  EXPECT_EQ(stage.unreachable(1), "");
}

TEST(WatchedHosts, AHostOfTwoTargetsIsLostWhenBothFail) {
  Hosts stage;
  stage.take(page, {"n1"});
  stage.take(other_page, {"n1"});
  stage.take_long(page, {}, "connection refused");
  EXPECT_EQ(stage.unreachable(0), "") << "the other page still has it";
  stage.take_long(other_page, {}, "does not answer in time");
  EXPECT_EQ(stage.unreachable(0), "does not answer in time");
  stage.take(page, {"n1"});
  EXPECT_EQ(stage.unreachable(0), "");
  stage.take_long(page, {}, "connection refused");
  stage.take_long(other_page, {}, "connection refused");
  EXPECT_EQ(stage.unreachable(0), "connection refused") << "again";
}

TEST(WatchedHosts, PowerCapsOfOtherHostsAreNotSetHere) {
  Hosts stage(true);
  stage.take("", {""});
  stage.take(page, {"n1"});
  EXPECT_TRUE(stage.hosts.host(0).settings().control);
  EXPECT_FALSE(stage.hosts.host(1).settings().control) << "its gpu 0 is not this machine's";
}

TEST(WatchedHosts, BeatsForEachHostAtItsTime) {
  Hosts stage;
  EXPECT_EQ(stage.hosts.next_deadline(), never);
  stage.take(page, {"n1", "n2"});
  EXPECT_EQ(stage.hosts.next_deadline(), stage.now + seconds(1));
  stage.hosts.tick(stage.now + seconds(1));
  EXPECT_EQ(stage.hosts.next_deadline(), stage.now + seconds(2));
}

TEST(WatchedHosts, APageMayNameMoreHostsThanAreTaken) {
  Hosts stage;
  TargetNews news{page, {}, ""};
  for (int i = 0; i < 10'010; ++i) news.hosts.push_back({fmt::format("n{}", i), {}, {}});
  stage.hosts.take(stage.now, news, [&](std::size_t host) {
    stage.fresh.push_back(stage.hosts.host(host).settings().host);
  });
  EXPECT_EQ(stage.hosts.size(), 10'000U);
  EXPECT_EQ(stage.fresh.size(), 10'000U);
}

TEST(WatchedHosts, BeyondTenThousandAreLeftOutAndThatIsSaidOnce) {
  Hosts stage;
  TargetNews news{page, {}, ""};
  const auto take = [&] { stage.hosts.take(stage.now, news, [](std::size_t) {}); };
  for (int i = 0; i < 10'000; ++i) news.hosts.push_back({fmt::format("n{}", i), {}, {}});
  take();
  EXPECT_EQ(stage.hosts.take_note(), "");
  for (int i = 10'000; i < 10'002; ++i) news.hosts.push_back({fmt::format("n{}", i), {}, {}});
  take();
  EXPECT_EQ(stage.hosts.size(), 10'000U);
  EXPECT_EQ(stage.hosts.take_note(), "found more than 10000 hosts: n10000 and others are left out");
  take();
  EXPECT_EQ(stage.hosts.take_note(), "");
}

}  // namespace
}  // namespace drover::agents
