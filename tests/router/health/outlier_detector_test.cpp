#include "router/health/outlier_detector.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace drover::router {
namespace {

using std::chrono::seconds;

constexpr Instant first_report = Instant{} + std::chrono::hours(1);

Instant at_s(double elapsed_s) { return first_report + from_seconds(elapsed_s); }

/// Places p0, p1, .. of one pool, each with the same capacity.
struct EjectingPool {
  OutlierDetector book;
  explicit EjectingPool(int places, EjectionRules rules = {}, std::uint64_t seed = 1)
      : book(rules, RandomStream(seed)) {
    for (int place = 0; place < places; ++place) book.add_place(name(place), "pool", 1);
  }
  static std::string name(int place) { return fmt::format("p{}", place); }
  void report(double elapsed_s, int place, int passed, int failed) {
    for (int n = 0; n < passed; ++n) book.report(at_s(elapsed_s), name(place), true);
    for (int n = 0; n < failed; ++n) book.report(at_s(elapsed_s), name(place), false);
  }
  /// Ejections that began since the last call: enforced, shadow.
  std::pair<int, int> begun() {
    std::pair<int, int> count{0, 0};
    for (const EjectionChange& change : book.take_changes()) {
      if (!change.ended) ++(change.ejection.shadow ? count.second : count.first);
    }
    return count;
  }
  /// "p0 failures in a row 30 s; .." of what is in force: place, detector, seconds left.
  std::string in_force(double elapsed_s) {
    book.tick(at_s(elapsed_s));
    std::string text;
    for (const Ejection& one : book.in_force()) {
      text +=
          fmt::format("{}{} {} {} s{}", text.empty() ? "" : "; ", one.place, in_words(one.detector),
                      to_seconds(one.until - at_s(elapsed_s)), one.shadow ? " shadow" : "");
    }
    return text;
  }
};

// ---- Failures in a row -------------------------------------------------------------------------

TEST(Ejection, RequiresFiveConsecutiveFailures) {
  EjectingPool pool(1);
  pool.report(0, 0, 0, 4);
  EXPECT_EQ(pool.in_force(0), "");
  pool.report(1, 0, 0, 1);
  EXPECT_EQ(pool.in_force(1), "p0 failures in a row 30 s");
  EXPECT_TRUE(pool.book.ejected("p0", at_s(30.9)));
  EXPECT_FALSE(pool.book.ejected("p0", at_s(31)));
}

TEST(Ejection, OneSuccessResetsTheFailureStreak) {
  EjectingPool pool(1);
  for (int round = 0; round < 10; ++round) pool.report(round, 0, 1, 4);
  EXPECT_EQ(pool.in_force(10), "");
}

TEST(Ejection, NoFailureStreakEjectsWithTheDetectorOff) {
  EjectionRules rules;
  rules.consecutive = 0;
  EjectingPool pool(1, rules);
  pool.report(0, 0, 0, 99);
  EXPECT_EQ(pool.in_force(0), "");
}

TEST(Ejection, KeepsNothingAboutAnUnknownPlace) {
  EjectingPool pool(1);
  for (int n = 0; n < 9; ++n) pool.book.report(first_report, "stranger", false);
  EXPECT_EQ(pool.in_force(0), "");
  EXPECT_FALSE(pool.book.ejected("stranger", first_report));
  EXPECT_EQ(pool.book.next_deadline(), never);
}

// ---- How long ----------------------------------------------------------------------------------

TEST(Ejection, LastsLongerEachTimeUpToTheMaximum) {
  EjectingPool pool(1);
  double elapsed_s = 0;
  std::vector<double> lengths_s;
  for (int time = 0; time < 12; ++time) {
    pool.report(elapsed_s, 0, 0, 5);
    const auto in_force = pool.book.in_force();
    ASSERT_EQ(in_force.size(), 1U);
    lengths_s.push_back(to_seconds(in_force[0].until - in_force[0].since));
    elapsed_s += lengths_s.back();  // and fails again at once
  }
  EXPECT_EQ(lengths_s,
            (std::vector<double>{30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 300, 300}));
}

struct QuietSpan {
  double quiet_s;  // after the return of the second ejection, at 90 s
  double length_s;
};

TEST(Ejection, OneEjectionIsForgottenPerHealthyInterval) {
  for (const QuietSpan& outlier : std::vector<QuietSpan>{
           {0, 90},
           {9, 90},   // no whole interval yet
           {10, 60},  // one
           {20, 30},  // two: as if it were the first
           {500, 30},
       }) {
    EjectingPool pool(1);
    pool.report(0, 0, 0, 5);
    pool.report(30, 0, 0, 5);
    EXPECT_EQ(pool.in_force(30), "p0 failures in a row 60 s");
    pool.report(90 + outlier.quiet_s, 0, 0, 5);
    EXPECT_EQ(pool.in_force(90 + outlier.quiet_s),
              fmt::format("p0 failures in a row {} s", outlier.length_s))
        << outlier.quiet_s;
  }
}

// After the longest ejection the number is 10: ten intervals of 10 s, as Envoy's page has it.
TEST(Ejection, TheEjectionCountResetsAfterMaxOverBaseIntervals) {
  EjectingPool pool(1);
  double elapsed_s = 0;
  for (int time = 1; time <= 10; ++time) {
    pool.report(elapsed_s, 0, 0, 5);
    elapsed_s += 30 * time;
  }
  pool.report(elapsed_s + 100, 0, 0, 5);
  EXPECT_EQ(pool.in_force(elapsed_s + 100), "p0 failures in a row 30 s");
}

TEST(Ejection, JitterIsSeededAndOnlyAdds) {
  EjectionRules rules;
  rules.jitter_s = 5;
  std::set<Duration> lengths;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EjectingPool pool(1, rules, seed);
    EjectingPool same(1, rules, seed);
    pool.report(0, 0, 0, 5);
    same.report(0, 0, 0, 5);
    const Duration length = pool.book.in_force().at(0).until - first_report;
    EXPECT_EQ(same.book.in_force().at(0).until - first_report, length);
    EXPECT_GE(length, seconds(30));
    EXPECT_LT(length, seconds(35));
    lengths.insert(length);
  }
  EXPECT_GT(lengths.size(), 10U);
}

// ---- Returning ---------------------------------------------------------------------------------

TEST(Ejection, FailuresInFlightWhenItBeganDoNotCount) {
  EjectingPool pool(1);
  pool.report(0, 0, 0, 5);
  pool.report(10, 0, 0, 20);
  EXPECT_EQ(pool.in_force(10), "p0 failures in a row 20 s") << "no longer, and not twice";
  EXPECT_EQ(pool.in_force(30), "");
}

TEST(Ejection, AReturnedPlaceMayFailAsOftenAsANewOne) {
  EjectingPool pool(1);
  pool.report(0, 0, 0, 5);
  pool.report(30, 0, 0, 4);
  EXPECT_EQ(pool.in_force(30), "");
}

TEST(Ejection, TheFirstSuccessAfterAReturnClearsTheFailuresSince) {
  EjectionRules rules;
  rules.consecutive = 5;
  rules.failure_percentage = {true, 50, 1, 4};
  EjectingPool pool(1, rules);
  pool.report(0, 0, 0, 5);
  // 4 of 8 would be too many; cleared, they are 0 of 4.
  pool.report(31, 0, 0, 4);
  pool.report(32, 0, 4, 0);
  EXPECT_EQ(pool.in_force(45), "");
}

TEST(Ejection, ReportsEveryStartAndEndInOrder) {
  EjectingPool pool(20);
  pool.report(0, 3, 0, 5);
  pool.report(5, 7, 0, 5);
  pool.book.tick(at_s(100));
  std::string told;
  for (const EjectionChange& change : pool.book.take_changes()) {
    told += (change.ended ? "-" : "+") + change.ejection.place;
  }
  EXPECT_EQ(told, "+p3+p7-p3-p7");
  EXPECT_TRUE(pool.book.take_changes().empty()) << "once";
}

TEST(Ejection, ADeadlineIsSetOnlyWhileFailuresOrEjectionsAreRemembered) {
  EjectingPool pool(1);
  EXPECT_EQ(pool.book.next_deadline(), never);
  pool.report(3, 0, 0, 5);
  std::vector<double> deadlines_s;
  while (pool.book.next_deadline() != never) {
    const Instant next = pool.book.next_deadline();
    deadlines_s.push_back(to_seconds(next - first_report));
    pool.book.tick(next);
    ASSERT_LT(deadlines_s.size(), 20U);
  }
  // Ends of intervals; at 33 s the place returns as well, and the interval to 43 s was a good one.
  EXPECT_EQ(deadlines_s, (std::vector<double>{13, 23, 33, 43}));
}

TEST(Ejection, AForgottenPlaceStartsOver) {
  EjectingPool pool(1);
  pool.report(0, 0, 0, 5);
  pool.book.forget("p0");
  EXPECT_FALSE(pool.book.ejected("p0", first_report));
  EXPECT_TRUE(pool.book.in_force().empty());
  pool.book.add_place("p0", "pool", 1);
  pool.report(1, 0, 0, 5);
  EXPECT_EQ(pool.in_force(1), "p0 failures in a row 30 s");
}

TEST(Ejection, APlaceAddedAgainKeepsItsEjection) {
  EjectingPool pool(1);
  pool.report(0, 0, 0, 5);
  pool.book.add_place("p0", "other", 8);
  EXPECT_TRUE(pool.book.ejected("p0", at_s(1)));
}

// ---- How many at once --------------------------------------------------------------------------

struct EjectionShare {
  int places;
  double max_percent;
  std::uint32_t min_hosts;
  std::size_t ejected;  // when all of them fail
};

TEST(Ejection, IsLimitedToAShareOfThePoolButAllowsAtLeastOne) {
  for (const EjectionShare& room : std::vector<EjectionShare>{
           {1, 10, 1, 1},  // one device is protected, too
           {2, 10, 1, 1},  // and a pool of more is never emptied
           {9, 10, 1, 1},
           {19, 10, 1, 1},
           {20, 10, 1, 2},
           {100, 10, 1, 10},
           {10, 50, 1, 5},
           {10, 100, 1, 10},
           {10, 0, 1, 1},
           {1, 10, 2, 0},  // too few to leave one alone
           {2, 10, 2, 1},
       }) {
    EjectionRules rules;
    rules.max_percent = room.max_percent;
    rules.min_hosts = room.min_hosts;
    EjectingPool pool(room.places, rules);
    for (int place = 0; place < room.places; ++place) pool.report(0, place, 0, 9);
    EXPECT_EQ(pool.book.in_force().size(), room.ejected)
        << room.places << " places, " << room.max_percent << " %";
  }
}

TEST(Ejection, CountsCapacityAndNotPlaces) {
  OutlierDetector book({}, RandomStream(1));
  // 100 in all: 10 may be out.
  book.add_place("large", "pool", 80);
  for (int n = 0; n < 20; ++n) book.add_place(fmt::format("small{:02}", n), "pool", 1);
  const auto fail = [&](const std::string& place) {
    for (int n = 0; n < 5; ++n) book.report(first_report, place, false);
    return book.ejected(place, first_report);
  };
  for (int n = 0; n < 10; ++n) EXPECT_TRUE(fail(fmt::format("small{:02}", n))) << n;
  EXPECT_FALSE(fail("small10"));
  EXPECT_FALSE(fail("large"));
}

TEST(Ejection, TheOneAllowedMayBeOfAnySize) {
  OutlierDetector book({}, RandomStream(1));
  book.add_place("large", "pool", 80);
  book.add_place("small", "pool", 1);
  for (int n = 0; n < 5; ++n) book.report(first_report, "large", false);
  EXPECT_TRUE(book.ejected("large", first_report));
}

TEST(Ejection, PoolsAreCountedSeparately) {
  OutlierDetector book({}, RandomStream(1));
  for (const char* pool : {"a", "b", "c"}) {
    book.add_place(pool, pool, 1);
    for (int n = 0; n < 5; ++n) book.report(first_report, pool, false);
    EXPECT_TRUE(book.ejected(pool, first_report)) << pool;
  }
}

TEST(Ejection, AFailingPlaceIsEjectedAtItsNextFailureOnceTheLimitAllows) {
  EjectingPool pool(2);
  pool.report(0, 0, 0, 5);
  pool.report(10, 1, 0, 7);
  EXPECT_EQ(pool.in_force(10), "p0 failures in a row 20 s");
  pool.report(30, 1, 0, 1);
  EXPECT_EQ(pool.in_force(30), "p1 failures in a row 30 s");
}

// A job an hour, or a thousand: whoever was ejected returns, though nothing else happens.
TEST(Ejection, EndsEvenInAnIdlePool) {
  EjectingPool pool(1);
  double elapsed_s = 0;
  for (int time = 0; time < 30; ++time) {
    pool.report(elapsed_s, 0, 0, 5);
    EXPECT_TRUE(pool.book.ejected("p0", at_s(elapsed_s)));
    elapsed_s += 300;
    pool.book.tick(at_s(elapsed_s));
    EXPECT_FALSE(pool.book.ejected("p0", at_s(elapsed_s)));
  }
}

// ---- Success rate ------------------------------------------------------------------------------

struct Rate {
  std::string what;
  std::vector<std::pair<int, int>> passed_failed;  // by place
  std::string in_force;                            // when the interval is over
};

TEST(Ejection, ComparesSuccessRatesAtTheEndOfAnInterval) {
  EjectionRules rules;
  rules.consecutive = 0;
  const std::pair<int, int> good{100, 0};
  for (const Rate& rate : std::vector<Rate>{
           {"all are equal", {good, good, good, good, good}, ""},
           {"all are equally bad", std::vector<std::pair<int, int>>(7, {37, 63}), ""},
           // Mean 0.8, deviation 0.4: 0.8 - 1.9 * 0.4 = 0.04.
           {"one of five fails all",
            {good, good, {0, 100}, good, good},
            "p2 low success rate 30 s"},
           {"as it does alone", {good, good, {1, 99}, good, good}, "p2 low success rate 30 s"},
           {"two of five do: mean 0.6, deviation 0.49, below none",
            {good, {0, 100}, {0, 100}, good, good},
            ""},
           {"four are too few", {good, good, {0, 100}, good}, ""},
           {"the fifth had too little to do", {good, good, {0, 100}, good, {99, 0}}, ""},
           {"it had too little to do itself", {good, good, {0, 99}, good, good, good}, ""},
       }) {
    EjectingPool pool(static_cast<int>(rate.passed_failed.size()), rules);
    int place = 0;
    for (const auto& [passed, failed] : rate.passed_failed) {
      pool.report(0, place++, passed, failed);
    }
    EXPECT_EQ(pool.in_force(9.9), "") << rate.what;
    EXPECT_EQ(pool.in_force(10), rate.in_force) << rate.what;
  }
}

TEST(Ejection, CountsEachIntervalSeparately) {
  EjectionRules rules;
  rules.consecutive = 0;
  EjectingPool pool(5, rules);
  for (const double elapsed_s : {0.0, 11.0}) {
    for (int place = 0; place < 4; ++place) pool.report(elapsed_s, place, 60, 0);
    pool.report(elapsed_s, 4, 0, 60);
  }
  EXPECT_EQ(pool.in_force(25), "") << "120 requests, but 60 in each interval";
}

TEST(Ejection, TakesTheWorstWhenNotAllMayGo) {
  EjectionRules rules;
  rules.consecutive = 0;
  EjectingPool pool(19, rules);
  for (int place = 0; place < 17; ++place) pool.report(0, place, 100, 0);
  pool.report(0, 17, 20, 80);
  pool.report(0, 18, 10, 90);
  EXPECT_EQ(pool.in_force(10), "p18 low success rate 30 s");
}

// ---- Failure percentage ------------------------------------------------------------------------

struct Percentage {
  int passed, failed;
  bool ejected;
};

TEST(Ejection, ComparesFailuresWithAFixedThresholdWhenEnabled) {
  for (const Percentage& one : std::vector<Percentage>{
           {15, 85, true}, {16, 84, false}, {0, 50, true}, {0, 49, false},  // too few
       }) {
    EjectionRules rules;
    rules.consecutive = 0;
    rules.enforce[static_cast<std::size_t>(Detector::success_rate)] = 0;
    for (const bool enabled : {false, true}) {
      rules.failure_percentage.enabled = enabled;
      EjectingPool pool(5, rules);
      for (int place = 1; place < 5; ++place) pool.report(0, place, 50, 0);
      pool.report(0, 0, one.passed, one.failed);
      pool.book.tick(at_s(10));
      EXPECT_EQ(pool.book.ejected("p0", at_s(10)), enabled && one.ejected)
          << one.passed << " " << one.failed;
    }
  }
}

// ---- Shadows -----------------------------------------------------------------------------------

TEST(Ejection, AShadowReportsWhatItWouldEjectAndEjectsNothing) {
  for (const bool all_detectors : {true, false}) {
    EjectionRules rules;
    rules.shadow = all_detectors;
    if (!all_detectors) rules.enforce[static_cast<std::size_t>(Detector::consecutive)] = 0;
    EjectingPool pool(1, rules);
    pool.report(0, 0, 0, 5);
    EXPECT_FALSE(pool.book.ejected("p0", first_report));
    EXPECT_EQ(pool.in_force(0), "p0 failures in a row 30 s shadow");
    EXPECT_EQ(pool.begun(), std::pair(0, 1));
    // It goes on failing, as it would not have while it was out.
    pool.report(10, 0, 0, 50);
    EXPECT_EQ(pool.begun(), std::pair(0, 0));
    pool.report(31, 0, 0, 5);
    EXPECT_EQ(pool.in_force(31), "p0 failures in a row 60 s shadow") << "the second time";
  }
}

TEST(Ejection, AShadowDoesNotCountAgainstTheEnforcedLimit) {
  EjectionRules rules;
  rules.failure_percentage = {true, 85, 1, 4};
  rules.enforce[static_cast<std::size_t>(Detector::failure_percentage)] = 0;
  EjectingPool pool(2, rules);
  pool.report(0, 0, 0, 4);
  EXPECT_EQ(pool.in_force(10), "p0 high failure percentage 30 s shadow");
  pool.report(11, 1, 0, 5);
  EXPECT_TRUE(pool.book.ejected("p1", at_s(11)));
  pool.report(12, 0, 0, 4);
  EXPECT_FALSE(pool.book.ejected("p0", at_s(12))) << "now the pool's one is out";
}

TEST(Ejection, AShadowStaysWithinTheEjectableShare) {
  EjectionRules rules;
  rules.shadow = true;
  EjectingPool pool(20, rules);
  for (int place = 0; place < 20; ++place) pool.report(0, place, 0, 5);
  EXPECT_EQ(pool.begun(), std::pair(0, 2));
}

TEST(Ejection, EnforcesTheConfiguredPercentageOfDetections) {
  EjectionRules rules;
  rules.enforce[0] = 25;
  rules.max_percent = 100;
  EjectingPool pool(400, rules);
  for (int place = 0; place < 400; ++place) pool.report(0, place, 0, 5);
  const auto [enforced, shadow] = pool.begun();
  EXPECT_EQ(enforced + shadow, 400);
  EXPECT_NEAR(enforced, 100, 30) << "three deviations of the binomial";
  // A second row of five, and four more: chance decides once more, and not at every failure.
  for (int place = 0; place < 400; ++place) pool.report(0, place, 0, 9);
  EXPECT_NEAR(enforced + pool.begun().first, 400 * (1 - 0.75 * 0.75), 30);
}

}  // namespace
}  // namespace drover::router
