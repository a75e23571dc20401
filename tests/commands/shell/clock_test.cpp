#include "commands/shell/clock.h"

#include <gtest/gtest.h>

#include "commands/connection/fleet_time_bounds.h"
#include "commands/router/ledger_clock.h"

namespace drover::commands {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr WallTime anchored{seconds(5)};

TEST(FleetAnchor, RunsAtItsSpeedFromItsPoint) {
  const FleetAnchor anchor{Instant(seconds(1000)), anchored, 60};
  EXPECT_EQ(anchor.at(anchored), Instant(seconds(1000)));
  EXPECT_EQ(anchor.at(anchored + seconds(1)), Instant(seconds(1060)));
  EXPECT_EQ(anchor.at(anchored - seconds(1)), Instant(seconds(940)));
}

TEST(FleetAnchor, WaitsUntilADeadlineInWallTimeRoundedUp) {
  const FleetAnchor anchor{Instant(seconds(1000)), anchored, 60};
  const milliseconds longest{500};
  struct Case {
    Instant deadline;
    milliseconds wait;
  };
  const Case cases[] = {
      {Instant(seconds(999)), milliseconds(0)},
      {Instant(seconds(1000)), milliseconds(0)},
      {Instant(seconds(1000) + milliseconds(60)), milliseconds(1)},
      {Instant(seconds(1000) + milliseconds(61)), milliseconds(2)},
      {Instant(seconds(1006)), milliseconds(100)},
      {Instant(seconds(2000)), longest},
      {never, longest},
  };
  for (const Case& expected : cases) {
    EXPECT_EQ(anchor.until(expected.deadline, anchored, longest), expected.wait)
        << to_seconds(expected.deadline.time_since_epoch());
  }
}

TEST(FleetAnchor, ReachesTheDeadlineWhenItsWaitEnds) {
  for (const double speed : {0.1, 1.0, 7.3, 60.0, 1000.0}) {
    const FleetAnchor anchor{Instant(seconds(1000)), anchored, speed};
    const Instant deadline(seconds(1000) + milliseconds(333));
    const auto wait = anchor.until(deadline, anchored, seconds(60));
    EXPECT_GE(anchor.at(anchored + wait), deadline) << speed;
  }
}

TEST(Clock, NeverGoesBackWhenReanchored) {
  Clock clock(Instant(seconds(1000)), 1);
  const Instant before = clock.now();
  clock.reanchor(Instant(seconds(10)), 1);
  EXPECT_GE(clock.now(), before);
  clock.reanchor(Instant(seconds(5000)), 60);
  EXPECT_GE(clock.now(), Instant(seconds(5000)));
  EXPECT_EQ(clock.speed(), 60);
}

TEST(LedgerClock, RoundTripsThroughText) {
  const LedgerClock clock{Instant(Duration(1'700'000'000'123'456'789)),
                          Instant(Duration(1'699'999'999'000'000'001)), 62.5};
  const auto read = parse_ledger_clock(to_text(clock));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->fleet, clock.fleet);
  EXPECT_EQ(read->system, clock.system);
  EXPECT_EQ(read->speed, clock.speed);
}

TEST(LedgerClock, RefusesTextThatIsNotAClock) {
  for (const char* text : {"", "1", "1 2", "1 2 x", "1 2 0", "1 2 -3", "a b c"}) {
    EXPECT_FALSE(parse_ledger_clock(text)) << text;
  }
}

TEST(LedgerClock, StartsANewLedgerAtTheSystemTime) {
  EXPECT_EQ(resume_fleet_time(std::nullopt, std::nullopt, Instant(seconds(77))),
            Instant(seconds(77)));
}

TEST(LedgerClock, ContinuesWhereFleetTimeWouldBeByNow) {
  const LedgerClock clock{Instant(seconds(1000)), Instant(seconds(1000)), 60};
  // Ten seconds of the system's time at sixty times the speed.
  EXPECT_EQ(resume_fleet_time(clock, Instant(seconds(1300)), Instant(seconds(1010))),
            Instant(seconds(1600)));
}

TEST(LedgerClock, NeverGoesBackBeforeTheLastRow) {
  const LedgerClock clock{Instant(seconds(1000)), Instant(seconds(1000)), 1};
  const Instant last(seconds(5000));
  EXPECT_EQ(resume_fleet_time(clock, last, Instant(seconds(1010))), last);
  // The system's clock was set back.
  EXPECT_EQ(resume_fleet_time(clock, last, Instant(seconds(10))), last);
  EXPECT_EQ(resume_fleet_time(std::nullopt, last, Instant(seconds(10))), last);
}

TEST(LedgerClock, RefusesTimesThatNoRouterCanUse) {
  const Instant now(seconds(1'800'000'000));
  const Duration days_10 = std::chrono::hours(240);
  const Instant before_1970(seconds(-1));
  struct Case {
    std::optional<LedgerClock> clock;
    std::optional<Instant> last_row;
    Instant system;
    const char* said;  // nothing: it begins
  };
  const Case cases[] = {
      {std::nullopt, std::nullopt, now, nullptr},
      {std::nullopt, now, now, nullptr},
      {LedgerClock{now, now - days_10, 60}, now, now, nullptr},
      {LedgerClock{now, now + days_10, 10'000}, now, now, nullptr},  // the system's was set back
      {LedgerClock{never, now, 1}, std::nullopt, now, nullptr},      // of a ledger that is gone
      {std::nullopt, std::nullopt, before_1970, "this machine's clock: found 1969-12-31"},
      {std::nullopt, now, before_1970, "this machine's clock: found 1969-12-31"},
      {std::nullopt, std::nullopt, fleet_time_end, "this machine's clock: found 2200-01-01"},
      {std::nullopt, never, now,
       "L: its newest row: found fleet time the largest representable time"},
      {std::nullopt, Instant::min(), now,
       "L: its newest row: found fleet time the smallest representable time"},
      {LedgerClock{now, now - days_10, 10'000}, now, now,
       "L.clock: fleet time would now be the largest representable time"},
      {LedgerClock{never, now, 1}, now, now,
       "L.clock: fleet time: found the largest representable time"},
      {LedgerClock{before_1970, now, 1}, now, now, "L.clock: fleet time: found 1969-12-31"},
      {LedgerClock{now, before_1970, 1}, now, now, "L.clock: the system's time: found 1969"},
      {LedgerClock{now, now, 10'001}, now, now, "L.clock: the speed: found 10001"},
      {LedgerClock{now, now, 0.001}, now, now, "L.clock: the speed: found 0.001"},
  };
  for (const Case& expected : cases) {
    const Status status =
        check_ledger_times("L", expected.clock, expected.last_row, expected.system);
    const std::string said = status ? "" : status.error().message;
    EXPECT_EQ(status.ok(), expected.said == nullptr) << said;
    const std::string begin = expected.said == nullptr ? "" : expected.said;
    EXPECT_EQ(said.rfind(begin, 0), 0U) << said;
  }
}

TEST(FleetTime, AJoinAcceptedWithAnInvalidTimeOrSpeedIsRejected) {
  JoinAccepted welcome;
  welcome.fleet_time = Instant(seconds(1'800'000'000));
  EXPECT_TRUE(check_join_accepted(welcome));
  for (const Instant absurd : {never, Instant::min(), fleet_time_end, Instant(Duration(-1))}) {
    JoinAccepted other = welcome;
    other.fleet_time = absurd;
    EXPECT_FALSE(check_join_accepted(other)) << instant_text(absurd);
  }
  for (const double absurd : {0.0, -1.0, 10'001.0, 1e300}) {
    JoinAccepted other = welcome;
    other.speed = absurd;
    EXPECT_FALSE(check_join_accepted(other)) << absurd;
  }
}

TEST(FleetTime, JumpsWhenItDiffersByTooManyLeases) {
  const Instant here(seconds(1'800'000'000));
  struct Case {
    double speed;
    Duration ahead;
    bool leaps;
  };
  const Case cases[] = {
      {1, seconds(0), false},
      {1, seconds(60), false},
      {1, seconds(61), true},
      {1, -seconds(10), false},
      {1, -seconds(11), true},
      {60, seconds(3600), false},
      {60, seconds(3601), true},
      {60, -seconds(600), false},
      {60, -seconds(601), true},
      {10'000, seconds(30'000), false},  // three wall seconds
      {1, -seconds(30'000), true},       // the same for a router that is slow again
      {1, std::chrono::hours(30 * 24), true},
      {1, -std::chrono::hours(30 * 24), true},
  };
  for (const Case& expected : cases) {
    JoinAccepted welcome;
    welcome.fleet_time = here + expected.ahead;
    welcome.speed = expected.speed;
    for (const Duration lease : {Duration(0), wall_span(10, expected.speed)}) {
      welcome.lease = lease;
      EXPECT_EQ(clock_jump_to(welcome, here).has_value(), expected.leaps)
          << expected.speed << " " << to_seconds(expected.ahead);
    }
  }
  EXPECT_TRUE(clock_jump_between(never, Instant::min(), seconds(10)));
}

}  // namespace
}  // namespace drover::commands
