#include "fleet/socket/socket.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/codec/codec.h"
#include "tests/fleet/socket/router_endpoints.h"

namespace drover {
namespace {

using std::chrono::milliseconds;

TEST(Endpoint, SplitsAndJoins) {
  const struct {
    std::string_view text, host;
    std::uint16_t port;
    std::string_view joined;
    bool loopback;
  } cases[] = {
      {"tcp://127.0.0.1:7700", "127.0.0.1", 7700, "tcp://127.0.0.1:7700", true},
      {"tcp://127.8.8.8:1", "127.8.8.8", 1, "tcp://127.8.8.8:1", true},
      {"tcp://localhost:65535", "localhost", 65535, "tcp://localhost:65535", true},
      {"tcp://[::1]:7700", "::1", 7700, "tcp://[::1]:7700", true},
      {"tcp://*:7700", "*", 7700, "tcp://*:7700", false},
      {"tcp://0.0.0.0:0", "0.0.0.0", 0, "tcp://0.0.0.0:*", false},
      {"tcp://node-1.rack:*", "node-1.rack", 0, "tcp://node-1.rack:*", false},
      {"tcp://127.evil.example:1", "127.evil.example", 1, "tcp://127.evil.example:1", false},
  };
  for (const auto& row : cases) {
    const auto endpoint = parse_endpoint(row.text, "--connect");
    ASSERT_TRUE(endpoint) << endpoint.error().message;
    EXPECT_EQ(endpoint->host, row.host);
    EXPECT_EQ(endpoint->port, row.port);
    EXPECT_EQ(endpoint->to_text(), row.joined);
    EXPECT_EQ(endpoint->loopback(), row.loopback) << row.text;
  }
}

TEST(Endpoint, MalformedOnesAreRefusedWithTheOptionNamed) {
  for (const std::string_view text :
       {"", "7700", "127.0.0.1:7700", "tcp://", "tcp://:7700", "tcp://host",
        "tcp://host:", "tcp://host:65536", "tcp://host:-1", "tcp://host:77x", "udp://host:1",
        "tcp://ho st:1", "tcp://[::1:7700", "tcp://[zz]:1", "tcp://::1:7700", "tcp://1.2.3:1",
        "tcp://256.0.0.1:1", "tcp://-host:1", "tcp://h\x1b:1"}) {
    const auto endpoint = parse_endpoint(text, "--connect");
    ASSERT_FALSE(endpoint) << text;
    EXPECT_TRUE(endpoint.error().message.starts_with("--connect: found \"")) << text;
    EXPECT_EQ(endpoint.error().message.find('\x1b'), std::string::npos);
  }
}

TEST(Topics, EveryMessageHasOne) {
  EXPECT_EQ(topic_of(SampleBatch{}), Topic::samples);
  EXPECT_EQ(topic_of(Decision{}), Topic::decisions);
  EXPECT_EQ(topic_of(Event{}), Topic::events);
  EXPECT_EQ(topic_of(JobChanged{}), Topic::state);
  EXPECT_EQ(publish_under(Topic::state), publish_peer);
  EXPECT_EQ(to_text(Topic::decisions), "decisions");
}

TEST(Sockets, ControlCarriesRequestsAndRepliesToTheRightPeer) {
  RouterEndpoints router;
  std::array<TestClient, 3> guests;
  for (std::size_t index = 0; index < guests.size(); ++index) {
    ASSERT_TRUE(guests[index].sockets.connect_control(router.bound.control));
    // Before the connection stands: the message waits for it.
    EXPECT_TRUE(guests[index].sockets.send(router_peer, "from " + std::to_string(index)));
  }
  ASSERT_TRUE(until([&] { return router.received.size() == 3; }, {[&] { router.turn(); }}));
  for (const Incoming& incoming : router.received) {
    EXPECT_EQ(incoming.from.channel, Channel::control);
    EXPECT_NE(incoming.from, router_peer);
    EXPECT_TRUE(router.sockets.send(incoming.from, "answer " + incoming.bytes));
  }
  for (std::size_t index = 0; index < guests.size(); ++index) {
    TestClient& guest = guests[index];
    ASSERT_TRUE(until([&] { return !guest.received.empty(); }, {[&] { guest.turn(); }}));
    EXPECT_EQ(guest.received[0].bytes, "answer from " + std::to_string(index));
    EXPECT_EQ(guest.received[0].from, router_peer);
  }
  EXPECT_EQ(router.sockets.drops(), 0U);
  EXPECT_EQ(router.sockets.malformed(), 0U);
}

TEST(Sockets, MessagesOfOnePeerKeepTheirOrder) {
  RouterEndpoints router;
  TestClient guest;
  ASSERT_TRUE(guest.sockets.connect_control(router.bound.control));
  for (int number = 0; number < 5000; ++number) {
    ASSERT_TRUE(guest.sockets.send(router_peer, std::to_string(number)));
  }
  ASSERT_TRUE(until([&] { return router.received.size() == 5000; }, {[&] { router.turn(); }}));
  for (int number = 0; number < 5000; ++number) {
    ASSERT_EQ(router.received[static_cast<std::size_t>(number)].bytes, std::to_string(number));
  }
}

TEST(Sockets, ATurnReturnsUpToTheRequestedNumberOfMessages) {
  RouterEndpoints router;
  TestClient guest;
  ASSERT_TRUE(guest.sockets.connect_control(router.bound.control));
  for (int number = 0; number < 100; ++number) guest.sockets.send(router_peer, "x");
  std::size_t taken = 0;
  ASSERT_TRUE(until([&] { return taken == 100; }, {[&] {
                      const auto turn = router.sockets.wait(milliseconds(5), {.messages = 7});
                      EXPECT_LE(turn.messages.size(), 7U);
                      taken += turn.messages.size();
                    }}));
}

constexpr std::size_t kib = 1024;
/// In one turn 16 messages of 1 KiB may be kept.
constexpr PollLimits sixteen_kept{4096, 16 * kib, std::chrono::seconds(10)};

TEST(Sockets, ATurnKeepsABoundedNumberOfBytes) {
  RouterEndpoints router;
  TestClient guest;
  ASSERT_TRUE(guest.sockets.connect_control(router.bound.control));
  for (int number = 0; number < 48; ++number) {
    guest.sockets.send(router_peer, std::string(kib, 'x'));
  }
  std::size_t taken = 0;
  ASSERT_TRUE(until([&] { return taken == 48; }, {[&] {
                      const auto turn = router.sockets.wait(milliseconds(5), sixteen_kept);
                      EXPECT_LE(turn.messages.size(), 16U);
                      taken += turn.messages.size();
                    }}));
}

TEST(Sockets, DiscardedMessagesAreNotCopiedAndDoNotEndATurn) {
  RouterEndpoints router;
  TestClient guest;
  ASSERT_TRUE(guest.sockets.connect_control(router.bound.control));
  ASSERT_TRUE(guest.sockets.send(router_peer, "here"));
  ASSERT_TRUE(until([&] { return !router.received.empty(); }, {[&] { router.turn(); }}));
  for (int number = 0; number < 48; ++number) {
    guest.sockets.send(router_peer, std::string(kib, 'x'));
  }
  // Time for all of them to arrive before the first turn.
  std::this_thread::sleep_for(milliseconds(300));
  std::size_t seen = 0, most = 0;
  ASSERT_TRUE(until([&] { return seen == 48; }, {[&] {
                      std::size_t now = 0;
                      const auto turn =
                          router.sockets.wait(milliseconds(5), sixteen_kept,
                                              [&](const Incoming& head, std::string_view bytes) {
                                                EXPECT_TRUE(head.bytes.empty());
                                                EXPECT_NE(head.from.number, 0U);
                                                EXPECT_EQ(bytes.size(), kib);
                                                ++now;
                                                return false;
                                              });
                      EXPECT_TRUE(turn.messages.empty());
                      seen += now;
                      most = std::max(most, now);
                    }}));
  EXPECT_GT(most, 16U);
}

/// A client that is connected and reads nothing until it is told to.
struct DeafClient {
  zmq::context_t context;
  zmq::socket_t socket{context, zmq::socket_type::dealer};

  explicit DeafClient(const std::string& endpoint) {
    socket.set(zmq::sockopt::rcvhwm, 1);
    socket.set(zmq::sockopt::linger, 0);
    socket.connect(endpoint);
    socket.send(zmq::str_buffer("here"), zmq::send_flags::none);
  }
  std::size_t read(std::size_t wanted) {
    std::size_t count = 0;
    socket.set(zmq::sockopt::rcvtimeo, 5000);
    for (zmq::message_t message; count < wanted && socket.recv(message); ++count) continue;
    return count;
  }
};

TEST(Sockets, BytesThatAPeerDoesNotReadAreKnownAndBounded) {
  RouterEndpoints router;
  DeafClient client(router.bound.control);
  ASSERT_TRUE(until([&] { return router.received.size() == 1; }, {[&] { router.turn(); }}));
  const Peer peer = router.received[0].from;
  EXPECT_EQ(router.sockets.waiting_bytes(peer), 0U);
  const std::string large(256 * 1024, 'x');
  std::size_t sent = 0;
  while (sent < 1000 && router.sockets.send(peer, large)) ++sent;
  // The kernels at both ends hold some MB of a connection; the rest stands here.
  const std::size_t most = control_waiting_max / large.size();
  EXPECT_GE(sent, most - 1);
  EXPECT_LT(sent, most + 200);
  EXPECT_GT(router.sockets.waiting_bytes(peer), control_waiting_max / 2);
  EXPECT_EQ(client.read(sent), sent);
  EXPECT_TRUE(until([&] { return router.sockets.waiting_bytes(peer) < 64 * 1024; },
                    {[&] { router.turn(); }}));
  EXPECT_TRUE(router.sockets.send(peer, large)) << "who reads is sent to again";
}

TEST(Sockets, NothingIsQueuedForAPeerThatHasLeft) {
  RouterEndpoints router;
  Peer peer;
  {
    DeafClient client(router.bound.control);
    ASSERT_TRUE(until([&] { return router.received.size() == 1; }, {[&] { router.turn(); }}));
    peer = router.received[0].from;
    const std::string large(256 * 1024, 'x');
    for (int count = 0; count < 100; ++count) router.sockets.send(peer, large);
    EXPECT_GT(router.sockets.waiting_bytes(peer), 0U);
  }
  EXPECT_TRUE(
      until([&] { return router.sockets.waiting_bytes(peer) == 0; }, {[&] { router.turn(); }}));
}

/// Speaks ZMTP by itself: a DEALER that can break off as no library would.
class RawDealer {
 public:
  explicit RawDealer(const std::string& endpoint) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(parse_endpoint(endpoint, "")->port);
    EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    std::string greeting = std::string("\xff\0\0\0\0\0\0\0\0\x7f\3\0NULL", 16);
    greeting.resize(64);
    const std::string ready("\4\x1c\5READY\xbSocket-Type\0\0\0\6DEALER", 30);
    give(greeting);
    hear(64);
    give(ready);
    hear(1);
  }
  /// Not cleanly: what waits on either side is thrown away.
  ~RawDealer() {
    const linger at_once{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(socket_);
  }
  void send(const std::string& message) {
    std::string frame("\2", 1);
    for (int shift = 56; shift >= 0; shift -= 8) {
      frame += static_cast<char>(static_cast<std::uint64_t>(message.size()) >> shift & 0xff);
    }
    give(frame + message);
  }

 private:
  void give(const std::string& bytes) {
    EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void hear(std::size_t bytes) {
    std::string heard(bytes, 0);
    EXPECT_EQ(::recv(socket_, heard.data(), bytes, MSG_WAITALL), static_cast<ssize_t>(bytes));
  }
  int socket_;
};

TEST(Sockets, APeerThatFloodsAndDisconnectsDoesNotEndTheRouter) {
  RouterEndpoints router;
  {
    RawDealer flooder(router.bound.control);
    for (int number = 0; number < 1000; ++number) flooder.send("x");
    std::this_thread::sleep_for(milliseconds(100));  // ZeroMQ's queue of it is full by then
  }
  // As long as a busy router may take to read it, ZeroMQ's timers look at the broken connection.
  std::this_thread::sleep_for(milliseconds(2500));
  TestClient guest;
  ASSERT_TRUE(guest.sockets.connect_control(router.bound.control));
  ASSERT_TRUE(guest.sockets.send(router_peer, "still there"));
  EXPECT_TRUE(until(
      [&] {
        return std::any_of(router.received.begin(), router.received.end(),
                           [](const Incoming& one) { return one.bytes == "still there"; });
      },
      {[&] { router.turn(); }}));
}

TEST(Sockets, SendingToUnknownPeersFailsAndIsCounted) {
  RouterEndpoints router;
  EXPECT_FALSE(router.sockets.send(Peer{Channel::control, 12345}, "x"));
  EXPECT_FALSE(router.sockets.send(router_peer, "x"));
  EXPECT_FALSE(router.sockets.send(Peer{Channel::publish, 99}, "x"));
  EXPECT_EQ(router.sockets.drops(), 3U);
}

TEST(Sockets, TheSenderRefusesOversizeMessages) {
  RouterEndpoints router;
  TestClient guest;
  ASSERT_TRUE(guest.sockets.connect_control(router.bound.control));
  EXPECT_FALSE(guest.sockets.send(router_peer, std::string(message_bytes_max + 1, 'x')));
  EXPECT_EQ(guest.sockets.oversize(), 1U);
  EXPECT_EQ(guest.sockets.drops(), 1U);
  EXPECT_TRUE(guest.sockets.send(router_peer, std::string(message_bytes_max, 'x')));
  ASSERT_TRUE(until([&] { return router.received.size() == 1; }, {[&] { router.turn(); }}));
  EXPECT_EQ(router.received[0].bytes.size(), message_bytes_max);
}

TEST(Sockets, SamplesGoInAndPublishGoesOutToAllViewers) {
  RouterEndpoints router;
  TestClient agent;
  TestClient viewers[2];
  ASSERT_TRUE(agent.sockets.connect_samples(router.bound.samples));
  for (TestClient& viewer : viewers)
    ASSERT_TRUE(viewer.sockets.connect_publish(router.bound.publish));
  // Joining takes a moment, and what is published before is not for those who join late.
  const auto forwarded = [&] {
    agent.sockets.send(samples_peer, "batch");
    router.turn();
    for (const Incoming& incoming : router.received) {
      EXPECT_EQ(incoming.from, samples_peer);
      EXPECT_TRUE(router.sockets.send(publish_under(Topic::samples), incoming.bytes));
    }
    router.received.clear();
    EXPECT_TRUE(router.sockets.send(publish_peer, "state"));
  };
  const auto seen = [&] {
    bool all = true;
    for (TestClient& viewer : viewers) {
      viewer.turn();
      all = all && viewer.count_of("batch") > 0 && viewer.count_of("state") > 0;
    }
    return all;
  };
  ASSERT_TRUE(until(seen, {forwarded}));
  EXPECT_EQ(viewers[0].received[0].from, publish_peer);
}

TEST(Sockets, ReportWhetherATopicWasEverSubscribed) {
  RouterEndpoints router;
  EXPECT_FALSE(router.sockets.ever_subscribed(Topic::decisions));
  TestClient viewer;
  ASSERT_TRUE(viewer.sockets.connect_publish(router.bound.publish));
  ASSERT_TRUE(until([&] { return router.sockets.ever_subscribed(Topic::decisions); },
                    {[&] { router.turn(); }}));
  EXPECT_TRUE(router.sockets.ever_subscribed(Topic::events)) << "a viewer asks for all";
}

TEST(Sockets, ASubscriptionToAllTopicsHasNoBundles) {
  RouterEndpoints router;
  TestClient of_all, of_bundles;
  ASSERT_TRUE(of_all.sockets.connect_publish(router.bound.publish));
  ASSERT_TRUE(of_bundles.sockets.connect_publish(router.bound.publish, Topic::bundles));
  const auto publish = [&] {
    router.turn();
    EXPECT_TRUE(router.sockets.send(publish_under(Topic::bundles), "bundle"));
    EXPECT_TRUE(router.sockets.send(publish_peer, "state"));
  };
  const auto seen = [&] {
    of_all.turn();
    of_bundles.turn();
    return of_all.count_of("state") > 0 && of_bundles.count_of("bundle") > 0;
  };
  ASSERT_TRUE(until(seen, {publish}));
  EXPECT_EQ(of_all.count_of("bundle"), 0u);
  EXPECT_EQ(of_bundles.count_of("state"), 0u);
}

TEST(Sockets, ViewersMayComeAndGo) {
  RouterEndpoints router;
  for (int round = 0; round < 50; ++round) {
    TestClient viewer;
    ASSERT_TRUE(viewer.sockets.connect_publish(router.bound.publish));
    // Every other one leaves before it has heard a thing.
    if (round % 2 == 0) continue;
    ASSERT_TRUE(until([&] { return viewer.count_of("state") > 0; },
                      {[&] { router.turn(); }, [&] { viewer.turn(); },
                       [&] { EXPECT_TRUE(router.sockets.send(publish_peer, "state")); }}));
  }
}

TEST(Sockets, APortInUseIsReportedInOneClearLine) {
  RouterEndpoints router;
  Sockets second;
  const auto bound = second.bind_router(any_port, router.bound.control, any_port);
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().message,
            router.bound.control + ": the port is in use (is another router running?)");
  // Nothing stays bound: a second try on free ports works.
  EXPECT_TRUE(second.bind_router(any_port, any_port, any_port));
}

TEST(Sockets, AddressesThatCannotBeBoundOrReachedAreErrors) {
  Sockets sockets;
  EXPECT_FALSE(sockets.bind_router("tcp://192.0.2.1:*", any_port, any_port));
  EXPECT_FALSE(sockets.bind_router("nonsense", any_port, any_port));
  EXPECT_FALSE(sockets.connect_control("tcp://127.0.0.1:*"));
  EXPECT_FALSE(sockets.connect_control("tcp://*:7700"));
  EXPECT_FALSE(sockets.connect_samples("127.0.0.1:7700"));
  EXPECT_FALSE(sockets.connect_publish(""));
}

TEST(Sockets, LocalhostCanBeBound) {
  Sockets sockets;
  const auto bound = sockets.bind_router("tcp://localhost:0", any_port, any_port);
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_TRUE(parse_endpoint(bound->control, "")->loopback());
  EXPECT_NE(parse_endpoint(bound->control, "")->port, 0);
}

TEST(Sockets, ConnectsDisconnectsAndReconnectsAreDetected) {
  TestClient guest;
  auto router = std::make_unique<RouterEndpoints>();
  const Sockets::Bound bound = router->bound;
  ASSERT_TRUE(guest.sockets.connect_control(bound.control));
  EXPECT_FALSE(guest.sockets.control_connected());
  ASSERT_TRUE(until([&] { return guest.sockets.control_connected(); }, {[&] { guest.turn(); }}));
  EXPECT_EQ(guest.sockets.control_connections(), 1U);
  router.reset();
  ASSERT_TRUE(until([&] { return !guest.sockets.control_connected(); }, {[&] { guest.turn(); }}));
  EXPECT_FALSE(guest.sockets.send(router_peer, "into the void"));
  EXPECT_EQ(guest.sockets.drops(), 1U);
  Sockets again;
  ASSERT_TRUE(again.bind_router(bound.control, any_port, any_port));
  ASSERT_TRUE(
      until([&] { return guest.sockets.control_connections() == 2; }, {[&] { guest.turn(); }}));
  EXPECT_TRUE(guest.sockets.send(router_peer, "hello again"));
}

TEST(Sockets, ReconnectingMakesANewPeer) {
  RouterEndpoints router;
  TestClient guest;
  ASSERT_TRUE(guest.sockets.connect_control(router.bound.control));
  guest.sockets.send(router_peer, "first");
  ASSERT_TRUE(until([&] { return router.received.size() == 1; }, {[&] { router.turn(); }}));
  ASSERT_TRUE(guest.sockets.reconnect_control());
  guest.sockets.send(router_peer, "second");
  ASSERT_TRUE(until([&] { return router.received.size() == 2; }, {[&] { router.turn(); }}));
  EXPECT_NE(router.received[0].from, router.received[1].from);
  // The old connection is gone: its number reaches nobody.
  ASSERT_TRUE(until([&] { return !router.sockets.send(router.received[0].from, "x"); },
                    {[&] { router.turn(); }}));
}

TEST(Sockets, SamplesAreNotKeptForARouterThatComesLater) {
  const std::string samples = RouterEndpoints().bound.samples;  // free again at once
  TestClient agent;
  ASSERT_TRUE(agent.sockets.connect_samples(samples));
  for (int number = 0; number < 1000; ++number) agent.sockets.send(samples_peer, "old");
  TestClient router;
  ASSERT_TRUE(router.sockets.bind_router(any_port, samples, any_port));
  ASSERT_TRUE(until([&] { return router.count_of("new") > 0; },
                    {[&] { agent.sockets.send(samples_peer, "new"); }, [&] { router.turn(); }}));
  EXPECT_EQ(router.count_of("old"), 0U);
}

/// Turns until so much was dropped; what was.
std::vector<Dropped> dropped_by(RouterEndpoints& router, std::size_t count) {
  std::vector<Dropped> dropped;
  EXPECT_TRUE(until([&] { return dropped.size() >= count; }, {[&] {
                      auto turn = router.sockets.wait(milliseconds(5));
                      EXPECT_TRUE(turn.messages.empty());
                      std::move(turn.dropped.begin(), turn.dropped.end(),
                                std::back_inserter(dropped));
                    }}));
  return dropped;
}

TEST(Sockets, APeerThatSetsItsOwnRoutingIdIsReportedByThatId) {
  RouterEndpoints router;
  Stranger stranger(zmq::socket_type::dealer, router.bound.control, "me\x1b[2J");
  for (int number = 0; number < 100; ++number) stranger.send({"rubbish"});
  const auto dropped = dropped_by(router, 100);
  ASSERT_EQ(dropped.size(), 100U);
  EXPECT_EQ(dropped[0].from, router_peer);
  EXPECT_EQ(dropped[0].sender, "id \"me^[[2J\" from 127.0.0.1");
  EXPECT_EQ(router.sockets.malformed(), 100U);
}

TEST(Sockets, WrongFramesAreReportedByConnection) {
  RouterEndpoints router;
  Stranger stranger(zmq::socket_type::dealer, router.bound.control);
  stranger.send({"one", "two", "three"});
  stranger.send({"one", "two", "three", "four"});
  stranger.send({"one", "two"});
  stranger.send({std::string(4, '\0'), "two"});
  const auto dropped = dropped_by(router, 4);
  ASSERT_EQ(dropped.size(), 4U);
  EXPECT_NE(dropped[0].from.number, 0U);
  EXPECT_EQ(dropped[0].sender, sender_text(dropped[0].from, "127.0.0.1"));
  EXPECT_EQ(dropped[0].why, "found 3 frames or more, expected 1");
  EXPECT_EQ(dropped[1].from, dropped[0].from);
  for (const std::size_t line : {2, 3}) {
    EXPECT_EQ(dropped[line].why, "an invalid line, expected a number from 1 to 10000");
  }
}

TEST(Sockets, EachLineOfAConnectionIsAPeerOfItsOwn) {
  RouterEndpoints router;
  Sockets agent;
  ASSERT_TRUE(agent.connect_control(router.bound.control));
  const std::string bytes = encode({"h", 1, Instant{}, Heartbeat{}});
  std::map<std::uint64_t, std::string> answers;
  std::set<std::uint64_t> peers;
  for (const std::uint64_t line : {1, 2, 10'000}) agent.send({Channel::control, line}, bytes);
  EXPECT_TRUE(until([&] { return answers.size() == 3; },
                    {[&] {
                       for (const Incoming& incoming :
                            router.sockets.wait(milliseconds(5)).messages) {
                         peers.insert(incoming.from.number);
                         router.sockets.send(incoming.from, incoming.bytes);
                       }
                     },
                     [&] {
                       for (const Incoming& incoming : agent.wait(milliseconds(5)).messages)
                         answers[incoming.from.number] = incoming.bytes;
                     }}));
  EXPECT_EQ(peers.size(), 3U);
  for (const std::uint64_t line : {1, 2, 10'000}) EXPECT_EQ(answers[line], bytes) << line;
}

TEST(Sockets, SamplesWithOneFrameAreReportedByAddress) {
  RouterEndpoints router;
  Stranger stranger(zmq::socket_type::pub, router.bound.samples);
  std::vector<Dropped> dropped;
  ASSERT_TRUE(until([&] { return !dropped.empty(); }, {[&] {
                      stranger.send({"samples"});
                      auto turn = router.sockets.wait(milliseconds(5));
                      std::move(turn.dropped.begin(), turn.dropped.end(),
                                std::back_inserter(dropped));
                    }}));
  EXPECT_EQ(dropped[0].sender, "samples from 127.0.0.1");
  EXPECT_EQ(dropped[0].why, "found 1 frames, expected 2");
}

TEST(Sockets, UnknownTopicsAreReportedByAddress) {
  RouterEndpoints router;
  Stranger stranger(zmq::socket_type::sub, router.bound.publish);
  stranger.socket.set(zmq::sockopt::subscribe, "secrets");
  const auto dropped = dropped_by(router, 1);
  ASSERT_EQ(dropped.size(), 1U);
  EXPECT_EQ(dropped[0].sender, "a subscriber from 127.0.0.1");
}

TEST(Sockets, AFloodOfGarbageDoesNotStallATurn) {
  RouterEndpoints router;
  Stranger stranger(zmq::socket_type::dealer, router.bound.control);
  for (int number = 0; number < 100; ++number) stranger.send({"one", "two"});
  std::size_t taken = 0;
  ASSERT_TRUE(until([&] { return taken == 100; }, {[&] {
                      const auto turn = router.sockets.wait(milliseconds(5), {.messages = 7});
                      EXPECT_LE(turn.dropped.size(), 7U);
                      taken += turn.dropped.size();
                    }}));
}

TEST(Sockets, MessagesCarryTheSendersAddress) {
  RouterEndpoints router;
  TestClient guest;
  ASSERT_TRUE(guest.sockets.connect_control(router.bound.control));
  guest.sockets.send(router_peer, "x");
  ASSERT_TRUE(until([&] { return router.received.size() == 1; }, {[&] { router.turn(); }}));
  EXPECT_EQ(router.received[0].address, "127.0.0.1");
}

TEST(Sockets, WaitReturnsWhenAWatchedDescriptorIsReady) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  Sockets sockets;
  sockets.watch(ends[0]);
  EXPECT_TRUE(sockets.wait(milliseconds(0)).ready_descriptors.empty());
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  EXPECT_EQ(sockets.wait(patience).ready_descriptors, std::vector<int>{ends[0]});
  char byte = 0;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  // A closed other end shows as well: the lifeline of a child process.
  close(ends[1]);
  EXPECT_EQ(sockets.wait(patience).ready_descriptors, std::vector<int>{ends[0]});
  close(ends[0]);
}

}  // namespace
}  // namespace drover
