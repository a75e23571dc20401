// What is offered at the cursor of a filter; `^` in the texts is the cursor.
#include "fleet/filter/complete.h"

#include <algorithm>
#include <variant>

#include <gtest/gtest.h>

#include "fleet/filter/filter.h"

namespace drover::filter {
namespace {

using Texts = std::vector<std::string>;

Texts known(Field field) {
  if (field == Field::pool) return {"serving", "training", "two words", "none", "a&b"};
  return {};
}

Completion at_mark(std::string text, Subjects of = devices) {
  const std::size_t cursor = text.find('^');
  text.erase(cursor, 1);
  return complete(text, cursor, known, of);
}

TEST(Completion, OffersWhatTheLanguageExpects) {
  const struct {
    const char* text;
    std::size_t at;
    Texts expected;
  } cases[] = {
      {"te^", 0, {"tensor", "temp", "tenant"}},
      {"memo^", 0, {"memory"}},
      {"TEM^", 0, {"temp"}},
      {"temp^", 0, {"temp==", "temp!=", "temp<", "temp<=", "temp>", "temp>="}},
      {"rack^", 0, {"rack==", "rack!=", "rack~", "rack!~"}},
      {"temp ^", 5, {"==", "!=", "<", "<=", ">", ">=", "&", "|"}},
      {"temp>^", 5, {"none"}},
      {"temp>70^", 5, {}},
      {"temp>70 ^", 8, {"&", "|"}},
      {"temp>70 a^", 8, {"and"}},
      {"temp>70 and^", 8, {}},
      {"temp>70 and po^", 12, {"pool", "power", "powershare"}},
      {"(temp>70 ^", 9, {"&", "|", ")"}},
      {"(temp>70) ^", 10, {"&", "|"}},
      {"pool==^", 6, {"serving", "training", "\"two words\"", "\"none\"", "\"a&b\"", "none"}},
      {"pool== tr^", 7, {"training"}},
      {"pool==T^", 6, {"training", "\"two words\""}},
      {"pool==\"tw^", 6, {"\"two words\""}},
      {"pool==\"a\"^", 9, {"&", "|"}},
      {"pool!^", 4, {"!=", "!~"}},
      {"pool==^ & temp>70",
       6,
       {"serving", "training", "\"two words\"", "\"none\"", "\"a&b\"", "none"}},
      {"nothing==^", 9, {}},
      {"\"te^", 0, {}},
      {"gpu ^", 4, {"&", "|"}},
      {"!sta^", 1, {"state"}},
      {"prio^", 0, {}},  // jobs have it, devices do not
  };
  for (const auto& row : cases) {
    const Completion found = at_mark(row.text);
    EXPECT_EQ(found.words, row.expected) << row.text;
    EXPECT_EQ(found.at, row.at) << row.text;
  }
}

TEST(Completion, OffersEveryFieldWhereNothingIsTyped) {
  for (const char* text : {"^", "temp>70 & ^", "temp>70|^", "!^", "(^"}) {
    const Texts words = at_mark(text).words;
    for (const std::string& name : field_names(devices)) {
      EXPECT_NE(std::find(words.begin(), words.end(), name), words.end()) << text << name;
    }
  }
}

TEST(Completion, OffersTheFieldsOfTheFilteredObjects) {
  EXPECT_EQ(at_mark("prio^", jobs).words, Texts{"priority"});
  EXPECT_EQ(at_mark("sev^", alerts).words, Texts{"severity"});
}

TEST(Completion, OffersValuesThatParseBackToThemselves) {
  for (const std::string& value : at_mark("pool==^").words) {
    EXPECT_TRUE(std::holds_alternative<Filter>(Filter::parse("pool==" + value))) << value;
  }
}

TEST(Completion, IsBounded) {
  const auto many = [](Field) { return Texts(1'000, "same"); };
  EXPECT_EQ(complete("pool==", 6, many).words.size(), completions_max);
  const std::string text(5'000, '(');
  EXPECT_LE(complete(text, text.size()).at, text_bytes_max);
  EXPECT_EQ(complete("tem", 99).words, Texts{"temp"});
  EXPECT_EQ(complete("pool==", 6).words, Texts{"none"});
}

}  // namespace
}  // namespace drover::filter
