#include "fleet/base/units.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace drover {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Units, DurationsNeedAUnit) {
  const struct {
    std::string_view text;
    Duration expected;
  } cases[] = {{"5m", seconds{300}},
               {"1.5s", milliseconds{1500}},
               {"250 ms", milliseconds{250}},
               {"2h", hours{2}},
               {"1d", hours{24}},
               {"10us", Duration{10'000}},
               {"7ns", Duration{7}},
               {"+3s", seconds{3}},
               {" 4s ", seconds{4}},
               {"1e3s", seconds{1000}},
               {"18m50s", seconds{1130}},
               {"1h 5m", seconds{3900}},
               {"1d2h3m4.5s", milliseconds{93'784'500}},
               {"0s", seconds{0}}};
  for (const auto& row : cases) {
    const auto parsed = parse_duration(row.text, "--for");
    ASSERT_TRUE(parsed) << row.text << ": " << parsed.error().message;
    EXPECT_EQ(*parsed, row.expected) << row.text;
  }
}

TEST(Units, SizesKnowDecimalAndBinaryMultiples) {
  const struct {
    std::string_view text;
    std::uint64_t expected;
  } cases[] = {
      {"80GiB", 80ULL << 30}, {"80GB", 80'000'000'000}, {"1.5KiB", 1536}, {"12", 12}, {"12B", 12},
      {"3kB", 3000},          {"1TiB", 1ULL << 40},     {"0", 0}};
  for (const auto& row : cases) {
    const auto parsed = parse_bytes(row.text, "memory");
    ASSERT_TRUE(parsed) << row.text;
    EXPECT_EQ(*parsed, row.expected) << row.text;
  }
}

TEST(Units, WattsAndDegreesNeedNoUnit) {
  EXPECT_EQ(*parse_watts("350W", "cap"), 350);
  EXPECT_EQ(*parse_watts("1.2kW", "cap"), 1200);
  EXPECT_EQ(*parse_watts("350", "cap"), 350);
  for (const std::string_view text : {"20kW", "20KW", "20kw", "20 Kw", "20000w", "0.02mw"}) {
    EXPECT_EQ(*parse_watts(text, "cap"), 20'000) << text;
  }
  EXPECT_FALSE(parse_watts("5mW", "cap")) << "a thousandth, or a million?";
  EXPECT_EQ(*parse_power("4kw", "cap"), 4000);
  EXPECT_EQ(parse_power("5", "cap").error().message,
            "cap: found \"5\", expected a power with its unit (W kW MW), such as \"20kW\"");
  EXPECT_EQ(*parse_celsius("+10C", "ambient"), 10);
  EXPECT_EQ(*parse_celsius("-5", "ambient"), -5);
}

TEST(Units, NumbersArePlain) {
  EXPECT_EQ(*parse_number("1.5", "x"), 1.5);
  EXPECT_EQ(*parse_number("-2e-3", "x"), -0.002);
  EXPECT_EQ(*parse_number(".5", "x"), 0.5);
  EXPECT_EQ(*parse_integer("-42", "x"), -42);
  EXPECT_EQ(*parse_integer("9223372036854775807", "x"), INT64_MAX);
}

TEST(Units, InvalidQuantitiesAreRefused) {
  for (const std::string_view text :
       {"", " ", "5", "s", "-5s", "5x", "5 s s", "1..5s", "nan", "nans", "infs", "1e400s", "0x10s",
        "1e30s", "+-3s", "--3s", "3s;", "5\xc2\xb5s"}) {
    EXPECT_FALSE(parse_duration(text, "p")) << text;
  }
  for (const std::string_view text : {"", "-1", "1e17", "80gib", "80 G", "inf", "1e400"}) {
    EXPECT_FALSE(parse_bytes(text, "p")) << text;
  }
  for (const std::string_view text : {"", "-1W", "5V", "nan"}) EXPECT_FALSE(parse_watts(text, "p"));
  for (const std::string_view text : {"-300C", "10F", ""}) EXPECT_FALSE(parse_celsius(text, "p"));
  for (const std::string_view text : {"", "1.5k", "nan", "-inf", "1,5", "1 2", "0x1p3", "- 1"}) {
    EXPECT_FALSE(parse_number(text, "p")) << text;
  }
  for (const std::string_view text : {"", "1.5", "9223372036854775808", "1e3", "+-1", "0x10"}) {
    EXPECT_FALSE(parse_integer(text, "p")) << text;
  }
}

TEST(Units, ErrorsNamePositionFoundAndExpected) {
  EXPECT_EQ(parse_watts("12\x1b[31m", "demo.toml:4: cap").error().message,
            "demo.toml:4: cap: found \"12^[[31m\", expected a power (W kW MW), such as \"350W\"");
  EXPECT_EQ(parse_duration("10000000d", "--for").error().message,
            "--for: found \"10000000d\", expected at most 292 years (106751d)");
  EXPECT_EQ(parse_duration("-5s", "--for").error().message,
            "--for: found \"-5s\", expected no negative duration");
  EXPECT_EQ(parse_integer("99999999999999999999999", "--seed").error().message,
            "--seed: found \"99999999999999999999999\", expected a whole number within 64 bits "
            "(9.2e18)");
  const std::string shown = parse_number(std::string(10'000, '9') + "x", "p").error().message;
  EXPECT_LT(shown.size(), 120U);
}

TEST(Units, DurationTextIsShort) {
  const struct {
    double seconds;
    std::string_view expected;
  } cases[] = {{0, "0ms"},      {-1e-9, "0ms"},       {0.98, "980ms"},    {0.9996, "1.0s"},
               {4.21, "4.2s"},  {9.96, "10s"},        {99.4, "99s"},      {99.6, "2m"},
               {720, "12m"},    {3600 * 3.1, "3.1h"}, {3600 * 48, "48h"}, {86400 * 30, "30d"},
               {1e18, "99999y"}};
  for (const auto& row : cases) EXPECT_EQ(duration_text(row.seconds), row.expected);
}

TEST(Units, ShortTextsOfQuantities) {
  EXPECT_EQ(bytes_text(512), "512B");
  EXPECT_EQ(bytes_text(80.0 * (1ULL << 30)), "80.0G");
  EXPECT_EQ(bytes_text(1023.9), "1.0K");
  EXPECT_EQ(bytes_text(1023.0 * 1024), "1.0M");
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(-0.0), "0");
  EXPECT_EQ(count_text(950), "950");
  EXPECT_EQ(count_text(999.6), "1.00k");
  EXPECT_EQ(count_text(12'340), "12.3k");
  EXPECT_EQ(count_text(4'561'000), "4.56M");
  EXPECT_EQ(count_text(999'600), "1.00M");
  EXPECT_EQ(watts_text(350), "350W");
  EXPECT_EQ(watts_text(12'340), "12.3kW");
  EXPECT_EQ(joules_text(4'561'000), "4.56MJ");
  EXPECT_EQ(dollars_text(0), "$0.00");
  EXPECT_EQ(dollars_text(0.00123), "$0.0012");
  EXPECT_EQ(dollars_text(12.3), "$12.30");
  EXPECT_EQ(dollars_text(-12.3), "-$12.30");
  EXPECT_EQ(dollars_text(12'300), "$12.3k");
}

TEST(Units, ShortTextsStayShortAtEveryMagnitude) {
  for (double value = 1e-6; value < 1e17; value *= 1.37) {
    for (const std::string& text :
         {duration_text(value), count_text(value), bytes_text(value / 100)}) {
      EXPECT_LE(text.size(), 6U) << value << " " << text;
    }
  }
}

TEST(Units, NotANumberIsShownAsADash) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  for (const std::string& text :
       {duration_text(missing), bytes_text(missing), count_text(missing), watts_text(missing),
        joules_text(missing), dollars_text(missing)}) {
    EXPECT_EQ(text, "-");
  }
}

}  // namespace
}  // namespace drover
