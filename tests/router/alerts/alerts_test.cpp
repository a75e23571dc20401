// Alerts: raised after a while, cleared after a while, each exactly once; and who cares for them.
#include "router/alerts/alerts.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "router/policy/alert_rules.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

struct Watch {
  AlertTable book;
  Instant start{std::chrono::hours(1)};

  Watch() { book.set_rules(shipped_alert_rules()); }
  std::vector<Alert> at(int second, const std::vector<AlertCondition>& seen) {
    return book.observe(start + seconds(second), seen);
  }
};

const AlertCondition hot{"throttling", "h1", "2 of 8 devices slow down for heat"};
const AlertCondition at_cap{"power_cap", "site", "draws 9.9kW of 10.0kW"};
const AlertCondition lost{"host_lost", "h1", "its work is elsewhere"};

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

TEST(Alerts, HaveNoSummaryOfOthersWhenThereAreNoOthers) {
  Watch watch;
  std::vector<AlertRule> rules = shipped_alert_rules();
  for (AlertRule& rule : rules) rule.published.raise_after = Duration{0};
  watch.book.set_rules(rules);
  std::vector<AlertCondition> seen;
  for (std::size_t device = 0; device < alert_subjects_max; ++device) {
    seen.push_back({"throttling", "a/" + std::to_string(device), "hot"});
  }
  EXPECT_EQ(watch.at(3, seen).size(), alert_subjects_max);
  // They cool down in the same moment in which another host's gets hot.
  for (int second = 4; second < 20; ++second) {
    for (const Alert& alert : watch.at(second, {{"throttling", "b/0", "hot"}})) {
      EXPECT_NE(alert.subject, other_subjects) << alert.text;
    }
  }
}

TEST(Alerts, RestartTheirDelayAfterABreak) {
  Watch watch;
  watch.at(0, {hot});
  watch.at(2, {});
  EXPECT_TRUE(watch.at(3, {hot}).empty());
  EXPECT_TRUE(watch.at(5, {hot}).empty());
  EXPECT_EQ(watch.at(6, {hot}).size(), 1U);
}

TEST(Alerts, AreClearedOnlyAfterTheirConditionHasStayedFalse) {
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

TEST(Alerts, AreNotClearedByOneCheckHoweverRareChecksAre) {
  for (const int every : {1, 5, 30}) {
    Watch watch;
    const auto look = [&](int number, const std::vector<AlertCondition>& seen) {
      return watch.at(number * every, seen);
    };
    for (int number = 0; number < 4; ++number) look(number, {hot, at_cap});
    ASSERT_EQ(watch.book.raised().size(), 2U);
    for (int number = 4; number < 20; ++number) {
      const bool away = number % 2 == 0;
      const auto changes =
          look(number, away ? std::vector<AlertCondition>{} : std::vector{hot, at_cap});
      EXPECT_TRUE(changes.empty()) << "look " << number << ", one every " << every << " s";
    }
  }
}

AlertCondition waiting(const std::string& text) { return {"jobs_waiting", "site", text}; }

TEST(Alerts, ReturnTheCurrentTextOnRequest) {
  Watch watch;
  watch.at(0, {waiting("72 in the queue, the oldest for 10m: capacity")});
  ASSERT_EQ(watch.book.raised().size(), 1U);
  watch.at(1, {waiting("48 in the queue, the oldest for 1.9h: power_cap")});
  ASSERT_EQ(watch.book.raised().size(), 1U);
  EXPECT_EQ(watch.book.raised()[0].text, "48 in the queue, the oldest for 1.9h: power_cap");
  watch.at(2, {waiting("")});
  EXPECT_EQ(watch.book.raised()[0].text, "48 in the queue, the oldest for 1.9h: power_cap")
      << "nothing new is known";
}

TEST(Alerts, ResendTheirTextAtMostEveryFewSecondsOtherwiseUnchanged) {
  Watch watch;
  const auto raised = watch.at(0, {waiting("72 in the queue")});
  ASSERT_EQ(raised.size(), 1U);
  EXPECT_FALSE(raised[0].text_only);
  watch.book.acknowledge(watch.start + seconds(1), "", "", "ann");
  std::vector<Alert> told;
  for (int second = 2; second < 30; ++second) {
    for (Alert& alert : watch.at(second, {waiting(fmt::format("{} in the queue", 100 * second))})) {
      told.push_back(std::move(alert));
    }
  }
  EXPECT_EQ(told.size(), 5U) << "at 6, 11, 16, 21 and 26 s";
  for (const Alert& alert : told) {
    EXPECT_TRUE(alert.raised && alert.text_only);
    EXPECT_EQ(alert.since, watch.start);
    EXPECT_EQ(alert.acknowledged_by, "ann");
  }
  EXPECT_FALSE(watch.book.raised()[0].text_only) << "news, and no property of the alert";
}

TEST(Alerts, ReportTheLastTextEvenAfterTheConditionEnds) {
  Watch watch;
  watch.at(0, {hot});
  ASSERT_EQ(watch.at(3, {hot}).size(), 1U);
  AlertCondition more = hot;
  more.text = "8 of 8 devices slow down for heat";
  EXPECT_TRUE(watch.at(7, {more}).empty()) << "too soon after";
  const auto told = watch.at(8, {});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].raised && told[0].text_only);
  EXPECT_EQ(told[0].text, more.text);
}

TEST(Alerts, AreNotResentForJitterWithinAMinute) {
  Watch watch;
  watch.at(0, {waiting("draws 9.9kW of 10.0kW")});
  for (int second = 1; second < 60; ++second) {
    const char* text = second % 2 == 0 ? "draws 9.9kW of 10.0kW" : "draws 9.8kW of 10.0kW";
    EXPECT_TRUE(watch.at(second, {waiting(text)}).empty()) << second;
  }
  EXPECT_EQ(watch.at(61, {waiting("draws 9.8kW of 10.0kW")}).size(), 1U);
  EXPECT_TRUE(watch.at(200, {waiting("draws 9.8kW of 10.0kW")}).empty()) << "nothing is new";
}

TEST(Alerts, TextsDifferByWordsOrByMoreThanFivePercent) {
  EXPECT_FALSE(differs_beyond_jitter("draws 9.9kW", "draws 9.8kW"));
  EXPECT_FALSE(differs_beyond_jitter("100 wait", "104 wait"));
  EXPECT_TRUE(differs_beyond_jitter("100 wait", "106 wait"));
  EXPECT_TRUE(differs_beyond_jitter("headroom 0.0C", "headroom 2.1C"));
  EXPECT_TRUE(differs_beyond_jitter("the oldest for 10m", "the oldest for 10h"));
  EXPECT_TRUE(differs_beyond_jitter("72 wait: capacity", "72 wait"));
  EXPECT_TRUE(differs_beyond_jitter("72 wait", "72 wait: capacity"));
  EXPECT_FALSE(differs_beyond_jitter("", ""));
}

TEST(Alerts, OfDifferentSubjectsAndRulesAreIndependent) {
  Watch watch;
  AlertCondition other = lost;
  other.subject = "h2";
  EXPECT_EQ(watch.at(0, {lost, other}).size(), 2U) << "lost hosts at once";
  const auto cleared = watch.at(1, {other});
  ASSERT_EQ(cleared.size(), 1U);
  EXPECT_EQ(cleared[0].subject, "h1");
  ASSERT_EQ(watch.book.raised().size(), 1U);
  EXPECT_EQ(watch.book.raised()[0].subject, "h2");
}

TEST(Alerts, AreAcknowledgedOnceAndUntilTheyClear) {
  Watch watch;
  watch.at(0, {lost});
  const auto seen = watch.book.acknowledge(watch.start + seconds(2), "host_lost", "h1", "ann");
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_TRUE(seen[0].raised);
  EXPECT_EQ(seen[0].acknowledged_by, "ann");
  EXPECT_EQ(seen[0].acknowledged_at, watch.start + seconds(2));
  EXPECT_EQ(watch.book.acknowledge(watch.start + seconds(3), "host_lost", "h1", "bob"), seen)
      << "it stays hers";
  EXPECT_TRUE(watch.at(4, {lost}).empty()) << "it stands: nothing is raised again";
  EXPECT_EQ(watch.book.raised(), seen) << "who joins late is told as well";
  const auto over = watch.at(5, {});
  ASSERT_EQ(over.size(), 1U);
  EXPECT_EQ(over[0].acknowledged_by, "ann");
  const auto again = watch.at(6, {lost});
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].acknowledged_by, "") << "nobody has seen this one";
}

TEST(Alerts, AreAcknowledgedByRuleAndSubjectOrAllAtOnce) {
  struct Case {
    std::string rule, subject;
    std::size_t reached;
  };
  AlertCondition other = lost;
  other.subject = "h2";
  for (const Case& each :
       {Case{"host_lost", "h1", 1}, Case{"host_lost", "", 2}, Case{"", "h1", 2}, Case{"", "", 3},
        Case{"host_lost", "h3", 0}, Case{"throttling", "", 1}, Case{"power_cap", "", 0}}) {
    Watch watch;
    watch.at(0, {lost, other, hot, at_cap});
    watch.at(3, {lost, other, hot});
    EXPECT_EQ(watch.book.acknowledge(watch.start, each.rule, each.subject, "ann").size(),
              each.reached)
        << each.rule << ' ' << each.subject;
  }
}

TEST(Alerts, OfARemovedRuleClearAtTheNextCheck) {
  Watch watch;
  watch.at(0, {lost, hot});
  watch.at(3, {lost, hot});
  ASSERT_EQ(watch.book.raised().size(), 2U);
  std::vector<AlertRule> rules = shipped_alert_rules();
  for (AlertRule& rule : rules) rule.enabled = rule.published.name != "throttling";
  watch.book.set_rules(rules);
  const auto cleared = watch.at(4, {lost, hot});
  ASSERT_EQ(cleared.size(), 1U);
  EXPECT_EQ(cleared[0].rule, "throttling");
  EXPECT_FALSE(cleared[0].raised);
  EXPECT_TRUE(watch.at(60, {lost, hot}).empty()) << "and stay away";
}

TEST(Alerts, BeyondTheSubjectLimitAreSummarizedInOne) {
  Watch watch;
  std::vector<AlertCondition> all;
  for (std::size_t n = 0; n < alert_subjects_max + 44; ++n) {
    all.push_back({"host_lost", "h" + std::to_string(n), "gone"});
  }
  const auto raised = watch.at(0, all);
  EXPECT_EQ(raised.size(), alert_subjects_max + 1);
  const auto others = std::find_if(raised.begin(), raised.end(), [](const Alert& alert) {
    return alert.subject == other_subjects;
  });
  ASSERT_NE(others, raised.end());
  EXPECT_EQ(others->text, "44 more");
  EXPECT_TRUE(watch.at(1, all).empty());
  all.resize(alert_subjects_max);
  const auto cleared = watch.at(2, all);
  ASSERT_EQ(cleared.size(), 1U) << "what was left out is over, and what was raised first stands";
  EXPECT_EQ(cleared[0].subject, other_subjects);
  EXPECT_EQ(watch.at(3, {}).size(), alert_subjects_max);
  const auto again = watch.at(4, {lost});
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].subject, "h1") << "there is room again";
}

}  // namespace
}  // namespace drover::router
