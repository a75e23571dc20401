// What becomes of messages when whoever they are for does not take them: each queue is bounded,
// what is new is dropped, and nobody else waits. Real sockets; the peers that are slow here are
// slow for a moment only, because a connection that stands still for 3 s is given up.
#include <algorithm>
#include <charconv>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/fleet/socket/router_endpoints.h"

namespace drover {
namespace {

// Far more than any queue and the system's own buffers take.
constexpr std::uint64_t flood = 200'000;

std::string numbered(std::uint64_t number, std::size_t bytes) {
  std::string text = std::to_string(number) + ' ';
  text.resize(bytes, '.');
  return text;
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::vector<std::uint64_t> numbers_of(const std::vector<Incoming>& messages) {
  std::vector<std::uint64_t> numbers;
  for (const Incoming& one : messages) numbers.push_back(number_of(one.bytes));
  return numbers;
}

/// Sends until enough was refused; answers the numbers of what was taken.
std::vector<std::uint64_t> flood_until_refused(Sockets& from, const Peer& to, std::size_t bytes) {
  constexpr std::uint64_t refused_enough = 100;
  std::vector<std::uint64_t> taken;
  for (std::uint64_t number = 1; number <= flood; ++number) {
    if (from.send(to, numbered(number, bytes))) taken.push_back(number);
    if (from.drops() == refused_enough) break;
  }
  EXPECT_EQ(from.drops(), refused_enough) << "every message that could not go is counted";
  return taken;
}

/// Somebody with a socket of another make who takes next to nothing before he reads.
struct Slow {
  zmq::context_t context;
  zmq::socket_t socket;

  Slow(zmq::socket_type type, const std::string& endpoint) : socket(context, type) {
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::rcvhwm, 1);
    socket.set(zmq::sockopt::rcvbuf, 4096);
    if (type == zmq::socket_type::sub) socket.set(zmq::sockopt::subscribe, "");
    socket.connect(endpoint);
  }
  /// The last frame of the next message; empty: none comes within so long.
  std::string read(std::chrono::milliseconds wait) {
    socket.set(zmq::sockopt::rcvtimeo, static_cast<int>(wait.count()));
    std::string last;
    zmq::message_t frame;
    do {
      if (!socket.recv(frame)) return "";
      last = frame.to_string();
    } while (frame.more());
    return last;
  }
};

TEST(FullQueues, UnreadRepliesAreDroppedAndCountedAndOthersArrive) {
  RouterEndpoints router;
  Slow slow(zmq::socket_type::dealer, router.bound.control);
  TestClient other;
  ASSERT_TRUE(other.sockets.connect_control(router.bound.control));
  slow.socket.send(zmq::str_buffer("question"));
  ASSERT_TRUE(until([&] { return router.received.size() == 1; }, {[&] { router.turn(); }}));
  const Peer peer = router.received[0].from;
  const auto taken = flood_until_refused(router.sockets, peer, 200);

  other.sockets.send(router_peer, "question");
  ASSERT_TRUE(until([&] { return router.received.size() == 2; }, {[&] { router.turn(); }}));
  EXPECT_TRUE(router.sockets.send(router.received[1].from, "answer"));
  EXPECT_TRUE(until([&] { return other.count_of("answer") == 1; }, {[&] { other.turn(); }}));

  // What was taken arrives, all of it, in order, and nothing else.
  std::vector<std::uint64_t> read;
  while (read.size() < taken.size()) {
    const std::string message = slow.read(patience);
    if (message.empty()) break;
    read.push_back(number_of(message));
  }
  EXPECT_EQ(read, taken);
  EXPECT_EQ(slow.read(std::chrono::milliseconds(50)), "");
  // And there is room again.
  EXPECT_TRUE(router.sockets.send(peer, "again"));
  EXPECT_EQ(slow.read(patience), "again");
}

TEST(FullQueues, MessagesToAStalledRouterAreDroppedAndCounted) {
  RouterEndpoints router;
  TestClient guest;
  ASSERT_TRUE(guest.sockets.connect_control(router.bound.control));
  ASSERT_TRUE(until([&] { return guest.sockets.control_connected(); }, {[&] { guest.turn(); }}));
  const auto taken = flood_until_refused(guest.sockets, router_peer, 200);
  ASSERT_TRUE(
      until([&] { return router.received.size() >= taken.size(); }, {[&] { router.turn(); }}));
  EXPECT_EQ(numbers_of(router.received), taken);
  EXPECT_TRUE(guest.sockets.send(router_peer, "again"));
}

TEST(FullQueues, SamplesForAStalledRouterAreDroppedAndCountedAndLeaveAGap) {
  RouterEndpoints router;
  TestClient agent;
  ASSERT_TRUE(agent.sockets.connect_samples(router.bound.samples));
  ASSERT_TRUE(until([&] { return !router.received.empty(); },
                    {[&] { agent.sockets.send(samples_peer, "0"); }, [&] { router.turn(); }}));
  const auto taken = flood_until_refused(agent.sockets, samples_peer, 10'000);
  std::erase_if(router.received, [](const Incoming& one) { return one.bytes == "0"; });
  const auto arrived = [&] {
    std::erase_if(router.received, [](const Incoming& one) { return one.bytes == "0"; });
    return router.received.size() >= taken.size();
  };
  ASSERT_TRUE(until(arrived, {[&] { router.turn(); }}));
  EXPECT_EQ(numbers_of(router.received), taken);
  // The next one is as late as it is: the numbers between are missing.
  const std::uint64_t next = taken.back() + agent.sockets.drops() + 1;
  // The agent's thread of libzmq reports the free room a moment later than the router has read.
  ASSERT_TRUE(until([&] { return agent.sockets.send(samples_peer, numbered(next, 100)); }, {}));
  ASSERT_TRUE(
      until([&] { return router.received.size() > taken.size(); }, {[&] { router.turn(); }}));
  EXPECT_EQ(number_of(router.received.back().bytes), next);
}

TEST(FullQueues, ASenderFloodingManyConnectionsDelaysNoOtherSamples) {
  constexpr std::size_t connections = 16, each = 500, few = 5;
  RouterEndpoints router;
  std::vector<std::unique_ptr<TestClient>> agents;
  for (std::size_t number = 0; number <= connections; ++number) {
    agents.push_back(std::make_unique<TestClient>());
    TestClient& agent = *agents.back();
    ASSERT_TRUE(agent.sockets.connect_samples(router.bound.samples));
    const std::size_t before = router.received.size();
    ASSERT_TRUE(
        until([&] { return router.received.size() > before; },
              {[&] { agent.sockets.send(samples_peer, "joined"); }, [&] { router.turn(); }}));
  }
  for (std::size_t number = 0; number < connections; ++number) {
    for (std::size_t sent = 0; sent < each; ++sent) {
      agents[number]->sockets.send(samples_peer, numbered(1, 10'000));  // as many as there is room
    }
  }
  for (std::size_t sent = 0; sent < few; ++sent) {
    ASSERT_TRUE(agents.back()->sockets.send(samples_peer, numbered(2, 100)));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // until they wait at the router
  router.received.clear();
  const auto honest = [](const Incoming& one) { return number_of(one.bytes) == 2; };
  const auto arrived = [&] {
    return static_cast<std::size_t>(
        std::count_if(router.received.begin(), router.received.end(), honest));
  };
  ASSERT_TRUE(until([&] { return arrived() == few; }, {[&] { router.turn(); }}));
  const auto last = std::find_if(router.received.rbegin(), router.received.rend(), honest);
  const auto before = static_cast<std::size_t>(router.received.rend() - last);
  EXPECT_LE(before, 4 * few * (connections + 1)) << "connections are read in turn";
}

TEST(FullQueues, ASubscriberThatDoesNotReadMissesNewMessagesAndOthersNothing) {
  RouterEndpoints router;
  Slow slow(zmq::socket_type::sub, router.bound.publish);
  TestClient quick;
  ASSERT_TRUE(quick.sockets.connect_publish(router.bound.publish));
  // Both have subscribed when both have heard something.
  bool slow_hears = false;
  ASSERT_TRUE(until([&] { return slow_hears && quick.count_of("0") > 0; },
                    {[&] { router.sockets.send(publish_peer, "0"); }, [&] { router.turn(); },
                     [&] { quick.turn(); },
                     [&] { slow_hears |= !slow.read(std::chrono::milliseconds(1)).empty(); }}));
  constexpr std::uint64_t published = 60'000;
  constexpr std::uint64_t at_once = 500;
  for (std::uint64_t number = 1; number <= published; ++number) {
    ASSERT_TRUE(router.sockets.send(publish_peer, numbered(number, 1000)));
    if (number % at_once != 0) continue;
    ASSERT_TRUE(until([&] { return number_of(quick.received.back().bytes) == number; },
                      {[&] { quick.turn(); }}));
    // ZeroMQ looks about once in a millisecond for what has been taken, and counts all else as
    // waiting: on a fast machine a whole queue would be sent in between.
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  std::erase_if(quick.received, [](const Incoming& one) { return one.bytes == "0"; });
  std::vector<std::uint64_t> all(published);
  std::iota(all.begin(), all.end(), 1U);
  EXPECT_EQ(numbers_of(quick.received), all);

  // The slow one reads: the first ones without a gap, then what is published from now on.
  std::vector<std::uint64_t> read;
  std::uint64_t next = published;
  ASSERT_TRUE(until([&] { return !read.empty() && read.back() > published; }, {[&] {
                      router.sockets.send(publish_peer, numbered(++next, 1000));
                      for (int one = 0; one < 100; ++one) {
                        const std::string message = slow.read(std::chrono::milliseconds(5));
                        if (message.empty()) break;
                        if (message != "0") read.push_back(number_of(message));
                      }
                    }}));
  EXPECT_TRUE(std::is_sorted(read.begin(), read.end()));
  EXPECT_EQ(read.front(), 1U);
  EXPECT_LT(read.size(), published) << "the gap is there for it to see";
  EXPECT_EQ(router.sockets.drops(), 0U) << "of one subscriber's loss ZeroMQ tells nobody";
}

}  // namespace
}  // namespace drover
