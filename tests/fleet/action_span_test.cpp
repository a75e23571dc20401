#include "fleet/action_span.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(SpokenFault, TheNoticeOfAReclaimIsASpanAsOthersAre) {
  struct {
    const char* text;
    double notice_s;
  } const cases[] = {{"reclaim=30s", 300},
                     {"reclaim=30", 300},
                     {"reclaim=2m wall", 1200},
                     {"reclaim", 1200},
                     {"reclaim=30s fleet", 30}};
  for (const auto& each : cases) {
    const auto spoken = parse_spoken_fault(each.text);
    ASSERT_TRUE(spoken.ok()) << each.text;
    EXPECT_EQ(spoken->in_fleet_time(10).amount, each.notice_s) << each.text;
  }
  EXPECT_EQ(parse_spoken_fault("throttle=0.5")->in_fleet_time(10).amount, 0.5);
  EXPECT_FALSE(parse_spoken_fault("hang fleet").ok());
}

TEST(ActionSpan, IsOfTheClockOnTheWallUnlessItSaysFleet) {
  EXPECT_EQ(parse_action_span("60s", "--for")->in_fleet_time(10), seconds(600));
  EXPECT_EQ(parse_action_span("60s wall", "--for")->in_fleet_time(10), seconds(600));
  EXPECT_EQ(parse_action_span("60s fleet", "--for")->in_fleet_time(10), seconds(60));
  EXPECT_EQ(parse_action_span("10m", "--for")->in_fleet_time(1), minutes(10));
  for (const char* text : {"", "soon", "60", "fleet", "60sfleet", "60s moon"}) {
    EXPECT_FALSE(parse_action_span(text, "--for")) << text;
  }
}

TEST(ActionSpan, IsToldInBothWhereTheyDiffer) {
  EXPECT_EQ(span_words(seconds(60), 1), "60s");
  EXPECT_EQ(span_words(seconds(60), 10), "60s of fleet time, 6.0s here");
}

}  // namespace
}  // namespace drover
