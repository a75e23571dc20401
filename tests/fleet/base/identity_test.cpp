#include "fleet/base/identity.h"

#include <set>

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(Identity, AJobIdRoundTripsThroughText) {
  const JobId id{0x0123456789abcdef, 0xfedcba9876543210};
  EXPECT_EQ(to_text(id), "0123456789abcdeffedcba9876543210");
  EXPECT_EQ(to_short_text(id), "01234567");
  const auto parsed = parse_job_id(to_text(id));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, id);
}

TEST(Identity, AMalformedJobIdIsRefusedWithWhatWasFound) {
  for (const std::string_view text :
       {"", "0123", "0123456789abcdeffedcba987654321", "0123456789abcdeffedcba98765432100",
        "0123456789abcdeffedcba987654321g", "+123456789abcdeffedcba9876543210",
        "0x23456789abcdeffedcba9876543210", "-123456789abcdef-edcba9876543210"}) {
    const auto parsed = parse_job_id(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message.find("32 hexadecimal digits"), std::string::npos);
  }
}

TEST(Identity, HostileJobIdIsShownEscaped) {
  const auto parsed = parse_job_id("\x1b]0;gotcha\x07");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message.find('\x1b'), std::string::npos);
  EXPECT_NE(parsed.error().message.find("^["), std::string::npos);
}

TEST(Identity, ADeviceIdRoundTripsThroughText) {
  const DeviceId id{"rack1-h2.example", 65535};
  EXPECT_EQ(to_text(id), "rack1-h2.example/65535");
  const auto parsed = parse_device_id(to_text(id));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, id);
  EXPECT_EQ(to_text(ReplicaId{"h1", 7}), "h1/r7");
}

TEST(Identity, AMalformedDeviceIdIsRefused) {
  for (const std::string_view text : {"", "h1", "h1/", "/1", "h1/65536", "h1/-1", "h1/+1", "h1/1x",
                                      "h1/03", "h 1/3", "a/b/3", "h1/r0", "h1/3 "}) {
    EXPECT_FALSE(parse_device_id(text)) << text;
  }
}

TEST(Identity, NamesContainNothingUnsafeForATerminal) {
  for (const std::string_view good : {"a", "h100-sxm", "node_01.rack:3", "A.B"}) {
    EXPECT_TRUE(is_name(good)) << good;
  }
  EXPECT_TRUE(is_name(std::string(64, 'x')));
  EXPECT_FALSE(is_name(std::string(65, 'x')));
  for (const std::string_view bad :
       {"", " ", "a b", "a/b", "a\n", "\x1b[31m", "caf\xc3\xa9", "a%n", "\xe2\x80\xae"}) {
    EXPECT_FALSE(is_name(bad));
  }
}

TEST(Identity, RandomIdsDifferAndRepeatWithTheSeed) {
  RandomStream random(7);
  std::set<JobId> ids;
  for (int count = 0; count < 1000; ++count) ids.insert(generate_job_id(random));
  EXPECT_EQ(ids.size(), 1000U);
  EXPECT_FALSE(ids.begin()->empty());
  RandomStream again(7);
  EXPECT_TRUE(ids.contains(generate_job_id(again)));
  EXPECT_NE(generate_incarnation(random), generate_incarnation(random));
}

}  // namespace
}  // namespace drover
