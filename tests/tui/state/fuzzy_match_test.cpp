#include "tui/state/fuzzy_match.h"

#include <gtest/gtest.h>

namespace drover::tui {
namespace {

TEST(FuzzyMatch, FindsLettersInTheirOrder) {
  struct Case {
    const char *pattern, *text;
    bool found;
  };
  for (const Case& c : std::vector<Case>{{"", "anything", true},
                                         {"h13", "h100-1/3", true},
                                         {"H13", "h100-1/3", true},
                                         {"h1/3", "h100-1/3", true},
                                         {"h 1 3", "h100-1/3", true},
                                         {"31h", "h100-1/3", false},
                                         {"h100-1/33", "h100-1/3", false},
                                         {"x", "", false},
                                         {"tele", "telemetry", true},
                                         {"ttt", "tt", false}}) {
    EXPECT_EQ(fuzzy_score(c.pattern, c.text).has_value(), c.found) << c.pattern << " " << c.text;
  }
}

TEST(FuzzyMatch, PrefersStartsOfWordsLettersInARowAndShortTexts) {
  struct Case {
    const char *pattern, *better, *worse;
  };
  for (const Case& c : std::vector<Case>{
           {"ev", "events", "device"},                  // the start of the text
           {"gb", "gpu-b/1", "grab"},                   // starts of words
           {"pow", "power", "pool of watts"},           // in a row
           {"dev", "device", "devices"},                // shorter
           {"a3", "gpu-a/3", "gpu-a/13"},               // a gap less
           {"ev", "all events", "dev evil-looking x"},  // a later match may be the better one
       }) {
    EXPECT_GT(*fuzzy_score(c.pattern, c.better), *fuzzy_score(c.pattern, c.worse))
        << c.pattern << ": " << c.better << " before " << c.worse;
  }
}

TEST(FuzzyMatch, ListsTheBestAndKeepsTheOrderOfEqualOnes) {
  const std::vector<std::string_view> texts = {"b1", "a1", "nothing", "a1", "xx a1 yy"};
  EXPECT_EQ(best_matches("a1", texts, 10), (std::vector<std::size_t>{1, 3, 4}));
  EXPECT_EQ(best_matches("a1", texts, 1), (std::vector<std::size_t>{1}));
  EXPECT_EQ(best_matches("", {"cc", "bb", "aa"}, 2), (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(best_matches("zz", texts, 10).empty());
}

}  // namespace
}  // namespace drover::tui
