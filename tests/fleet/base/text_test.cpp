#include "fleet/base/text.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(Text, NoUnsafeCharacterReachesATerminal) {
  const struct {
    std::string_view text, shown;
  } cases[] = {
      {"plain ~text~", "plain ~text~"},
      {"\x1b[31mred\x1b]0;title\x07", "^[[31mred^[]0;title^G"},
      {"a\nb\rc\bd\te", "a^Jb^Mc^Hd^Ie"},
      {std::string_view("nul\0end", 7), "nul^@end"},
      {"del\x7f", "del\\u{7f}"},
      {"c1\xc2\x9b"
       "31m",
       "c1\\u{9b}31m"},
      {"rtl\xe2\x80\xaetxt", "rtl\\u{202e}txt"},
      {"joined\xe2\x80\x8d", "joined\\u{200d}"},
      {"isolate\xe2\x81\xa6", "isolate\\u{2066}"},
      {"line\xe2\x80\xa8", "line\\u{2028}"},
      {"bom\xef\xbb\xbf", "bom\\u{feff}"},
      {"tag\xf3\xa0\x81\x81", "tag\\u{e0041}"},
      {"bad\xff\xfe", "bad\\xff\\xfe"},
      {"short\xe2\x80", "short\\xe2\\x80"},
      {"overlong\xc0\xaf", "overlong\\xc0\\xaf"},
      {"overlong\xe0\x80\xaf", "overlong\\xe0\\x80\\xaf"},
      {"surrogate\xed\xa0\x80", "surrogate\\xed\\xa0\\x80"},
      {"beyond\xf4\x90\x80\x80", "beyond\\xf4\\x90\\x80\\x80"},
      {"raw c1 \x9b"
       "2J",
       "raw c1 \\x9b2J"},
      {"%n%s%p", "%n%s%p"},
      {"gr\xc3\xb6\xc3\x9f \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x9a\x80",
       "gr\xc3\xb6\xc3\x9f \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x9a\x80"},
  };
  for (const auto& row : cases) {
    EXPECT_EQ(printable(row.text), row.shown);
    EXPECT_EQ(printable(row.shown), row.shown) << "not idempotent";
    EXPECT_TRUE(is_utf8(row.shown));
  }
}

TEST(Text, EveryByteAndPairOfBytesBecomesPrintableText) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second)};
      const std::string shown = printable(text);
      ASSERT_TRUE(is_utf8(shown));
      ASSERT_EQ(printable(shown), shown);
      for (const char character : shown) {
        const auto byte = static_cast<unsigned char>(character);
        ASSERT_TRUE(byte >= 0x20 && byte != 0x7f);
      }
    }
  }
}

TEST(Text, LongTextIsProcessedCompletely) {
  const std::string shown = printable(std::string(10'000, '\x1b'));
  EXPECT_EQ(shown.size(), 20'000U);
}

TEST(Text, ValidatesUtf8AndRepairsInvalidText) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("caf\xc3\xa9 \xf0\x9f\x9a\x80"));
  EXPECT_FALSE(is_utf8("caf\xe9"));
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));
  EXPECT_EQ(valid_utf8("a\xff"
                       "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_TRUE(is_utf8(valid_utf8("\xf0\x9f\x9a")));
}

TEST(Text, WidthCountsTerminalColumns) {
  EXPECT_EQ(column_width(""), 0U);
  EXPECT_EQ(column_width("abc"), 3U);
  EXPECT_EQ(column_width("caf\xc3\xa9"), 4U);
  EXPECT_EQ(column_width("e\xcc\x81"), 1U);                             // combining acute
  EXPECT_EQ(column_width("\xe6\x97\xa5\xe6\x9c\xac"), 4U);              // two ideographs
  EXPECT_EQ(column_width("\xed\x95\x9c"), 2U);                          // a Hangul syllable
  EXPECT_EQ(column_width("\xef\xbc\xa1"), 2U);                          // fullwidth A
  EXPECT_EQ(column_width("\xf0\x9f\x9a\x80"), 2U);                      // a rocket
  EXPECT_EQ(column_width("\xe2\x96\x88\xe2\x96\x81\xe2\xa3\xbf"), 3U);  // blocks, braille
  EXPECT_EQ(column_width("\xe2\x94\x82\xc2\xb0"), 2U);                  // box line, degree sign
  EXPECT_EQ(column_width("\xff"), 1U);
}

TEST(Text, NearestNamesComeNearestFirst) {
  const std::vector<std::string> known{"h100-sxm", "h100-pcie", "a100-sxm-80gb",
                                       "l4",       "tpu-v5e",   "tpu-v5p"};
  EXPECT_EQ(nearest("h100-smx", known), (std::vector<std::string>{"h100-sxm"}));
  EXPECT_EQ(nearest("H100-SXM", known).front(), "h100-sxm");
  EXPECT_EQ(nearest("tpu-v5", known), (std::vector<std::string>{"tpu-v5e", "tpu-v5p"}));
  EXPECT_EQ(nearest("l5", known), (std::vector<std::string>{"l4"}));
  EXPECT_EQ(nearest("h100", known), (std::vector<std::string>{"h100-sxm", "h100-pcie"}));
  EXPECT_EQ(nearest("routes", {"fleet", "routing"}), (std::vector<std::string>{"routing"}));
  EXPECT_TRUE(nearest("banana", known).empty());
  EXPECT_TRUE(nearest("", known).empty());
  EXPECT_TRUE(nearest(std::string(100'000, 'x'), known).empty());
}

TEST(Text, ExcerptCutsLongTextBetweenCharacters) {
  EXPECT_EQ(excerpt("short\x1b"), "short^[");
  EXPECT_EQ(excerpt(std::string(50, 'a'), 5), "aaaaa..");
  EXPECT_EQ(excerpt("aaaa\xc3\xa9", 5), "aaaa..");
}

TEST(Text, AtMostThreeNearestNamesAreReturned) {
  EXPECT_EQ(nearest("aaaa", {"aaab", "aaac", "aaad", "aaae"}),
            (std::vector<std::string>{"aaab", "aaac", "aaad"}));
}

TEST(Text, SuggestionOffersTheNearestNameOrListsAll) {
  EXPECT_EQ(suggestion("fleed", {"fleet", "jobs"}), "; did you mean fleet?");
  EXPECT_EQ(suggestion("ab", {"ac", "ad"}), "; did you mean ac or ad?");
  EXPECT_EQ(suggestion("ab", {"ac", "ad", "ae", "af"}), "; did you mean ac, ad or ae?");
  EXPECT_EQ(suggestion("zzzz", {"fleet", "jobs"}), "; known: fleet, jobs");
  EXPECT_EQ(suggestion("zzzz", {}), "");
}

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,b,,c", ','), (std::vector<std::string>{"a", "b", "", "c"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string>{""}));
  EXPECT_EQ(split(",", ','), (std::vector<std::string>{"", ""}));
}

TEST(Text, TrimmedLosesBlanksAtBothEnds) {
  EXPECT_EQ(trimmed("  a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \t\r\n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Text, GlobMatchesWholeTextWithoutRegardToCase) {
  const struct {
    std::string_view text, pattern;
    bool expected;
  } cases[] = {{"h100-sxm", "H100*", true},
               {"h100-sxm", "*sxm", true},
               {"h100-sxm", "h?00-*", true},
               {"h100", "h100", true},
               {"h100", "h10", false},
               {"h10", "h100", false},
               {"", "*", true},
               {"", "", true},
               {"", "?", false},
               {"abc", "a*b*c", true},
               {"aXbYbc", "a*bc", true},
               {"abcd", "a*bc", false}};
  for (const auto& row : cases) {
    EXPECT_EQ(matches_glob(row.text, row.pattern), row.expected) << row.text << " " << row.pattern;
  }
}

TEST(Text, GlobTerminatesOnAHostilePattern) {
  std::string pattern;
  for (int count = 0; count < 200; ++count) pattern += "*a";
  EXPECT_FALSE(matches_glob(std::string(5000, 'a') + "b", pattern));
}

}  // namespace
}  // namespace drover
