// Live equals simulated: the same cores with every message carried over real ZeroMQ sockets, fleet
// time moved in lockstep, decide byte for byte what the simulator decides.
#include <map>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "devices/catalogue/catalogue.h"
#include "fleet/socket/socket.h"
#include "simulator/simulation.h"
#include "tests/simulator/fleet_under_test.h"

namespace drover::simulator {
namespace {

/// Every node has sockets of its own; a message is sent by one node's and awaited at the other's.
class SocketCarrier : public MessageTransport {
 public:
  SocketCarrier() {
    auto bound = router_.bind_router("tcp://127.0.0.1:*", "tcp://127.0.0.1:*", "tcp://127.0.0.1:*");
    if (bound.ok()) bound_ = *bound;
  }

  std::string carry(Channel channel, const std::string& from, const std::string& to,
                    std::string bytes) override {
    ++carried_;
    if (to == "router") {
      if (channel == Channel::samples) return over_samples(from, bytes);
      EXPECT_TRUE(node(from).send(router_peer, bytes));
      Incoming incoming = await(router_, Channel::control);
      peers_[from] = incoming.from;
      return std::move(incoming.bytes);
    }
    EXPECT_TRUE(router_.send(peers_.at(to), bytes));
    return await(node(to), Channel::control).bytes;
  }

  std::uint64_t carried() const { return carried_; }

 private:
  Sockets& node(const std::string& name) {
    std::unique_ptr<Sockets>& sockets = nodes_[name];
    if (!sockets) {
      sockets = std::make_unique<Sockets>();
      EXPECT_TRUE(sockets->connect_control(bound_.control).ok());
      EXPECT_TRUE(sockets->connect_samples(bound_.samples).ok());
    }
    return *sockets;
  }

  /// A publisher's first messages are lost until its subscriber is known to it: sent until it
  /// comes.
  std::string over_samples(const std::string& from, const std::string& bytes) {
    for (int tries = 0; tries < 500; ++tries) {
      node(from).send(samples_peer, bytes);
      const bool known = joined_.contains(from);
      for (int waits = 0; waits < (known ? 500 : 1); ++waits) {
        Sockets::PollResult turn = router_.wait(std::chrono::milliseconds(10), {.messages = 1});
        // A copy sent while joining may still come behind the one that was awaited: skipped.
        if (turn.messages.empty() || turn.messages.front().bytes != bytes) continue;
        joined_.insert(from);
        EXPECT_EQ(turn.messages.front().from.channel, Channel::samples);
        return std::move(turn.messages.front().bytes);
      }
    }
    ADD_FAILURE() << "samples of " << from << " never arrived";
    return bytes;
  }

  static Incoming await(Sockets& sockets, Channel channel) {
    for (int waits = 0; waits < 500; ++waits) {
      Sockets::PollResult turn = sockets.wait(std::chrono::milliseconds(10), {.messages = 1});
      if (turn.messages.empty() || turn.messages.front().from.channel != channel) continue;
      return std::move(turn.messages.front());
    }
    ADD_FAILURE() << "a message never arrived";
    return {};
  }

  Sockets router_;
  Sockets::Bound bound_;
  std::map<std::string, std::unique_ptr<Sockets>> nodes_;
  std::map<std::string, Peer> peers_;
  std::set<std::string> joined_;
  std::uint64_t carried_ = 0;
};

TEST(Lockstep, RealSocketsAndTheSimulatorMakeByteIdenticalDecisions) {
  const Scenario scenario = mixed_scenario(21, 20, 10);
  Simulation simulated(scenario, devices::Catalogue::embedded());
  simulated.run_for(std::chrono::seconds(40));

  SocketCarrier sockets;
  Simulation live(scenario, devices::Catalogue::embedded(), &sockets);
  live.run_for(std::chrono::seconds(40));

  ASSERT_GT(simulated.seen().decisions.size(), 100u);
  EXPECT_GT(sockets.carried(), 500u);
  EXPECT_EQ(simulated.seen().decisions, live.seen().decisions);
  EXPECT_EQ(simulated.summary(), live.summary());
  EXPECT_EQ(simulated.ledger(), live.ledger());
}

}  // namespace
}  // namespace drover::simulator
