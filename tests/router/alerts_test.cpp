// Alerts: raised after a while, cleared after a while, each exactly once.
#include "router/alerts.h"

#include <gtest/gtest.h>

namespace drover::router {
namespace {

using std::chrono::seconds;

struct Watch {
  AlertBook book;
  Instant start{std::chrono::hours(1)};

  std::vector<Alert> at(int second, const std::vector<Sighting>& seen) {
    return book.observe(start + seconds(second), seen);
  }
};

const Sighting hot{AlertRule::throttling, "h1", "2 of 8 devices slow down for heat"};
const Sighting at_cap{AlertRule::power_cap, "site", "draws 9.9kW of 10.0kW"};
const Sighting lost{AlertRule::host_lost, "h1", "its work is elsewhere"};

TEST(Alerts, EachRuleHasItsRow) {
  for (std::size_t index = 0; index < alert_rules().size(); ++index) {
    EXPECT_EQ(static_cast<std::size_t>(alert_rules()[index].rule), index);
  }
}

TEST(Alerts, AreRaisedOnceTheirConditionHasHeldLongEnough) {
  Watch watch;
  EXPECT_TRUE(watch.at(0, {hot}).empty());
  EXPECT_TRUE(watch.at(2, {hot}).empty());
  const auto raised = watch.at(3, {hot});
  ASSERT_EQ(raised.size(), 1U);
  EXPECT_EQ(raised[0], (Alert{"throttling", "h1", Severity::warning, true, watch.start + seconds(3),
                              "2 of 8 devices slow down for heat"}));
  EXPECT_TRUE(watch.at(4, {hot}).empty()) << "said once";
  EXPECT_EQ(watch.book.raised(), raised);
}

TEST(Alerts, ABreakBeforeTheyAreRaisedBeginsAnew) {
  Watch watch;
  watch.at(0, {hot});
  watch.at(2, {});
  EXPECT_TRUE(watch.at(3, {hot}).empty());
  EXPECT_TRUE(watch.at(5, {hot}).empty());
  EXPECT_EQ(watch.at(6, {hot}).size(), 1U);
}

TEST(Alerts, AreClearedOnlyWhenTheirConditionHasStayedAway) {
  Watch watch;
  watch.at(0, {hot});
  watch.at(3, {hot});
  EXPECT_TRUE(watch.at(9, {}).empty());
  EXPECT_TRUE(watch.at(10, {hot}).empty()) << "it came back: nothing flaps";
  EXPECT_TRUE(watch.at(19, {}).empty());
  EXPECT_TRUE(watch.at(28, {}).empty());
  const auto cleared = watch.at(29, {});
  ASSERT_EQ(cleared.size(), 1U);
  EXPECT_FALSE(cleared[0].raised);
  EXPECT_EQ(cleared[0].since, watch.start + seconds(3)) << "when it had been raised";
  EXPECT_TRUE(watch.book.raised().empty());
  EXPECT_TRUE(watch.at(30, {}).empty());
}

TEST(Alerts, OneLookWithoutTheConditionClearsNothingHoweverSeldomLooksAre) {
  for (const int every : {1, 5, 30}) {
    Watch watch;
    const auto look = [&](int number, const std::vector<Sighting>& seen) {
      return watch.at(number * every, seen);
    };
    for (int number = 0; number < 4; ++number) look(number, {hot, at_cap});
    ASSERT_EQ(watch.book.raised().size(), 2U);
    for (int number = 4; number < 20; ++number) {
      const bool away = number % 2 == 0;
      const auto changes = look(number, away ? std::vector<Sighting>{} : std::vector{hot, at_cap});
      EXPECT_TRUE(changes.empty()) << "look " << number << ", one every " << every << " s";
    }
  }
}

TEST(Alerts, KeepTheTextThatTheyWereRaisedWith) {
  Watch watch;
  Sighting later = hot;
  later.text = "3 of 8 devices slow down for heat";
  watch.at(0, {hot});
  const auto raised = watch.at(4, {later});
  ASSERT_EQ(raised.size(), 1U);
  EXPECT_EQ(raised[0].text, later.text);
  watch.at(5, {hot});
  EXPECT_EQ(watch.book.raised(), raised) << "one who joins late is told the same as the others";
}

TEST(Alerts, OfDifferentSubjectsAndRulesDoNotMeet) {
  Watch watch;
  Sighting other = lost;
  other.subject = "h2";
  EXPECT_EQ(watch.at(0, {lost, other}).size(), 2U) << "lost hosts at once";
  const auto cleared = watch.at(1, {other});
  ASSERT_EQ(cleared.size(), 1U);
  EXPECT_EQ(cleared[0].subject, "h1");
  ASSERT_EQ(watch.book.raised().size(), 1U);
  EXPECT_EQ(watch.book.raised()[0].subject, "h2");
}

}  // namespace
}  // namespace drover::router
