// One key with more connections than the gate keeps by number: those that it was last heard on are
// cut off when it is revoked, and nothing that comes by any of them is taken.
#include <sys/resource.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zmq.hpp>

#include "fleet/socket/frames.h"
#include "fleet/socket/keys.h"
#include "fleet/socket/socket.h"
#include "fleet/socket/zap_authenticator.h"
#include "tests/fleet/socket/router_endpoints.h"

namespace drover {
namespace {

// What docs/connection-keys.md says.
constexpr std::uint64_t kept = 1024;

void use_keys(zmq::socket_t& socket, const std::string& router_key, const KeyPair& pair) {
  socket.set(zmq::sockopt::curve_serverkey, router_key);
  socket.set(zmq::sockopt::curve_publickey, pair.key);
  socket.set(zmq::sockopt::curve_secretkey, pair.secret);
}

/// A gate, and one message that came through it: whose it is says the key, not the number.
struct Passed {
  KeyPair router = *generate_key_pair();
  KeyPair pair = *generate_key_pair();
  PublicKey known{"rack", KeyRole::agent, {"n0"}, pair.key};
  zmq::context_t context;
  ZapAuthenticator authenticator{context, router.secret};
  zmq::socket_t door{context, zmq::socket_type::router};
  zmq::socket_t guest{context, zmq::socket_type::dealer};
  std::vector<zmq::message_t> frames;  // of the message

  explicit Passed(std::size_t hosts) {
    for (std::size_t host = 1; host < hosts; ++host) {
      known.ids.push_back("n" + std::to_string(host));
    }
    authenticator.allow_keys({known});
    authenticator.require_keys(door, Channel::control);
    door.bind(any_port);
    door.set(zmq::sockopt::linger, 0);
    guest.set(zmq::sockopt::linger, 0);
    use_keys(guest, router.key, pair);
    guest.connect(door.get(zmq::sockopt::last_endpoint));
    guest.send(zmq::str_buffer("hello"), zmq::send_flags::dontwait);
    std::vector<Dropped> refused;
    EXPECT_TRUE(until([&] { return !(frames = receive_frames(door)).empty(); },
                      {[&] { authenticator.answer_requests(16, refused); }}));
    EXPECT_TRUE(refused.empty());
  }
  bool heard(std::uint64_t number) {
    return authenticator.sender_of(frames.back(), number) != nullptr;
  }
  std::uint64_t is_revoked(std::uint64_t from, std::uint64_t to) const {
    std::uint64_t count = 0;
    for (std::uint64_t number = from; number <= to; ++number)
      count += authenticator.is_revoked(number) ? 1 : 0;
    return count;
  }
};

TEST(ManyConnections, ThoseThatARevokedKeyUsedMostRecentlyAreCutOff) {
  constexpr std::uint64_t all = 5000;
  Passed one(1);
  ASSERT_FALSE(one.frames.empty());
  for (std::uint64_t number = 1; number <= all; ++number) ASSERT_TRUE(one.heard(number));
  ASSERT_TRUE(one.heard(7)) << "an old connection that is heartbeats again";
  EXPECT_EQ(one.is_revoked(1, all), 0U);
  one.authenticator.allow_keys({});
  EXPECT_EQ(one.is_revoked(all - kept + 2, all), kept - 1);
  EXPECT_TRUE(one.authenticator.is_revoked(7));
  EXPECT_LE(one.is_revoked(1, all), 2 * kept) << "and what is kept is bounded";
  for (const std::uint64_t number : {std::uint64_t{2}, all}) {
    EXPECT_FALSE(one.heard(number)) << "nothing is taken, by whichever connection it comes";
  }
  one.authenticator.allow_keys({one.known});
  EXPECT_EQ(one.is_revoked(1, all), 0U) << "allowed again, all are good again";
}

TEST(ManyConnections, AKeyIsCutOffOnAsManyAsItHasHosts) {
  constexpr std::uint64_t hosts = 3000;
  Passed one(hosts);
  ASSERT_FALSE(one.frames.empty());
  for (std::uint64_t number = 1; number <= 2 * hosts; ++number) ASSERT_TRUE(one.heard(number));
  one.authenticator.allow_keys({});
  EXPECT_EQ(one.is_revoked(hosts + 1, 2 * hosts), hosts);
}

TEST(ManyConnections, AreAllRefusedIfNoAuthenticatorAnswers) {
  const KeyPair router = *generate_key_pair();
  const KeyPair pair = *generate_key_pair();
  zmq::context_t context, elsewhere;
  zmq::socket_t door(context, zmq::socket_type::router);
  // A gate hears the questions of its own context and of no other.
  const ZapAuthenticator authenticator(elsewhere, router.secret);
  authenticator.require_keys(door, Channel::control);
  door.set(zmq::sockopt::linger, 0);
  door.bind(any_port);
  zmq::socket_t guest(context, zmq::socket_type::dealer);
  guest.set(zmq::sockopt::linger, 0);
  use_keys(guest, router.key, pair);
  guest.connect(door.get(zmq::sockopt::last_endpoint));
  guest.send(zmq::str_buffer("hello"), zmq::send_flags::dontwait);
  door.set(zmq::sockopt::rcvtimeo, 500);
  zmq::message_t frame;
  EXPECT_FALSE(door.recv(frame)) << "let in without a question";
}

/// So many files at once, if the system lets us.
bool may_open(rlim_t files) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  if (limit.rlim_cur >= files) return true;
  if (limit.rlim_max < files) return false;
  limit.rlim_cur = files;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

TEST(ManyConnections, OfOneRevokedKeyAreCutOffOverRealSockets) {
  constexpr std::uint64_t connections = 1100;
  // Both ends of each are here.
  constexpr rlim_t files = 2 * connections + 300;
  if (!may_open(files)) {
    GTEST_SKIP() << "needs " << files << " open files (ulimit -n), both soft and hard limit";
  }
  const KeyPair pair = *generate_key_pair();
  const KeyPair router_pair = *generate_key_pair();
  Sockets router;
  ASSERT_TRUE(router.require_keys(router_pair.secret));
  router.allow_keys({PublicKey{"sue", KeyRole::submit, {}, pair.key}});
  const auto bound = router.bind_router(any_port, any_port, any_port);
  ASSERT_TRUE(bound) << bound.error().message;

  // One socket that has connected many times: it speaks by its connections in turn.
  zmq::context_t context;
  zmq::socket_t many(context, zmq::socket_type::dealer);
  many.set(zmq::sockopt::linger, 0);
  use_keys(many, router_pair.key, pair);
  const std::string door = bound->control.substr(std::string("tcp://").size());
  for (std::uint64_t one = 0; one < connections; ++one) {
    // ZeroMQ connects a socket to one text once; from another address it is another text.
    many.connect("tcp://127.0." + std::to_string(one / 250) + '.' + std::to_string(1 + one % 250) +
                 ":0;" + door);
  }
  std::vector<Peer> peers;
  const auto turn = [&] {
    for (const Incoming& one : router.wait(std::chrono::milliseconds(5)).messages) {
      peers.push_back(one.from);
    }
  };
  for (std::uint64_t one = 0; one < connections; ++one) {
    many.send(zmq::str_buffer("before"), zmq::send_flags::none);
  }
  ASSERT_TRUE(until([&] { return peers.size() == connections; }, {turn}));
  std::set<std::uint64_t> numbers;
  for (const Peer& peer : peers) numbers.insert(peer.number);
  ASSERT_EQ(numbers.size(), connections);
  for (const Peer& peer : peers) ASSERT_TRUE(router.send(peer, "answer"));

  router.allow_keys({});
  std::uint64_t reached = 0;
  for (std::size_t at = peers.size() - kept; at < peers.size(); ++at) {
    reached += router.send(peers[at], "secret") ? 1 : 0;
  }
  EXPECT_EQ(reached, 0U);
  for (std::uint64_t one = 0; one < connections; ++one) {
    many.send(zmq::str_buffer("after"), zmq::send_flags::none);
  }
  const std::uint64_t before = router.malformed();
  ASSERT_TRUE(until([&] { return router.malformed() == before + connections; }, {turn}));
  EXPECT_EQ(peers.size(), connections) << "of all of them, nothing is taken";
}

}  // namespace
}  // namespace drover
