#include "fleet/base/time.h"

#include <limits>

#include <gtest/gtest.h>

namespace drover {
namespace {

using std::chrono::seconds;

TEST(FleetTime, SecondsRoundToTheNearestNanosecond) {
  EXPECT_EQ(from_seconds(1.5), Duration{1'500'000'000});
  EXPECT_EQ(from_seconds(1e-9), Duration{1});
  EXPECT_EQ(from_seconds(0.6e-9), Duration{1});
  EXPECT_EQ(from_seconds(0.4e-9), Duration{0});
  EXPECT_EQ(from_seconds(-2.5), Duration{-2'500'000'000});
}

TEST(FleetTime, SecondsOutsideTheRangeAreClamped) {
  EXPECT_EQ(from_seconds(1e30), Duration::max());
  EXPECT_EQ(from_seconds(-1e30), Duration::min());
  EXPECT_EQ(from_seconds(9223372036.854775808), Duration::max());
  EXPECT_EQ(from_seconds(std::numeric_limits<double>::infinity()), Duration::max());
  EXPECT_EQ(from_seconds(std::numeric_limits<double>::quiet_NaN()), Duration::zero());
}

TEST(FleetTime, AdditionSaturatesAtNever) {
  const Instant start{seconds{5}};
  EXPECT_EQ(saturating_add(start, seconds{2}), Instant{seconds{7}});
  EXPECT_EQ(saturating_add(start, Duration::max()), never);
  EXPECT_EQ(saturating_add(never, Duration{1}), never);
  EXPECT_EQ(saturating_add(Instant::min(), Duration{-1}), Instant::min());
  EXPECT_EQ(saturating_add(never, Duration::min()), Instant{Duration{-1}});
}

TEST(FleetTime, IsoTextIsUtcWithMilliseconds) {
  EXPECT_EQ(to_iso8601(Instant{}), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_iso8601(Instant{Duration{1'795'228'681'123'999'999}}), "2026-11-21T02:38:01.123Z");
  EXPECT_EQ(to_iso8601(Instant{seconds{951'782'400}}), "2000-02-29T00:00:00.000Z");
  EXPECT_EQ(to_iso8601(Instant{Duration{-1}}), "1969-12-31T23:59:59.999Z");
}

TEST(FleetTime, EveryInstantCanBeFormatted) {
  EXPECT_EQ(to_iso8601(never), "2262-04-11T23:47:16.854Z");
  EXPECT_EQ(to_iso8601(Instant::min()), "1677-09-21T00:12:43.145Z");
}

TEST(FleetTime, ClockTextIsTheTimeOfDay) {
  EXPECT_EQ(to_clock_text(Instant{seconds{1'795'228'681}}), "02:38:01");
  EXPECT_EQ(to_clock_text(Instant{Duration{-1}}), "23:59:59");
}

}  // namespace
}  // namespace drover
