// Misses of a class over the last minutes, and the buckets of its values.
#include <cmath>

#include <gtest/gtest.h>

#include "router/jobs/accounting.h"

namespace drover::router {
namespace {

using std::chrono::minutes;

constexpr Instant first_job{std::chrono::hours(24)};

WorkClass chat_class() {
  WorkClass work_class;
  work_class.name = "chat";
  work_class.metric = ClassMetric::first_token;
  work_class.target = 2;
  return work_class;
}

ClassReport burn_report_at(const Accounting& accounting, Instant now) {
  std::vector<ClassReport> reports = accounting.reports_of({chat_class()});
  accounting.add_recent(now, reports);
  return reports.front();
}

TEST(ClassBurn, IsTheShareOfMissesOverTheAllowedOne) {
  struct Case {
    std::uint64_t judged, missed;
    double burn;
  };
  for (const Case& c : {Case{1'000, 0, 0}, Case{1'000, 10, 1}, Case{1'000, 144, 14.4},
                        Case{10, 10, 100}, Case{3, 1, 100.0 / 3}}) {
    EXPECT_NEAR(burn_rate({c.judged, c.missed}), c.burn, 1e-9) << c.missed << " of " << c.judged;
  }
  EXPECT_TRUE(std::isnan(burn_rate({0, 0}))) << "without jobs it is not known, not 0";
}

TEST(ClassBurn, IsFastInBothWindowsAndWithEnoughJobs) {
  struct Case {
    double target;
    ClassOutcomes within_5min, within_1h;
    bool fast;
  };
  for (const Case& c : {Case{2, {10, 2}, {100, 15}, true}, Case{2, {9, 9}, {100, 15}, false},
                        Case{2, {10, 1}, {100, 15}, false}, Case{2, {10, 2}, {100, 14}, false},
                        Case{2, {0, 0}, {0, 0}, false}, Case{0, {10, 2}, {100, 15}, false}}) {
    ClassReport report{"chat", ClassMetric::first_token, c.target, 0, {}};
    report.short_window = c.within_5min;
    report.long_window = c.within_1h;
    EXPECT_EQ(class_burn(report).fast, c.fast)
        << c.within_5min.missed << " of " << c.within_5min.judged << ", target " << c.target;
    EXPECT_EQ(std::isnan(class_burn(report).long_window), c.target == 0 || c.within_1h.judged == 0);
  }
}

TEST(ClassBurn, CountsMissesOfTheLastFiveMinutesAndOfTheLastHour) {
  Accounting accounting{first_job};
  struct Case {
    Duration after;
    ClassOutcomes within_5min, within_1h;
  };
  for (const Case& c : {Case{minutes(0), {1, 1}, {1, 1}}, Case{minutes(4), {1, 1}, {1, 1}},
                        Case{minutes(6), {0, 0}, {1, 1}}, Case{minutes(41), {1, 0}, {2, 1}},
                        Case{minutes(59), {1, 1}, {3, 2}}, Case{minutes(61), {1, 1}, {2, 1}},
                        Case{minutes(64), {0, 0}, {2, 1}}, Case{minutes(200), {0, 0}, {0, 0}}}) {
    Accounting accounting{first_job};
    for (const auto& [at, value] :
         {std::pair{minutes(0), 3.0}, std::pair{minutes(40), 1.0}, std::pair{minutes(58), 2.5}}) {
      if (at <= c.after) accounting.finished_in(first_job + at, chat_class(), value);
    }
    const ClassReport report = burn_report_at(accounting, first_job + c.after);
    EXPECT_EQ(report.short_window, c.within_5min) << to_seconds(c.after);
    EXPECT_EQ(report.long_window, c.within_1h) << to_seconds(c.after);
  }
}

TEST(ClassBurn, ACountIsNotMixedWithThatOfAnHourBefore) {
  Accounting accounting{first_job};
  for (int hour = 0; hour < 3; ++hour) {
    accounting.finished_in(first_job + std::chrono::hours(hour), chat_class(), 3);
  }
  EXPECT_EQ(burn_report_at(accounting, first_job + std::chrono::hours(2)).long_window,
            (ClassOutcomes{1, 1}));
}

TEST(ClassBurn, CountsAtAnyTimeAlsoWhenItGoesBack) {
  // From before 1970 to after it, a job a minute.
  RecentOutcomes outcomes;
  for (int minute = -90; minute <= 30; ++minute) outcomes.add(Instant{minutes(minute)}, true);
  EXPECT_EQ(outcomes.within(Instant{minutes(30)}, long_burn_window), (ClassOutcomes{60, 60}));
  EXPECT_EQ(outcomes.within(Instant{minutes(30)}, short_burn_window), (ClassOutcomes{5, 5}));
  outcomes.add(Instant{minutes(10)}, false);
  EXPECT_EQ(outcomes.within(Instant{minutes(30)}, long_burn_window), (ClassOutcomes{61, 60}))
      << "a late one counts where it belongs";
  EXPECT_EQ(outcomes.within(Instant{minutes(30)}, short_burn_window), (ClassOutcomes{5, 5}));
  outcomes.add(Instant{minutes(-600)}, true);
  EXPECT_EQ(outcomes.within(Instant{minutes(-600)}, long_burn_window), (ClassOutcomes{1, 1}));
  EXPECT_EQ(outcomes.within(Instant{minutes(30)}, long_burn_window), ClassOutcomes{})
      << "the clock was set back";
}

TEST(ClassBurn, AnotherTargetStartsAgain) {
  Accounting accounting{first_job};
  accounting.finished_in(first_job, chat_class(), 3);
  WorkClass other = chat_class();
  other.target = 4;
  std::vector<ClassReport> reports = accounting.reports_of({other});
  accounting.add_recent(first_job, reports);
  EXPECT_EQ(reports.front().long_window, ClassOutcomes{});
  EXPECT_TRUE(reports.front().buckets.empty());
}

TEST(ClassBuckets, HaveEachValueBetweenTheirBounds) {
  for (const double value : {0.000001, 0.0001, 0.02, 1.0, 37.5, 86'400.0}) {
    Accounting accounting{first_job};
    accounting.finished_in(first_job, chat_class(), value);
    const ClassReport report = burn_report_at(accounting, first_job);
    ASSERT_EQ(report.buckets, std::vector<std::uint64_t>{1}) << value;
    // The router's own buckets are 2 % wide.
    EXPECT_LT(class_bucket_begin(report.first_bucket + 1) * 1.02, value * 1.35 + 2e-5) << value;
    EXPECT_LE(value, class_bucket_begin(report.first_bucket + 1) * 1.0001) << value;
  }
}

TEST(ClassBuckets, LeaveOutEmptyOnesAtBothEnds) {
  Accounting accounting{first_job};
  accounting.finished_in(first_job, chat_class(), 1);
  accounting.finished_in(first_job, chat_class(), 1);
  accounting.finished_in(first_job, chat_class(), 3);
  const ClassReport report = burn_report_at(accounting, first_job);
  EXPECT_EQ(report.buckets.front(), 2U);
  EXPECT_EQ(report.buckets.back(), 1U);
  EXPECT_EQ(report.buckets.size(), 6U) << "a factor of three is five buckets further";
}

}  // namespace
}  // namespace drover::router
