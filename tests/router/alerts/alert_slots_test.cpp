// Who has the places of an alert rule that more subjects want: no host takes them all.
#include "router/alerts/alerts.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace drover::router {
namespace {

struct Contest {
  std::vector<AlertSlot> taken;
  std::vector<AlertCondition> wanted;

  /// `count` subjects of a host, the later the newer.
  void holds(const std::string& host, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) {
      taken.push_back({host + "/" + std::to_string(n), Instant{} + std::chrono::seconds(n)});
    }
  }
  void wants(const std::string& host, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n) {
      wanted.push_back({"rule", host + "/new-" + std::to_string(n), "text"});
    }
  }
  SlotChanges share() const {
    std::vector<const AlertCondition*> waiting;
    for (const AlertCondition& sighting : wanted) waiting.push_back(&sighting);
    return share_slots(taken, waiting);
  }
  /// How many places each host has in the end.
  std::map<std::string, std::size_t> shares() const {
    std::map<std::string, std::size_t> counts;
    for (const AlertSlot& place : taken) ++counts[std::string(host_of_subject(place.subject))];
    const SlotChanges changes = share();
    for (const std::string& subject : changes.leave)
      --counts[std::string(host_of_subject(subject))];
    for (const AlertCondition* one : changes.arrive)
      ++counts[std::string(host_of_subject(one->subject))];
    return counts;
  }
};

using Shares = std::map<std::string, std::size_t>;

TEST(AlertSlots, AreSharedEvenlyAmongHosts) {
  Contest contest;
  contest.holds("a", 9);
  contest.wants("b", 50);
  EXPECT_EQ(contest.shares(), (Shares{{"a", 5}, {"b", 4}})) << "who had it keeps the odd one";
  contest.wants("c", 1);
  EXPECT_EQ(contest.shares(), (Shares{{"a", 4}, {"b", 4}, {"c", 1}}));
}

TEST(AlertSlots, StayWithTheirHolders) {
  Contest contest;
  contest.holds("a", 1);
  contest.holds("b", 1);
  contest.wants("c", 1);
  EXPECT_TRUE(contest.share().leave.empty());
  EXPECT_TRUE(contest.share().arrive.empty());
}

TEST(AlertSlots, AreTakenFromTheNewestAlertOfTheLargestHost) {
  Contest contest;
  contest.holds("a", 3);
  contest.holds("b", 5);
  contest.wants("c", 1);
  const SlotChanges changes = contest.share();
  EXPECT_EQ(changes.leave, std::vector<std::string>{"b/4"});
  ASSERT_EQ(changes.arrive.size(), 1U);
  EXPECT_EQ(changes.arrive[0]->subject, "c/new-0");
}

TEST(AlertSlots, StayTheSameWhenNothingChanges) {
  Contest contest;
  contest.holds("a", 5);
  contest.holds("b", 4);
  contest.wants("a", 100);
  contest.wants("b", 100);
  EXPECT_TRUE(contest.share().leave.empty());
}

TEST(AlertSlots, DevicesAndReplicasCountTowardTheirHost) {
  EXPECT_EQ(host_of_subject("h1/3"), "h1");
  EXPECT_EQ(host_of_subject("h1/r0"), "h1");
  EXPECT_EQ(host_of_subject("h1"), "h1");
  EXPECT_EQ(host_of_subject("pool:h100"), "pool:h100");
}

}  // namespace
}  // namespace drover::router
