#include "fleet/base/version.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

struct RangeCase {
  const char* range;
  const char* version;
  bool holds;
};

TEST(Version, ARangeHoldsWhatItsConditionsAllow) {
  for (const RangeCase& row : {RangeCase{">=2.1, <3", "2.1", true},
                               {">=2.1, <3", "2.0.9", false},
                               {">=2.1, <3", "3", false},
                               {">=2.1, <3", "2.99", true},
                               {">2.1", "2.1.0", false},
                               {">2.1", "2.1.1", true},
                               {"<=12.4", "12.4", true},
                               {"<=12.4", "12.4.1", true},
                               {"<=12.4", "12.5", false},
                               {"12.4", "12.4.1", true},
                               {"12.4", "12.40", false},
                               {"=12", "12.9", true},
                               {"*", "0.1", true},
                               {" >= 2 ,< 2.10 ", "2.9", true}}) {
    const auto range = parse_version_range(row.range);
    ASSERT_TRUE(range) << row.range;
    EXPECT_EQ(range->holds(*parse_version(row.version)), row.holds)
        << row.version << " in " << row.range;
  }
}

TEST(Version, MissingNumbersCountAsZero) {
  EXPECT_EQ(compare(*parse_version("12"), *parse_version("12.0.0")), 0);
  EXPECT_LT(compare(*parse_version("2.9"), *parse_version("2.10")), 0);
}

TEST(Version, InvalidVersionsAreReported) {
  for (const char* text : {"", "2.", "v2", "2.4rc1", "1.2.3.4.5", "-1", "99999999999"}) {
    EXPECT_FALSE(parse_version(text)) << text;
  }
  const auto range = parse_version_range(">=x");
  ASSERT_FALSE(range);
  EXPECT_EQ(range.error().message, "found \">=x\", expected versions such as \">=2.1, <3\"");
}

}  // namespace
}  // namespace drover
