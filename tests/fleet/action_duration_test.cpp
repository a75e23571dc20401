#include "fleet/action_duration.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(FaultText, TheReclaimNoticeIsADurationLikeAnyOther) {
  struct {
    const char* text;
    double notice_s;
  } const cases[] = {{"reclaim=30s", 300},
                     {"reclaim=30", 300},
                     {"reclaim=2m wall", 1200},
                     {"reclaim", 1200},
                     {"reclaim=30s fleet", 30}};
  for (const auto& each : cases) {
    const auto spoken = parse_fault_request(each.text);
    ASSERT_TRUE(spoken.ok()) << each.text;
    EXPECT_EQ(spoken->in_fleet_time(10).amount, each.notice_s) << each.text;
  }
  EXPECT_EQ(parse_fault_request("throttle=0.5")->in_fleet_time(10).amount, 0.5);
  EXPECT_FALSE(parse_fault_request("hang fleet").ok());
}

TEST(ActionDuration, IsWallTimeUnlessMarkedFleet) {
  EXPECT_EQ(parse_action_duration("60s", "--for")->in_fleet_time(10), seconds(600));
  EXPECT_EQ(parse_action_duration("60s wall", "--for")->in_fleet_time(10), seconds(600));
  EXPECT_EQ(parse_action_duration("60s fleet", "--for")->in_fleet_time(10), seconds(60));
  EXPECT_EQ(parse_action_duration("10m", "--for")->in_fleet_time(1), minutes(10));
  for (const char* text : {"", "soon", "60", "fleet", "60sfleet", "60s moon"}) {
    EXPECT_FALSE(parse_action_duration(text, "--for")) << text;
  }
}

TEST(ActionDuration, IsShownInFleetAndWallTimeWhereTheyDiffer) {
  EXPECT_EQ(duration_phrase(seconds(60), 1), "60s");
  EXPECT_EQ(duration_phrase(seconds(60), 10), "60s of fleet time, 6.0s here");
}

}  // namespace
}  // namespace drover
