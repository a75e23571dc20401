#include "fleet/keys/keys.h"

#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fleet/codec/codec.h"
#include "fleet/socket/keys.h"

namespace drover {
namespace {

PublicKey drawn(const std::string& name, KeyRole role, std::vector<std::string> ids = {}) {
  return {name, role, std::move(ids), generate_key_pair()->key};
}

Envelope from(const std::string& sender, Message body) {
  Envelope envelope;
  envelope.sender = sender;
  envelope.body = std::move(body);
  return envelope;
}

SampleBatch samples_of(const std::string& host) {
  SampleBatch batch;
  batch.host = host;
  return batch;
}

Register hello_of(const std::string& host) {
  Register registration;
  registration.host = host;
  return registration;
}

/// What is said of a key file's text; empty: it is read.
std::string said_of_public(const std::string& text) {
  const auto key = parse_public_key(text, "a.pub");
  return key ? "" : key.error().message;
}

std::string said_of_secret(const std::string& text) {
  const auto key = parse_secret_key(text, "a.key");
  return key ? "" : key.error().message;
}

std::string replaced(std::string text, const std::string& old, const std::string& fresh) {
  const auto at = text.find(old);
  EXPECT_NE(at, std::string::npos) << text;
  return at == std::string::npos ? text : text.replace(at, old.size(), fresh);
}

TEST(Keys, BothFilesRoundTrip) {
  const KeyPair pair = *generate_key_pair();
  const SecretKey agent{{"h-1", KeyRole::agent, {"h-1", "h-2"}, pair.key}, pair.secret};
  const auto secret = parse_secret_key(to_toml(agent), "h-1.key");
  ASSERT_TRUE(secret) << secret.error().message;
  EXPECT_EQ(*secret, agent);
  const auto known = parse_public_key(to_toml(agent.known), "h-1.pub");
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(*known, agent.known);
  EXPECT_EQ(to_toml(agent.known).find(pair.secret), std::string::npos);
  // A secret file is no public file, and the other way round.
  EXPECT_NE(said_of_public(to_toml(agent)), "");
  EXPECT_NE(said_of_secret(to_toml(agent.known)), "");
}

TEST(Keys, EveryGeneratedKeyParsesAndMatchesItsSecret) {
  std::set<std::string> seen;
  for (int draw = 0; draw < 200; ++draw) {
    const KeyPair pair = *generate_key_pair();
    EXPECT_EQ(key_bytes(pair.key)->size(), 32U);
    EXPECT_EQ(public_key_of(pair.secret), pair.key);
    EXPECT_EQ(said_of_public(to_toml(PublicKey{"a", KeyRole::view, {}, pair.key})), "");
    EXPECT_TRUE(seen.insert(fingerprint(pair.key)).second);
  }
  EXPECT_EQ(public_key_of("no key"), std::nullopt);
}

TEST(Keys, Z85IsDecodedExactly) {
  // The example of ZeroMQ RFC 32, twice and a half: 86 4F D2 6F B5 59 F7 5B is HelloWorld.
  const std::string text = "HelloWorldHelloWorldHelloWorldHelloWorld";
  EXPECT_EQ(fingerprint(text), "864f-d26f-b559-f75b");
  EXPECT_EQ(key_bytes(text)->substr(24), "\x86\x4f\xd2\x6f\xb5\x59\xf7\x5b");
  for (const std::string& wrong :
       {std::string(), text.substr(1), text + "0", std::string(39, '0') + " ",
        std::string(39, '0') + "\"", std::string(39, '0') + "\x80",
        // Five digits can say more than 32 bits can.
        "#####" + std::string(35, '0')}) {
    EXPECT_EQ(key_bytes(wrong), std::nullopt) << wrong;
    EXPECT_EQ(fingerprint(wrong), "no key");
  }
}

TEST(Keys, TheExampleKeysOfTheManualAreRefused) {
  for (const std::string secret :
       {"D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs", "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"}) {
    const auto key = public_key_of(secret);
    ASSERT_TRUE(key);
    const std::string said = said_of_public(to_toml(PublicKey{"a", KeyRole::view, {}, *key}));
    EXPECT_NE(said.find("whose secret is public"), std::string::npos) << said;
    EXPECT_NE(said.find("drover keys new"), std::string::npos) << said;
  }
}

TEST(Keys, HostileFilesAreRefusedShowingThePositionNotTheSecret) {
  const KeyPair pair = *generate_key_pair();
  const std::string good = to_toml(PublicKey{"h-1", KeyRole::agent, {"h-1"}, pair.key});
  ASSERT_EQ(said_of_public(good), "");
  std::string many = "ids = [";
  for (std::size_t index = 0; index <= key_ids_max; ++index) many += fmt::format("\"h{}\",", index);
  const std::vector<std::string> wrong = {
      "",
      "\xff\xfe",
      std::string(2 << 20, ' '),
      replaced(good, pair.key, pair.key.substr(1)),
      replaced(good, pair.key, std::string(40, '~')),
      replaced(good, "\"agent\"", "\"root\""),
      replaced(good, "\"agent\"", "\"router\""),
      replaced(good, "\"agent\"", "\"view\""),
      replaced(good, "name = \"h-1\"", "name = \"../h-1\""),
      replaced(good, "name = \"h-1\"", "name = \"router\""),
      replaced(good, "name = \"h-1\"", "name = 1"),
      replaced(good, "ids = [\"h-1\"]\n", ""),
      replaced(good, "[\"h-1\"]", "[\"h 1\"]"),
      replaced(good, "[\"h-1\"]", "[]"),
      replaced(good, "ids = [\"h-1\"", many),
      good + "more = 1\n",
      good + good,
  };
  for (const std::string& text : wrong) {
    const std::string said = said_of_public(text);
    EXPECT_NE(said, "") << text.substr(0, 400);
    EXPECT_TRUE(said.starts_with("a.pub")) << said;
    EXPECT_LT(said.size(), 300U) << said;
  }
  const std::string secret =
      to_toml(SecretKey{{"h-1", KeyRole::agent, {"h-1"}, pair.key}, pair.secret});
  const std::string said = said_of_secret(replaced(secret, pair.secret, pair.secret + "x"));
  EXPECT_NE(said.find("a.key:6: secret: found 41 bytes"), std::string::npos) << said;
  EXPECT_EQ(said.find(pair.secret), std::string::npos);
}

TEST(Keys, TheirHostsAreShownAsANodeset) {
  EXPECT_EQ(ids_text({"a", KeyRole::agent, {"n1", "n2", "n3", "spare"}, ""}), "n[1-3],spare");
  EXPECT_EQ(ids_text({"a", KeyRole::view, {}, ""}), "-");
}

// Every kind of message that there is, with what an agent needs to say who it is.
template <std::size_t... Index>
std::vector<Message> every_kind(std::index_sequence<Index...>) {
  return {std::variant_alternative_t<Index, AnyMessage>{}...};
}

TEST(KeyRoles, EveryRoleSendsItsMessagesAndNoOthers) {
  const std::set<std::string> asks = {"Join",           "JobsRequest",     "WhyRequest",
                                      "SummaryRequest", "SnapshotRequest", "PolicyRequest",
                                      "HistoryRequest", "Bookmark"};
  std::map<KeyRole, std::set<std::string>> may;
  may[KeyRole::agent] = {"Join",          "Register",       "Heartbeat", "Accepted",
                         "Refused",       "Progress",       "Finished",  "Failed",
                         "ReplicaReport", "DeviceReport",   "Leave",     "MemberStepTime",
                         "BoardReport",   "HostUnreachable"};
  may[KeyRole::view] = asks;
  may[KeyRole::submit] = asks;
  may[KeyRole::submit].insert("Submit");
  may[KeyRole::admin] = may[KeyRole::submit];
  may[KeyRole::admin].insert({"EndRunRequest", "InjectFault", "SetPowerCap", "SetDrain",
                              "CancelJobs", "ApplyPolicy", "AcknowledgeAlert", "ForgetHost",
                              "Caption"});
  may[KeyRole::router] = {};
  for (const auto& [role, allowed] : may) {
    const PublicKey key{"k", role, {"h-1"}, ""};
    for (Message message :
         every_kind(std::make_index_sequence<std::variant_size_v<AnyMessage>>())) {
      if (auto* join = std::get_if<Join>(&message); join != nullptr && role == KeyRole::agent) {
        *join = {Role::agent, "h-1", "test"};
      }
      if (auto* registration = std::get_if<Register>(&message)) registration->host = "h-1";
      const std::string kind(kind_name(message));
      const auto refused = refusal(key, Channel::control, from("x", std::move(message)));
      EXPECT_EQ(!refused, allowed.contains(kind)) << to_text(role) << " " << kind;
    }
  }
}

TEST(KeyRoles, AnAgentSpeaksOnlyForTheHostsOfItsKey) {
  const PublicKey key = drawn("rack-1", KeyRole::agent, {"h-1", "h-2"});
  const auto join = [](const std::string& host, Role role = Role::agent) {
    return from(host, Join{role, host, "test"});
  };
  EXPECT_EQ(refusal(key, Channel::control, join("h-2")), std::nullopt);
  EXPECT_EQ(refusal(key, Channel::control, from("h-1", hello_of("h-1"))), std::nullopt);
  EXPECT_EQ(refusal(key, Channel::samples, from("h-1", samples_of("h-1"))), std::nullopt);
  const std::string said = refusal(key, Channel::control, join("h-3")).value_or("");
  EXPECT_NE(said.find("rack-1"), std::string::npos) << said;
  EXPECT_NE(said.find("h-3"), std::string::npos) << said;
  EXPECT_NE(said.find("h-1, h-2"), std::string::npos) << said;
  EXPECT_TRUE(refusal(key, Channel::control, join("H-1")));
  EXPECT_TRUE(refusal(key, Channel::control, join("h-1", Role::client)));
  EXPECT_TRUE(refusal(key, Channel::control, join("h-1", Role::viewer)));
  EXPECT_TRUE(refusal(key, Channel::control, from("h-1", hello_of("h-3"))));
  EXPECT_TRUE(refusal(key, Channel::samples, from("h-3", samples_of("h-3"))));
  // Subscribers see the cover of a batch as its agent wrote it.
  EXPECT_TRUE(refusal(key, Channel::samples, from("router", samples_of("h-1"))));
  EXPECT_TRUE(refusal(key, Channel::samples, from("h-1", Heartbeat{})));
}

TEST(KeyRoles, OnlyAgentsSendSamplesAndOnlyViewersWatch) {
  for (const KeyRole role : {KeyRole::submit, KeyRole::view, KeyRole::admin}) {
    const PublicKey key = drawn("k", role);
    EXPECT_TRUE(refusal(key, Channel::samples, from("k", samples_of("k"))));
    EXPECT_TRUE(refusal(key, Channel::control, from("k", Join{Role::agent, "k", ""})));
    const bool watches = !refusal(key, Channel::control, from("k", Join{Role::viewer, "top", ""}));
    EXPECT_EQ(watches, role != KeyRole::submit);
    EXPECT_EQ(watches, may_subscribe(role));
  }
  EXPECT_FALSE(may_subscribe(KeyRole::agent));
}

}  // namespace
}  // namespace drover
