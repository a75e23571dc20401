// A fleet in one process: what its hosts are read to say comes out as a router's messages, and what
// a viewer asks comes back as power caps.
#include "commands/readings/local_fleet.h"

#include <gtest/gtest.h>

#include "fleet/base/search.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

/// A board that draws 70 W and takes caps from 40 W.
agents::BoardReading board(const std::string& uuid) {
  agents::BoardReading reading;
  reading.identity = uuid;
  reading.vendor = "nvidia";
  reading.board.name = "NVIDIA L4";
  reading.board.uuid = uuid;
  reading.board.power_cap_min_w = 40;
  reading.board.power_cap_max_w = 72;
  reading.board.power_cap_default_w = 72;
  reading.values[Metric::utilization] = 1;
  reading.values[Metric::power] = 70;
  reading.values[Metric::power_cap] = 72;
  reading.values[Metric::temperature] = 60;
  return reading;
}

struct Stage {
  explicit Stage(bool control = true) {
    RouterStart start;
    start.control = true;
    start.start = now;
    agents::WatchedHostSettings hosts;
    hosts.host = "here";
    hosts.control = control;
    auto made = LocalFleet::make(start, hosts, devices::Catalogue::embedded());
    EXPECT_TRUE(made) << made.error().message;
    fleet = *std::move(made);
    say(Join{Role::client, "here", "drover test"});
  }
  void say(Message body) {
    fleet->receive(now, LocalFleet::dashboard, {"here", ++sequence, now, std::move(body)});
    keep();
  }
  void read(const std::string& target, const std::string& host, const std::string& uuid) {
    fleet->take(now, {target, {{host, {}, {board(uuid)}}}, ""});
    keep();
  }
  /// Reads this machine's board and another host's once a second.
  void pass(int span_s) {
    for (int second = 0; second < span_s; ++second) {
      read("", "", "GPU-1");
      read("http://n7:9400/metrics", "n7", "GPU-7");
      now += seconds(1);
      fleet->tick(now);
      keep();
    }
  }
  void keep() {
    for (auto& [to, envelope] : fleet->take_messages()) messages.emplace_back(to, envelope.body);
    for (auto& cap : fleet->take_caps()) caps.push_back(std::move(cap));
  }
  template <typename Body>
  std::vector<Body> told(Peer to) const {
    std::vector<Body> bodies;
    for (const auto& [peer, message] : messages) {
      const auto* body = std::get_if<Body>(&message);
      if (peer == to && body != nullptr) bodies.push_back(*body);
    }
    return bodies;
  }

  Instant now = Instant{} + std::chrono::hours(24 * 365 * 56);
  std::unique_ptr<LocalFleet> fleet;
  std::uint64_t sequence = 0;
  std::vector<std::pair<Peer, Message>> messages;
  std::vector<std::pair<std::size_t, agents::CapBoard>> caps;
};

TEST(LocalFleet, PublishesWhatARouterWould) {
  Stage stage;
  stage.pass(3);
  EXPECT_EQ(stage.told<JoinAccepted>(LocalFleet::dashboard).size(), 1U);
  const auto hosts = stage.told<HostChanged>(publish_peer);
  ASSERT_EQ(hosts.size(), 2U);
  EXPECT_EQ(hosts[0].registration.host, "here");
  EXPECT_EQ(hosts[1].registration.host, "n7");
  EXPECT_EQ(stage.told<BoardChanged>(publish_peer).size(), 2U);
  EXPECT_EQ(stage.told<SampleBatch>(publish_peer).size(), 6U);
  EXPECT_FALSE(stage.told<Summary>(publish_peer).empty());
}

TEST(LocalFleet, SetsPowerCapsOnThisMachineAloneAndRestoresThem) {
  Stage stage;
  stage.pass(3);
  stage.say(SetPowerCap{"site", 125, {}});
  ASSERT_EQ(stage.told<ActionReply>(LocalFleet::dashboard).size(), 1U);
  const ActionReply reply = stage.told<ActionReply>(LocalFleet::dashboard)[0];
  EXPECT_TRUE(reply.applied) << reply.problem;
  stage.pass(5);
  ASSERT_FALSE(stage.caps.empty()) << reply.summary;
  for (const auto& [host, cap] : stage.caps) {
    EXPECT_EQ(host, 0U) << "the other host's board is only read";
    EXPECT_EQ(cap.identity, "GPU-1");
    EXPECT_GE(cap.watts, 40);
    EXPECT_LT(cap.watts, 72);
  }
  stage.caps.clear();
  stage.fleet->leave(stage.now, "SIGTERM");
  stage.keep();
  ASSERT_EQ(stage.caps.size(), 1U);
  EXPECT_EQ(stage.caps[0].second.watts, 72);
}

TEST(LocalFleet, WithoutControlSetsNone) {
  Stage stage(false);
  stage.pass(3);
  stage.say(SetPowerCap{"site", 125, {}});
  stage.pass(5);
  stage.fleet->leave(stage.now, "SIGTERM");
  stage.keep();
  EXPECT_TRUE(stage.caps.empty());
}

}  // namespace
}  // namespace drover::commands
