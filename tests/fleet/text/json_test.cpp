#include "fleet/text/json.h"

#include <limits>

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(Json, ObjectsKeepTheOrderOfTheirKeys) {
  Json object = Json::object();
  object.set("z", 1).set("a", "text").set("m", true).set("n", nullptr);
  EXPECT_EQ(object.dump(), R"({"z":1,"a":"text","m":true,"n":null})");
  object.set("z", 2);
  EXPECT_EQ(object.dump(), R"({"z":2,"a":"text","m":true,"n":null})");
}

TEST(Json, NumbersAreExactAndFinite) {
  Json array = Json::array();
  array.add(std::numeric_limits<std::uint64_t>::max())
      .add(std::numeric_limits<std::int64_t>::min());
  array.add(0.1).add(1e300).add(std::numeric_limits<double>::quiet_NaN());
  array.add(std::numeric_limits<double>::infinity()).add(std::uint8_t{7});
  EXPECT_EQ(array.dump(), "[18446744073709551615,-9223372036854775808,0.1,1e+300,null,null,7]");
}

TEST(Json, NaturalNumbersAreDistinguishedFromOthers) {
  const auto natural = [](std::string_view text) { return Json::parse(text)->natural(); };
  EXPECT_EQ(natural("0"), 0U);
  EXPECT_EQ(natural("18446744073709551615"), 18'446'744'073'709'551'615U);
  EXPECT_EQ(natural("100.0"), 100U);
  for (const std::string_view other :
       {"-1", "1.5", "18446744073709551616", "1e300", "\"1\"", "true", "null", "[1]"}) {
    EXPECT_EQ(natural(other), std::nullopt) << other;
  }
}

TEST(Json, TextIsAlwaysValidUtf8) {
  EXPECT_EQ(Json("\x1b[2J \"q\" \\ \n caf\xc3\xa9").dump(),
            "\"\\u001b[2J \\\"q\\\" \\\\ \\n caf\xc3\xa9\"");
  EXPECT_EQ(Json("bad\xff").dump(), "\"bad\xef\xbf\xbd\"");
  EXPECT_EQ(Json::object().set("k\xff", 1).dump(), "{\"k\xef\xbf\xbd\":1}");
}

TEST(Json, PrintedTextParsesBackEqual) {
  Json object = Json::object();
  object.set("list", Json::array().add(1).add(-2).add(2.5).add("x").add(false).add(nullptr));
  object.set("inner", Json::object().set("k", Json::array()));
  const auto parsed = Json::parse(object.dump());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, object);
  EXPECT_EQ((*parsed)["list"][2].number(), 2.5);
  EXPECT_EQ((*parsed)["list"][1].integer(), -2);
  EXPECT_EQ((*parsed)["list"][3].text(), "x");
  EXPECT_EQ((*parsed)["list"].size(), 6U);
  EXPECT_TRUE((*parsed)["nobody"]["is"][9].is_null());
  EXPECT_TRUE(parsed->has("inner"));
  EXPECT_FALSE(parsed->has("outer"));
}

TEST(Json, MalformedTextIsRefusedWithThePosition) {
  EXPECT_TRUE(Json::parse("{\"a\": }").error().message.starts_with("JSON: byte 7: "));
  for (const std::string_view text : {"", "{", "[1,]", "1 2", "nan", "\"\xff\"", "{\"a\" 1}"}) {
    EXPECT_FALSE(Json::parse(text)) << text;
  }
}

TEST(Json, DeeplyNestedTextIsRefused) {
  EXPECT_FALSE(Json::parse(std::string(1'000'000, '[')));
  EXPECT_FALSE(Json::parse(std::string(100, '[') + std::string(100, ']')));
  EXPECT_TRUE(Json::parse(std::string(60, '[') + std::string(60, ']')));
}

}  // namespace
}  // namespace drover
