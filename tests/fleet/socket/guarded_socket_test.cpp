// Encrypted doors: who gets in, who does not, and what is said at both ends. Real sockets on
// loopback.
#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/codec/codec.h"
#include "fleet/socket/keys.h"
#include "fleet/socket/socket.h"
#include "tests/fleet/socket/router_endpoints.h"

namespace drover {
namespace {

using std::chrono::milliseconds;

/// A key pair with its name and role.
struct Holder {
  KeyPair pair = *generate_key_pair();
  PublicKey known;
  explicit Holder(const std::string& name, KeyRole role = KeyRole::agent)
      : known{name, role, {}, pair.key} {
    if (role == KeyRole::agent) known.ids = {name};
  }
};

/// A router's doors, with keys unless it is told otherwise.
struct GuardedRouter {
  KeyPair pair = *generate_key_pair();
  Sockets sockets;
  Sockets::Bound bound;
  std::vector<Incoming> received;
  std::vector<std::string> names;  // of the keys that what was received came with
  std::vector<Dropped> dropped;

  explicit GuardedRouter(std::vector<PublicKey> keys, bool guarded = true) {
    if (guarded) {
      const Status require_keys = sockets.require_keys(pair.secret);
      if (!require_keys) ADD_FAILURE() << require_keys.error().message;
      sockets.allow_keys(std::move(keys));
    }
    auto result = sockets.bind_router(any_port, any_port, any_port);
    if (!result) ADD_FAILURE() << result.error().message;
    bound = *std::move(result);
  }
  void turn() {
    auto taken = sockets.wait(milliseconds(5));
    for (const Incoming& incoming : taken.messages) {
      names.push_back(incoming.key == nullptr ? "" : incoming.key->name);
    }
    std::move(taken.messages.begin(), taken.messages.end(), std::back_inserter(received));
    std::move(taken.dropped.begin(), taken.dropped.end(), std::back_inserter(dropped));
  }
  bool told(const std::string& text) const {
    for (const Dropped& one : dropped) {
      if ((one.sender + " " + one.why).find(text) != std::string::npos) return true;
    }
    return false;
  }
};

struct KeyedClient {
  Sockets sockets;
  std::vector<Incoming> received;

  KeyedClient() = default;
  KeyedClient(const GuardedRouter& router, const Holder& holder) { use(router.pair.key, holder); }
  void use(const std::string& router_key, const Holder& holder) {
    sockets.use_keys({router_key, holder.pair.key, holder.pair.secret});
  }
  void turn() {
    auto taken = sockets.wait(milliseconds(5));
    std::move(taken.messages.begin(), taken.messages.end(), std::back_inserter(received));
  }
};

/// Both ends turn until `done`.
bool turn_until(GuardedRouter& router, KeyedClient& guest, const std::function<bool()>& done) {
  return until(done, {[&] { router.turn(); }, [&] { guest.turn(); }});
}

TEST(GuardedSockets, AnAllowedKeyUsesEveryEndpointUnderItsName) {
  const Holder agent("h-1");
  const Holder viewer("eve", KeyRole::view);
  GuardedRouter router({agent.known, viewer.known});
  KeyedClient guest(router, agent);
  ASSERT_TRUE(guest.sockets.connect_control(router.bound.control));
  EXPECT_TRUE(guest.sockets.send(router_peer, "question"));
  ASSERT_TRUE(turn_until(router, guest, [&] { return router.received.size() == 1; }));
  EXPECT_EQ(router.names[0], "h-1");
  EXPECT_TRUE(router.sockets.send(router.received[0].from, "answer"));
  ASSERT_TRUE(turn_until(router, guest, [&] { return guest.received.size() == 1; }));
  EXPECT_EQ(guest.received[0].bytes, "answer");
  EXPECT_EQ(guest.sockets.connect_refusal(), std::nullopt);

  ASSERT_TRUE(guest.sockets.connect_samples(router.bound.samples));
  ASSERT_TRUE(turn_until(router, guest, [&] {
    guest.sockets.send(samples_peer, "sample");
    return router.received.size() > 1;
  }));
  EXPECT_EQ(router.received[1].from, samples_peer);
  EXPECT_EQ(router.names[1], "h-1");

  KeyedClient watching(router, viewer);
  ASSERT_TRUE(watching.sockets.connect_publish(router.bound.publish));
  ASSERT_TRUE(turn_until(router, watching, [&] {
    router.sockets.send(publish_under(Topic::decisions), "news");
    return !watching.received.empty();
  }));
  EXPECT_EQ(watching.received[0].bytes, "news");
  EXPECT_EQ(router.sockets.malformed(), 0U);
}

TEST(GuardedSockets, TheLongestMessageAlsoPassesEncrypted) {
  const Holder agent("h-1");
  GuardedRouter router({agent.known});
  KeyedClient guest(router, agent);
  ASSERT_TRUE(guest.sockets.connect_control(router.bound.control));
  EXPECT_TRUE(guest.sockets.send(router_peer, std::string(message_bytes_max, 'x')));
  ASSERT_TRUE(turn_until(router, guest, [&] { return router.received.size() == 1; }));
  EXPECT_EQ(router.received[0].bytes.size(), message_bytes_max);
  EXPECT_TRUE(router.sockets.send(router.received[0].from, std::string(message_bytes_max, 'y')));
  EXPECT_TRUE(turn_until(router, guest, [&] { return guest.received.size() == 1; }));
  EXPECT_EQ(guest.sockets.control_connections(), 1U);
}

TEST(GuardedSockets, ADisallowedKeyIsReportedAtBothEndsAndAcceptedOnceAllowed) {
  const Holder agent("h-1");
  GuardedRouter router({});
  KeyedClient guest(router, agent);
  ASSERT_TRUE(guest.sockets.connect_control(router.bound.control));
  ASSERT_TRUE(guest.sockets.connect_samples(router.bound.samples));
  ASSERT_TRUE(turn_until(router, guest,
                         [&] { return guest.sockets.connect_refusal() == ConnectRefusal::key; }));
  EXPECT_FALSE(guest.sockets.control_connected());
  EXPECT_TRUE(router.told(fingerprint(agent.pair.key)));
  EXPECT_TRUE(router.told("drover keys allow"));
  EXPECT_TRUE(router.told("127.0.0.1"));
  router.sockets.allow_keys({agent.known});
  ASSERT_TRUE(turn_until(router, guest, [&] { return guest.sockets.control_connected(); }));
  EXPECT_EQ(guest.sockets.connect_refusal(), std::nullopt);
  EXPECT_TRUE(guest.sockets.send(router_peer, "hello"));
  EXPECT_TRUE(turn_until(router, guest, [&] { return router.received.size() == 1; }));
  // So does the other door, without anybody's doing.
  EXPECT_TRUE(turn_until(router, guest, [&] {
    guest.sockets.send(samples_peer, "sample");
    return router.received.back().from == samples_peer;
  }));
}

TEST(GuardedSockets, EachMismatchIsReportedToTheClient) {
  const Holder agent("h-1");
  GuardedRouter guarded({agent.known});
  {
    KeyedClient misled;
    misled.use(generate_key_pair()->key, agent);
    ASSERT_TRUE(misled.sockets.connect_control(guarded.bound.control));
    EXPECT_TRUE(turn_until(guarded, misled, [&] {
      return misled.sockets.connect_refusal() == ConnectRefusal::router_key;
    }));
  }
  {
    KeyedClient plain;
    ASSERT_TRUE(plain.sockets.connect_control(guarded.bound.control));
    EXPECT_TRUE(turn_until(guarded, plain, [&] {
      return plain.sockets.connect_refusal() == ConnectRefusal::plain_text;
    }));
  }
  GuardedRouter open({}, false);
  KeyedClient keyed(guarded, agent);
  ASSERT_TRUE(keyed.sockets.connect_control(open.bound.control));
  EXPECT_TRUE(turn_until(
      open, keyed, [&] { return keyed.sockets.connect_refusal() == ConnectRefusal::encryption; }));
  EXPECT_TRUE(guarded.received.empty());
  EXPECT_TRUE(open.received.empty());
}

TEST(GuardedSockets, EndpointsAcceptOnlyTheRolesThatUseThem) {
  const Holder agent("h-1");
  const Holder submitter("sue", KeyRole::submit);
  GuardedRouter router({agent.known, submitter.known});
  for (const Holder* holder : {&agent, &submitter}) {
    KeyedClient guest(router, *holder);
    ASSERT_TRUE(guest.sockets.connect_publish(router.bound.publish));
    EXPECT_TRUE(turn_until(router, guest, [&] {
      return router.told("key " + holder->known.name + " from 127.0.0.1 the key " +
                         holder->known.name + " (role " + std::string(to_text(holder->known.role)) +
                         ") is not for the publish endpoint");
    }));
  }
  KeyedClient guest(router, submitter);
  ASSERT_TRUE(guest.sockets.connect_samples(router.bound.samples));
  EXPECT_TRUE(
      turn_until(router, guest, [&] { return router.told("is not for the samples endpoint"); }));
}

TEST(GuardedSockets, ARevokedKeyIsCutOffWhileItIsConnected) {
  const Holder agent("h-1");
  const Holder other("h-2");
  GuardedRouter router({agent.known, other.known});
  KeyedClient guest(router, agent);
  KeyedClient stays(router, other);
  ASSERT_TRUE(guest.sockets.connect_control(router.bound.control));
  ASSERT_TRUE(stays.sockets.connect_control(router.bound.control));
  ASSERT_TRUE(guest.sockets.connect_samples(router.bound.samples));
  guest.sockets.send(router_peer, "before");
  ASSERT_TRUE(turn_until(router, guest, [&] {
    guest.sockets.send(samples_peer, "sample");
    return router.received.size() > 1 && router.received.back().from == samples_peer;
  }));
  const auto before = std::find_if(router.received.begin(), router.received.end(),
                                   [](const Incoming& one) { return one.bytes == "before"; });
  ASSERT_NE(before, router.received.end());
  const Peer peer = before->from;
  ASSERT_TRUE(router.sockets.send(peer, "answer"));
  // Whatever is still under way.
  ASSERT_TRUE(turn_until(router, guest, [&] { return guest.received.size() == 1; }));
  while (!router.sockets.wait(milliseconds(50)).messages.empty()) continue;

  router.sockets.allow_keys({other.known});
  router.received.clear();
  EXPECT_FALSE(router.sockets.send(peer, "secret"));
  guest.sockets.send(router_peer, "after");
  guest.sockets.send(samples_peer, "after");
  ASSERT_TRUE(turn_until(router, guest, [&] { return router.dropped.size() >= 2; }));
  EXPECT_TRUE(router.told("removed from the allow-list"));
  EXPECT_TRUE(router.received.empty());
  // Others are not disturbed.
  stays.sockets.send(router_peer, "still here");
  ASSERT_TRUE(turn_until(router, stays, [&] { return !router.received.empty(); }));
  EXPECT_EQ(router.received[0].bytes, "still here");
  EXPECT_EQ(stays.sockets.control_connections(), 1U);
  // Allowed again, the same connection is good again.
  router.sockets.allow_keys({agent.known, other.known});
  EXPECT_TRUE(router.sockets.send(peer, "welcome back"));
  EXPECT_TRUE(turn_until(router, guest, [&] { return guest.received.size() == 2; }));
}

TEST(GuardedSockets, EveryConnectionOfARevokedKeyIsCutOff) {
  constexpr std::size_t connections = 100;
  Holder rack("rack");
  for (std::size_t host = 0; host < connections; ++host) {
    rack.known.ids.push_back("n" + std::to_string(host));
  }
  GuardedRouter router({rack.known});
  std::vector<std::unique_ptr<KeyedClient>> hosts;
  for (std::size_t host = 0; host < connections; ++host) {
    hosts.push_back(std::make_unique<KeyedClient>(router, rack));
    ASSERT_TRUE(hosts.back()->sockets.connect_control(router.bound.control));
    hosts.back()->sockets.send(router_peer, "before");
  }
  // Nobody's turn is needed for a message to go out.
  ASSERT_TRUE(
      until([&] { return router.received.size() == connections; }, {[&] { router.turn(); }}));
  router.sockets.allow_keys({});
  for (const Incoming& before : router.received) {
    EXPECT_FALSE(router.sockets.send(before.from, "secret")) << before.from.number;
  }
}

TEST(GuardedSockets, ARevokedViewerIsCutOffAndTheOthersReconnect) {
  const Holder viewer("eve", KeyRole::view);
  const Holder admin("ada", KeyRole::admin);
  GuardedRouter router({viewer.known, admin.known});
  KeyedClient out(router, viewer);
  KeyedClient in(router, admin);
  for (KeyedClient* guest : {&out, &in}) {
    ASSERT_TRUE(guest->sockets.connect_publish(router.bound.publish));
    ASSERT_TRUE(turn_until(router, *guest, [&] {
      router.sockets.send(publish_peer, "before");
      return !guest->received.empty();
    }));
  }
  router.sockets.allow_keys({admin.known});
  ASSERT_TRUE(until(
      [&] {
        router.sockets.send(publish_peer, "after");
        return !in.received.empty() && in.received.back().bytes == "after" &&
               router.told(fingerprint(viewer.pair.key));
      },
      {[&] { router.turn(); }, [&] { out.turn(); }, [&] { in.turn(); }}));
  for (const Incoming& incoming : out.received) EXPECT_EQ(incoming.bytes, "before");
}

TEST(GuardedSockets, ARevokedViewerNoticesDespiteItsOpenControlConnection) {
  const Holder viewer("eve", KeyRole::view);
  GuardedRouter router({viewer.known});
  KeyedClient guest(router, viewer);
  ASSERT_TRUE(guest.sockets.connect_control(router.bound.control));
  ASSERT_TRUE(guest.sockets.connect_publish(router.bound.publish));
  ASSERT_TRUE(turn_until(router, guest, [&] {
    router.sockets.send(publish_peer, "before");
    return !guest.received.empty();
  }));
  EXPECT_EQ(guest.sockets.connect_refusal(), std::nullopt);
  router.sockets.allow_keys({});
  EXPECT_TRUE(turn_until(router, guest,
                         [&] { return guest.sockets.connect_refusal() == ConnectRefusal::key; }));
  EXPECT_TRUE(guest.sockets.control_connected());
  router.sockets.allow_keys({viewer.known});
  EXPECT_TRUE(turn_until(router, guest, [&] { return !guest.sockets.connect_refusal(); }));
}

TEST(GuardedSockets, RefusalsNameTheKeyOrTheAddressOfAnUnknownOne) {
  const Holder submitter("sue", KeyRole::submit);
  const Holder stranger("mallory");
  GuardedRouter router({submitter.known});
  KeyedClient wrong_door(router, submitter);
  ASSERT_TRUE(wrong_door.sockets.connect_publish(router.bound.publish));
  KeyedClient unknown(router, stranger);
  ASSERT_TRUE(unknown.sockets.connect_control(router.bound.control));
  KeyedClient member(router, submitter);
  ASSERT_TRUE(member.sockets.connect_control(router.bound.control));
  member.sockets.send(router_peer, "before");
  ASSERT_TRUE(until(
      [&] {
        return router.received.size() == 1 && router.told("publish endpoint") &&
               router.told("allow-list");
      },
      {[&] { router.turn(); }, [&] { wrong_door.turn(); }, [&] { unknown.turn(); }}));
  for (const Dropped& one : router.dropped) {
    const bool known = one.why.find("publish endpoint") != std::string::npos;
    EXPECT_EQ(one.sender, known ? "key sue from 127.0.0.1" : "unknown peers from 127.0.0.1");
    EXPECT_EQ(one.key, known ? "sue" : "");
    EXPECT_EQ(one.address, "127.0.0.1");
    EXPECT_TRUE(one.asked.starts_with("connect")) << one.asked;
  }
  router.dropped.clear();
  router.sockets.allow_keys({});
  member.sockets.send(router_peer, "after");
  ASSERT_TRUE(
      turn_until(router, member, [&] { return router.told("removed from the allow-list"); }));
  const auto cut = std::find_if(router.dropped.begin(), router.dropped.end(),
                                [](const Dropped& one) { return one.asked == "send"; });
  ASSERT_NE(cut, router.dropped.end());
  EXPECT_EQ(cut->sender, "key sue (revoked) from 127.0.0.1");
  EXPECT_EQ(cut->key, "") << "it has no place of its own any more";
}

TEST(GuardedSockets, ReassigningANameToANewKeyCutsOffTheOldKey) {
  const Holder old("h-1");
  const Holder fresh("h-1");
  GuardedRouter router({old.known});
  KeyedClient guest(router, old);
  ASSERT_TRUE(guest.sockets.connect_control(router.bound.control));
  guest.sockets.send(router_peer, "before");
  ASSERT_TRUE(turn_until(router, guest, [&] { return router.received.size() == 1; }));
  router.sockets.allow_keys({fresh.known});
  guest.sockets.send(router_peer, "after");
  ASSERT_TRUE(turn_until(router, guest, [&] { return !router.dropped.empty(); }));
  EXPECT_EQ(router.received.size(), 1U);
}

TEST(GuardedSockets, AProcessHasOneAuthenticator) {
  GuardedRouter router({});
  Sockets second;
  const Status require_keys = second.require_keys(generate_key_pair()->secret);
  ASSERT_FALSE(require_keys);
  EXPECT_NE(require_keys.error().message.find("ZAP"), std::string::npos);
}

}  // namespace
}  // namespace drover
