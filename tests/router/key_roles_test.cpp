// What the role of a key may send, what the role of a connection may send, and what
// docs/connection-keys.md says of both: one table, for every pair.
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "fleet/keys/keys.h"
#include "router/health/connection_table.h"

namespace drover::router {
namespace {

const std::vector<KeyRole> roles = {KeyRole::agent, KeyRole::view, KeyRole::submit, KeyRole::admin};

template <std::size_t... Index>
std::vector<Message> every_kind(std::index_sequence<Index...>) {
  return {std::variant_alternative_t<Index, AnyMessage>{}...};
}

/// Every kind of message, as somebody with a key of this role would send it.
std::vector<Message> messages_of(KeyRole role) {
  auto messages = every_kind(std::make_index_sequence<std::variant_size_v<AnyMessage>>());
  for (Message& message : messages) {
    if (auto* join = std::get_if<Join>(&message); join != nullptr && role == KeyRole::agent) {
      *join = {Role::agent, "h-1", "test"};
    }
    if (auto* registration = std::get_if<Register>(&message)) registration->host = "h-1";
  }
  return messages;
}

bool lets_through(KeyRole role, const Message& message) {
  Envelope envelope;
  envelope.sender = "h-1";
  envelope.body = message;
  return !refusal({"k", role, {"h-1"}, ""}, Channel::control, envelope);
}

/// As what a key of this role may join.
std::vector<Role> joins_as(KeyRole role) {
  std::vector<Role> joined;
  for (const Role one : {Role::agent, Role::client, Role::viewer}) {
    if (lets_through(role, Join{one, "h-1", "test"})) joined.push_back(one);
  }
  return joined;
}

/// Of the table in docs/connection-keys.md whose head begins `| message | agent | view |`.
std::map<KeyRole, std::set<std::string>> documented() {
  std::map<KeyRole, std::set<std::string>> table;
  std::ifstream file(std::string(DROVER_SOURCE_DIR) + "/docs/connection-keys.md");
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "| message | agent | view | submit | admin |") inside = true;
    if (!line.starts_with("|")) inside = false;
    if (!inside || !line.starts_with("| `")) continue;
    const std::vector<std::string> cells = split(line, '|');
    EXPECT_GE(cells.size(), roles.size() + 2) << line;
    for (std::size_t at = 0; at < roles.size() && at + 2 < cells.size(); ++at) {
      if (trimmed(cells[at + 2]) != "yes") continue;
      for (const std::string& quoted : split(cells[1], ',')) {
        const std::string kind(trimmed(quoted));
        table[roles[at]].insert(kind.substr(1, kind.size() - 2));
      }
    }
  }
  return table;
}

TEST(KeyRoleTable, MatchesTheDocumentForEveryPair) {
  auto table = documented();
  std::set<std::string> kinds;
  for (const KeyRole role : roles) {
    for (const Message& message : messages_of(role)) {
      const std::string kind(kind_name(message));
      kinds.insert(kind);
      EXPECT_EQ(lets_through(role, message), table[role].contains(kind))
          << to_text(role) << " " << kind;
    }
    for (const std::string& kind : table[role]) EXPECT_TRUE(kinds.contains(kind)) << kind;
  }
  for (const Message& message : messages_of(KeyRole::router)) {
    EXPECT_FALSE(lets_through(KeyRole::router, message)) << kind_name(message);
  }
}

TEST(KeyRoleTable, NeverContradictsTheRoleOfTheConnection) {
  for (const KeyRole role : roles) {
    const std::vector<Role> joined = joins_as(role);
    ASSERT_FALSE(joined.empty()) << to_text(role);
    for (const Message& message : messages_of(role)) {
      // What the key may send, some connection of it may; what it may not, the core alone would
      // refuse as well, but for what tells one client's key from another's.
      bool may = false;
      for (const Role one : joined) may = may || may_send(one, message);
      const bool clients_differ = sender_role_of(message) == SenderRole::submitter ||
                                  sender_role_of(message) == SenderRole::administrator;
      if (lets_through(role, message)) {
        EXPECT_TRUE(may) << to_text(role) << " " << kind_name(message);
      } else if (!clients_differ) {
        EXPECT_FALSE(may) << to_text(role) << " " << kind_name(message);
      }
    }
  }
}

TEST(KeyRoleTable, OnlyKeysThatMayWatchJoinAsViewers) {
  EXPECT_EQ(joins_as(KeyRole::agent), std::vector<Role>{Role::agent});
  EXPECT_EQ(joins_as(KeyRole::submit), std::vector<Role>{Role::client});
  EXPECT_EQ(joins_as(KeyRole::view), (std::vector<Role>{Role::client, Role::viewer}));
  EXPECT_EQ(joins_as(KeyRole::admin), (std::vector<Role>{Role::client, Role::viewer}));
}

}  // namespace
}  // namespace drover::router
