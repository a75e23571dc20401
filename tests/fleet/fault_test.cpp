// Faults and targets as people write them.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/fault.h"
#include "fleet/target.h"

namespace drover {
namespace {

TEST(Faults, AreReadAndWrittenAlike) {
  for (const std::string text : {"throttle=0.25", "hang", "xid=79", "ecc", "lose", "slow-link=0.1",
                                 "inlet=+10C", "inlet=-5C", "fan=0.5", "reclaim=30"}) {
    const auto fault = parse_fault(text);
    ASSERT_TRUE(fault) << fault.error().message;
    EXPECT_EQ(to_text(*fault), text);
  }
}

TEST(Faults, HaveDefaultAmounts) {
  EXPECT_EQ(parse_fault("throttle")->amount, 0.5);
  EXPECT_EQ(parse_fault("slow-link")->amount, 0.1);
  EXPECT_EQ(parse_fault("xid=79")->code, 79u);
  EXPECT_EQ(parse_fault("reclaim")->amount, 120);
  EXPECT_EQ(parse_fault("reclaim=30s")->amount, 30);
}

TEST(Faults, AReclaimIsExtendedByItsNotice) {
  Fault fault = *parse_fault("reclaim=30");
  fault.duration = std::chrono::seconds(60);
  EXPECT_EQ(total_duration(fault), std::chrono::seconds(90));
  fault.kind = FaultKind::lose;
  EXPECT_EQ(total_duration(fault), std::chrono::seconds(60));
}

TEST(Faults, ThatAreInvalidAreRefusedWithAnExplanation) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"melt",
       "found \"melt\", expected one of throttle, hang, xid, ecc, lose, slow-link, inlet, fan, "
       "reclaim"},
      {"hang=3", "found \"hang=3\", expected hang without a value"},
      {"xid", "found \"xid\", expected xid=VALUE with an Xid's number, 1 to 999"},
      {"xid=0", "found \"xid=0\", expected xid=VALUE with an Xid's number, 1 to 999"},
      {"xid=7.5", "found \"xid=7.5\", expected an Xid's number, 1 to 999"},
      {"inlet", "found \"inlet\", expected inlet=VALUE with degrees, -30C to +60C"},
      {"inlet=nan", "found \"inlet=nan\", expected inlet=VALUE with degrees, -30C to +60C"},
      {"inlet=100C", "found \"inlet=100C\", expected inlet=VALUE with degrees, -30C to +60C"},
      {"throttle=2",
       "found \"throttle=2\", expected throttle=VALUE with a share of the clock, 0.05 to 0.95"},
      {"lose\x1b[2J",
       "found \"lose^[[2J\", expected one of throttle, hang, xid, ecc, lose, slow-link, inlet, "
       "fan, reclaim"},
  };
  for (const auto& [text, wanted] : cases) {
    const auto fault = parse_fault(text);
    ASSERT_FALSE(fault) << text;
    EXPECT_EQ(fault.error().message, wanted);
  }
}

TEST(Targets, RoundTripThroughText) {
  for (const std::string text :
       {"device:h1/3", "host:h1", "rack:rack-a", "pool:v5e", "site", "host:a:b"}) {
    const auto target = parse_target(text);
    ASSERT_TRUE(target) << target.error().message;
    EXPECT_EQ(to_text(*target), text);
  }
  EXPECT_EQ(to_text(*parse_target("h1/3")), "device:h1/3");
}

TEST(Targets, ThatNameNothingAreRefused) {
  for (const std::string text :
       {"", "h1", "host:", "site:x", "device:h1", "rack:a b", "pool:\x1b"}) {
    EXPECT_FALSE(parse_target(text)) << text;
  }
}

}  // namespace
}  // namespace drover
