#include "fleet/base/time.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(Timestamp, IsParsedInEverySupportedForm) {
  const auto at = [](std::string_view text) {
    const auto parsed = parse_timestamp(text);
    return parsed ? parsed->time_since_epoch().count() : -1;
  };
  EXPECT_EQ(at("1970-01-01 00:00:00"), 0);
  EXPECT_EQ(at("2023-11-16 18:17:03.9799600"), 1'700'158'623'979'960'000);
  EXPECT_EQ(at("2023-11-16T18:17:03.123456789Z"), 1'700'158'623'123'456'789);
  EXPECT_EQ(at("2023-11-16 20:17:03+02:00"), 1'700'158'623'000'000'000);
  EXPECT_EQ(at("2023-11-16 13:47:03.5-04:30"), 1'700'158'623'500'000'000);
  for (const std::string_view bad :
       {"", "2023-11-16", "2023-11-16 18:17", "2023-02-29 00:00:00", "2023-13-01 00:00:00",
        "2023-11-16 24:00:00", "2023-11-16 18:60:00", "2023-11-16 18:17:60", "2023-11-16 18:17:03.",
        "2023-11-16 18:17:03.1234567890", "2023-11-16 18:17:03 ", "1969-12-31 23:59:59",
        "2200-01-01 00:00:00", "2023-11-16 18:17:03+2", "2023-11-16 18:17:03+25:00",
        "0000-00-00 00:00:00", "+023-11-16 18:17:03"}) {
    EXPECT_EQ(at(bad), -1) << bad;
  }
}

}  // namespace
}  // namespace drover
