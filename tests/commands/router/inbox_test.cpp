#include "commands/router/inbox.h"

#include <vector>

#include <gtest/gtest.h>

namespace drover::commands {
namespace {

using Lane = Inbox::Lane;

constexpr std::size_t kib = 1024;

Incoming message(std::uint64_t connection, std::string bytes) {
  return {Peer{Channel::control, connection}, std::move(bytes), {}, nullptr};
}

std::vector<std::string> all_of(Inbox& inbox, Lane lane) {
  std::vector<std::string> bytes;
  while (!inbox.empty(lane)) bytes.push_back(inbox.next(lane).bytes);
  return bytes;
}

TEST(Inbox, SendersTakeTurnsHoweverMuchOneOfThemSends) {
  Inbox inbox;
  for (const char* flood : {"a1", "a2", "a3", "a4"}) {
    inbox.put(Lane::clients, "a", message(1, flood));
  }
  inbox.put(Lane::clients, "b", message(2, "b1"));
  inbox.put(Lane::clients, "c", message(3, "c1"));
  EXPECT_EQ(all_of(inbox, Lane::clients),
            (std::vector<std::string>{"a1", "b1", "c1", "a2", "a3", "a4"}));
}

TEST(Inbox, ConnectionsOfOneKeyCountAsOneSender) {
  Inbox inbox;
  for (std::uint64_t connection = 1; connection <= 3; ++connection) {
    for (const char* which : {"x", "y"}) {
      inbox.put(Lane::clients, "a", message(connection, which + std::to_string(connection)));
    }
  }
  inbox.put(Lane::clients, "b", message(9, "b1"));
  inbox.put(Lane::clients, "b", message(9, "b2"));
  EXPECT_EQ(all_of(inbox, Lane::clients),
            (std::vector<std::string>{"x1", "b1", "x2", "b2", "x3", "y1", "y2", "y3"}));
}

TEST(Inbox, AReturningSenderGetsNoExtraTurn) {
  Inbox inbox;
  inbox.put(Lane::clients, "a", message(1, "a1"));
  inbox.put(Lane::clients, "b", message(2, "b1"));
  EXPECT_EQ(inbox.next(Lane::clients).bytes, "a1");
  inbox.put(Lane::clients, "a", message(1, "a2"));
  EXPECT_EQ(inbox.next(Lane::clients).bytes, "b1");
  std::string owner;
  EXPECT_EQ(inbox.next(Lane::clients, &owner).bytes, "a2");
  EXPECT_EQ(owner, "a");
}

TEST(Inbox, QueuedMessagesAreLimitedPerConnectionPerKeyAndInTotal) {
  InboxBudget budget;
  budget.connection = 10 * kib;
  budget.owner = 15 * kib;
  budget.clients = 20 * kib;
  Inbox inbox(budget);
  const Peer first{Channel::control, 1};
  const Peer second{Channel::control, 2};
  const Peer third{Channel::control, 3};
  EXPECT_EQ(inbox.refuses("a", first, 9 * kib), std::nullopt);
  inbox.put(Lane::clients, "a", message(1, std::string(9 * kib, 'x')));
  EXPECT_EQ(
      inbox.refuses("a", first, kib),
      "9.2K of requests from this connection are queued, the limit is 10.0K: wait for replies "
      "first");
  EXPECT_EQ(inbox.refuses("a", second, kib), std::nullopt);
  inbox.put(Lane::clients, "a", message(2, std::string(5 * kib, 'x')));
  EXPECT_NE(inbox.refuses("a", second, kib).value().find("from this key"), std::string::npos);
  EXPECT_EQ(inbox.refuses("b", third, kib), std::nullopt) << "another key is not to blame";
  inbox.put(Lane::clients, "b", message(3, std::string(5 * kib, 'x')));
  EXPECT_NE(inbox.refuses("c", third, kib).value().find("from all clients"), std::string::npos);
  all_of(inbox, Lane::clients);
  EXPECT_EQ(inbox.refuses("a", first, 9 * kib), std::nullopt) << "what was served counts no more";
}

TEST(Inbox, SmallMessagesAlsoCountTowardTheBudget) {
  InboxBudget budget;
  budget.connection = 100 * kib;
  Inbox inbox(budget);
  std::size_t taken = 0;
  for (; taken < 10'000 && !inbox.refuses("a", Peer{Channel::control, 1}, 1); ++taken) {
    inbox.put(Lane::clients, "a", message(1, "x"));
  }
  EXPECT_LT(taken, 1000U);
}

TEST(Inbox, AgentsHaveASeparateLaneThatReportsWhenItIsFull) {
  InboxBudget budget;
  budget.agent_messages = 2;
  Inbox inbox(budget);
  inbox.put(Lane::clients, "a", message(1, "a"));
  inbox.put(Lane::agents, "h1", message(2, "beat"));
  EXPECT_FALSE(inbox.agents_full());
  inbox.put(Lane::agents, "h2", message(3, "beat"));
  EXPECT_TRUE(inbox.agents_full());
  inbox.next(Lane::agents);
  EXPECT_FALSE(inbox.agents_full());
  EXPECT_FALSE(inbox.empty(Lane::clients));
}

TEST(Inbox, AConnectionThatBecomesAnAgentKeepsItsOrder) {
  Inbox inbox;
  inbox.put(Lane::clients, "7", message(7, "hello"));
  inbox.put(Lane::agents, "7", message(7, "report"));
  EXPECT_TRUE(inbox.empty(Lane::agents));
  EXPECT_EQ(all_of(inbox, Lane::clients), (std::vector<std::string>{"hello", "report"}));
  inbox.put(Lane::agents, "7", message(7, "beat"));
  inbox.put(Lane::clients, "7", message(7, "question"));
  EXPECT_EQ(all_of(inbox, Lane::agents), (std::vector<std::string>{"beat", "question"}));
}

}  // namespace
}  // namespace drover::commands
