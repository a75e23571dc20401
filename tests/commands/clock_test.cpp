#include "commands/clock.h"

#include <gtest/gtest.h>

#include "commands/ledger_clock.h"

namespace drover::commands {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(FleetAnchor, RunsAtItsSpeedFromItsPoint) {
  const FleetAnchor anchor{Instant(seconds(1000)), seconds(5), 60};
  EXPECT_EQ(anchor.at(seconds(5)), Instant(seconds(1000)));
  EXPECT_EQ(anchor.at(seconds(6)), Instant(seconds(1060)));
  EXPECT_EQ(anchor.at(seconds(4)), Instant(seconds(940)));
}

TEST(FleetAnchor, WaitsUntilADeadlineInWallTimeRoundedUp) {
  const FleetAnchor anchor{Instant(seconds(1000)), seconds(5), 60};
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
    EXPECT_EQ(anchor.until(expected.deadline, seconds(5), longest), expected.wait)
        << to_seconds(expected.deadline.time_since_epoch());
  }
}

TEST(FleetAnchor, ReachesTheDeadlineWhenItsWaitEnds) {
  for (const double speed : {0.1, 1.0, 7.3, 60.0, 1000.0}) {
    const FleetAnchor anchor{Instant(seconds(1000)), seconds(5), speed};
    const Instant deadline(seconds(1000) + milliseconds(333));
    const auto wait = anchor.until(deadline, seconds(5), seconds(60));
    EXPECT_GE(anchor.at(seconds(5) + wait), deadline) << speed;
  }
}

TEST(Clock, NeverGoesBackWhenItIsAnchoredAnew) {
  Clock clock(Instant(seconds(1000)), 1);
  const Instant before = clock.now();
  clock.anchor_again(Instant(seconds(10)), 1);
  EXPECT_GE(clock.now(), before);
  clock.anchor_again(Instant(seconds(5000)), 60);
  EXPECT_GE(clock.now(), Instant(seconds(5000)));
  EXPECT_EQ(clock.speed(), 60);
}

TEST(LedgerClock, ReadsWhatItWrote) {
  const LedgerClock clock{Instant(Duration(1'700'000'000'123'456'789)),
                          Instant(Duration(1'699'999'999'000'000'001)), 62.5};
  const auto read = parse_ledger_clock(to_text(clock));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->fleet, clock.fleet);
  EXPECT_EQ(read->system, clock.system);
  EXPECT_EQ(read->speed, clock.speed);
}

TEST(LedgerClock, RefusesTextThatIsNoClock) {
  for (const char* text : {"", "1", "1 2", "1 2 x", "1 2 0", "1 2 -3", "a b c"}) {
    EXPECT_FALSE(parse_ledger_clock(text)) << text;
  }
}

TEST(LedgerClock, BeginsANewLedgerAtTheSystemsTime) {
  EXPECT_EQ(resume_fleet_time(std::nullopt, std::nullopt, Instant(seconds(77))),
            Instant(seconds(77)));
}

TEST(LedgerClock, GoesOnWhereFleetTimeWouldBeByNow) {
  const LedgerClock clock{Instant(seconds(1000)), Instant(seconds(1000)), 60};
  // Ten seconds of the system's time at sixty times the speed.
  EXPECT_EQ(resume_fleet_time(clock, Instant(seconds(1300)), Instant(seconds(1010))),
            Instant(seconds(1600)));
}

TEST(LedgerClock, NeverGoesBehindTheLastRow) {
  const LedgerClock clock{Instant(seconds(1000)), Instant(seconds(1000)), 1};
  const Instant last(seconds(5000));
  EXPECT_EQ(resume_fleet_time(clock, last, Instant(seconds(1010))), last);
  // The system's clock was set back.
  EXPECT_EQ(resume_fleet_time(clock, last, Instant(seconds(10))), last);
  EXPECT_EQ(resume_fleet_time(std::nullopt, last, Instant(seconds(10))), last);
}

}  // namespace
}  // namespace drover::commands
