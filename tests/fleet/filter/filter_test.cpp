// The filter language: what holds, and where a text is no filter.
#include "fleet/filter/filter.h"

#include <chrono>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/fleet/filter/fake_subject.h"

namespace drover::filter {
namespace {

/// A hot TPU that serves two models; nobody knows its power, and no tenant is on it.
FakeSubject hot_tpu() {
  FakeSubject thing;
  thing.words = {{Field::id, {"Pod-a/3"}},
                 {Field::host, {"Pod-a"}},
                 {Field::kind, {"tpu", "tpu-v5e"}},
                 {Field::pool, {"serving"}},
                 {Field::label, {"tier=fast", "owner=a b"}},
                 {Field::throttle, {"hw thermal"}},
                 {Field::model, {"llama-3.1-8b", "qwen-7b"}}};
  thing.numbers = {{Field::temperature, 71.5}, {Field::utilization, 0.8},  {Field::memory, 0x1p30},
                   {Field::age, 90},           {Field::clock, 1410},       {Field::queue, 0},
                   {Field::energy, 7.2e6},     {Field::headroom, -2.5},    {Field::price, 2.5},
                   {Field::index, 3},          {Field::memory_share, 0.29}};
  return thing;
}

bool holds(std::string_view text, const FilterSubject& thing) {
  const auto parsed = Filter::parse(text);
  if (const auto* problem = std::get_if<Problem>(&parsed)) {
    ADD_FAILURE() << underline_problem(text, *problem) << ": " << problem->message;
    return false;
  }
  return std::get<Filter>(parsed).matches(thing);
}

Problem problem_of(std::string_view text, Subjects of = anything) {
  const auto parsed = Filter::parse(text, of);
  if (const auto* problem = std::get_if<Problem>(&parsed)) return *problem;
  ADD_FAILURE() << text << " is a filter";
  return {};
}

struct FilterCase {
  const char* text;
  bool expected;
};

template <std::size_t count>
void expect_all(const FilterCase (&cases)[count], const FilterSubject& thing) {
  for (const FilterCase& row : cases) EXPECT_EQ(holds(row.text, thing), row.expected) << row.text;
}

TEST(Filter, AnEmptyFilterMatchesEverything) {
  EXPECT_TRUE(holds("", FakeSubject()));
  EXPECT_TRUE(holds(" \t", FakeSubject()));
  EXPECT_TRUE(Filter().empty());
  EXPECT_TRUE(Filter().matches(FakeSubject()));
}

TEST(Filter, NumbersCompareInTheUnitsOfTheirField) {
  const FilterCase cases[] = {
      {"temp>70", true},        {"temp>71.5", false},     {"temp>=71.5", true},
      {"temp<71.5C", false},    {"temp<=71.5C", true},    {"temp==71.5", true},
      {"temp=71.5", true},      {"temp!=71.5", false},    {"temp!=71", true},
      {"util==80%", true},      {"util==0.8", true},      {"util>79", true},
      {"util>80", false},       {"util<1", true},         {"mem==29%", true},
      {"memory>=1GiB", true},   {"memory>1GiB", false},   {"memory<2GB", true},
      {"age>1m", true},         {"age==90", true},        {"age<1.5h", true},
      {"clock>=1.41GHz", true}, {"clock<1410MHz", false}, {"energy==2kWh", true},
      {"energy>7MJ", true},     {"headroom<-2C", true},   {"headroom>-2", false},
      {"price<=$2.5", true},    {"price>2.6", false},     {"queue==0", true},
      {"queue!=0", false},      {"index<\"4\"", true},    {"age>\"1 m\"", true},
  };
  expect_all(cases, hot_tpu());
}

TEST(Filter, NumbersThatDifferOnlyByRoundingAreEqual) {
  FakeSubject thing;
  thing.numbers = {{Field::temperature, static_cast<double>(70.1F)}, {Field::power, 701 * 0.1}};
  const FilterCase cases[] = {{"temp==70.1", true},  {"temp>70.1", false},  {"temp<70.1", false},
                              {"temp>=70.1", true},  {"temp<=70.1", true},  {"temp!=70.1", false},
                              {"power==70.1", true}, {"power==70.2", false}};
  expect_all(cases, thing);
}

TEST(Filter, TextsCompareIgnoringCase) {
  const FilterCase cases[] = {
      {"host==pod-a", true},
      {"host==POD-A", true},
      {"host==pod", false},
      {"host!=pod-a", false},
      {"host!=other", true},
      {"pool==Serving", true},
      {"label==tier=fast", true},
      {"label==\"owner=A B\"", true},
      {"throttle==\"hw thermal\"", true},
  };
  expect_all(cases, hot_tpu());
}

TEST(Filter, MatchesWhenAnyOfSeveralTextsDoesAndNegatesWhenNoneDoes) {
  const FilterCase cases[] = {
      {"kind==tpu", true},      {"kind==tpu-v5e", true},   {"kind==gpu", false},
      {"model==qwen-7b", true}, {"model!=qwen-7b", false}, {"model!=bert", true},
      {"model~qwen", true},     {"model!~qwen", false},    {"model!~bert", true},
  };
  expect_all(cases, hot_tpu());
}

TEST(Filter, RegularExpressionsSearchIgnoringCase) {
  const FilterCase cases[] = {
      {"model~LLAMA", true},     {"model~^llama", true},    {"model~^8b", false},
      {"model~8b$", true},       {"model~l.*-3\\.1", true}, {"model~\"(qwen|bert)-\\d+b\"", true},
      {"model~\"a|b|c\"", true}, {"model!~\"x|y\"", true},  {"label~owner=", true},
      {"label~\"a b\"", true},
  };
  expect_all(cases, hot_tpu());
}

TEST(Filter, UnknownValuesCompareAsFalse) {
  const FilterCase cases[] = {
      {"power>0", false},   {"power<1W", false},    {"power!=5", false}, {"power==5", false},
      {"tenant==a", false}, {"tenant!=a", false},   {"tenant~a", false}, {"tenant!~a", false},
      {"!power>0", true},   {"!(tenant==a)", true},
  };
  expect_all(cases, hot_tpu());
}

TEST(Filter, NoneMatchesUnknownValues) {
  const FilterCase cases[] = {
      {"power==none", true}, {"power!=none", false}, {"temp==none", false},
      {"temp!=none", true},  {"tenant=None", true},  {"tenant!=none", false},
      {"pool==none", false}, {"pool!=none", true},   {"pool==\"none\"", false},
  };
  expect_all(cases, hot_tpu());
  FakeSubject named;
  named.words = {{Field::pool, {"none"}}};
  EXPECT_TRUE(holds("pool==\"none\"", named));
  EXPECT_FALSE(holds("pool==none", named));
}

TEST(Filter, ABareWordSearchesTheNames) {
  const FilterCase cases[] = {
      {"pod", true},     {"a/3", true},       {"LLAMA", true},      {"v5e", true},
      {"serving", true}, {"absent", false},   {"!absent", true},    {"\"pod-a\"", true},
      {"fast", false},  // a label is no name
      {"temp", false},   {"\"temp\"", false}, {"pod & qwen", true}, {"pod | absent", true},
  };
  expect_all(cases, hot_tpu());
}

TEST(Filter, AndBindsTighterThanOrAndNotTightest) {
  const FilterCase cases[] = {
      {"kind==tpu & temp>70 | job~llama", true},
      {"kind==gpu & temp>70 | model~llama", true},
      {"model~llama | temp>70 & kind==gpu", true},
      {"(model~llama | temp>70) & kind==gpu", false},
      {"kind==gpu & (temp>70 | model~llama)", false},
      {"!kind==gpu & temp>70", true},
      {"!(kind==gpu | temp>70)", false},
      {"not kind==gpu and temp>70", true},
      {"kind==gpu OR temp>70", true},
      {"kind==gpu || temp>70 && pool==serving", true},
      {"!!temp>70", true},
      {"! ! !temp>70", false},
      {"!(!(kind==gpu) & !(temp<70))", false},
      {"((((temp>70))))", true},
  };
  expect_all(cases, hot_tpu());
}

// Every formula of three comparisons, against C++ itself: the jumps between the steps are right.
TEST(Filter, EvaluatesEveryFormulaAsCppDoes) {
  const std::string name[] = {"queue==1", "running==1", "index==1"};
  for (int form = 0; form < 256; ++form) {
    const bool not_first = form & 1, not_second = form & 2, not_third = form & 4;
    const bool and_first = form & 8, and_second = form & 16;
    const bool right = form & 32, not_pair = form & 64, not_all = form & 128;
    const auto part = [&](int i, bool negated) { return (negated ? "!" : "") + name[i]; };
    const std::string one = part(0, not_first), two = part(1, not_second);
    const std::string three = part(2, not_third);
    const std::string join = and_first ? " & " : " | ", second_join = and_second ? " & " : " | ";
    const std::string sign = not_pair ? "!" : "";
    std::string text =
        right ? fmt::format("{}{}{}({}{}{})", one, join, sign, two, second_join, three)
              : fmt::format("{}({}{}{}){}{}", sign, one, join, two, second_join, three);
    if (not_all) text = fmt::format("!({})", text);
    for (int world = 0; world < 8; ++world) {
      const bool a = (world & 1) != not_first, b = ((world & 2) != 0) != not_second;
      const bool c = ((world & 4) != 0) != not_third;
      const auto joined = [](bool both, bool x, bool y) { return both ? x && y : x || y; };
      bool expected = right ? joined(and_first, a, joined(and_second, b, c) != not_pair)
                            : joined(and_second, joined(and_first, a, b) != not_pair, c);
      expected = expected != not_all;
      FakeSubject thing;
      thing.numbers = {{Field::queue, world & 1 ? 1 : 0},
                       {Field::running, world & 2 ? 1 : 0},
                       {Field::index, world & 4 ? 1 : 0}};
      ASSERT_EQ(holds(text, thing), expected) << text << " in world " << world;
    }
  }
}

TEST(Filter, ReadsOnlyTheFieldsThatDecide) {
  struct Asked : FakeSubject {
    mutable std::vector<Field> asked;
    double number(Field field) const override {
      asked.push_back(field);
      return FakeSubject::number(field);
    }
  } thing;
  thing.numbers = {{Field::temperature, 90}, {Field::power, 100}, {Field::queue, 3}};
  EXPECT_FALSE(holds("temp<70 & power>50", thing));
  EXPECT_EQ(thing.asked, std::vector{Field::temperature});
  thing.asked.clear();
  EXPECT_TRUE(holds("temp>70 | power>50", thing));
  EXPECT_EQ(thing.asked, std::vector{Field::temperature});
}

TEST(Filter, ReportsWhichFieldsItUses) {
  const Filter filter = std::get<Filter>(Filter::parse("temp>70 & model~llama"));
  EXPECT_TRUE(filter.asks(Field::temperature));
  EXPECT_TRUE(filter.asks(Field::model));
  EXPECT_FALSE(filter.asks(Field::job));
  EXPECT_TRUE(std::get<Filter>(Filter::parse("llama")).asks(Field::job));
  EXPECT_FALSE(std::get<Filter>(Filter::parse("llama")).asks(Field::power));
  EXPECT_EQ(filter.text(), "temp>70 & model~llama");
}

TEST(FilterProblems, GiveTheirPositionAndWhatWasExpected) {
  const struct {
    const char* text;
    Problem expected;
  } cases[] = {
      {"tmp>70", {0, 3, "unknown field tmp; did you mean temp?"}},
      {"temp>hot",
       {5, 3, "temp: found \"hot\", expected a temperature, such as \"25C\" or \"+10C\""}},
      {"temp>70W",
       {5, 3, "temp: found \"70W\", expected a temperature, such as \"25C\" or \"+10C\""}},
      {"util>80V", {5, 3, "util: found \"80V\", expected a share, such as 80% or 0.8"}},
      {"clock>2s", {6, 2, "clock: found \"2s\", expected a clock (MHz GHz), such as 1410MHz"}},
      {"queue>1k", {6, 2, "queue: found \"1k\", expected a number, such as 1.5"}},
      {"pool>a", {4, 1, "found >, expected == != ~ or !~, because pool is text"}},
      {"temp~7", {4, 1, "found ~, expected == != < <= > or >=, because temp is a temperature"}},
      {"temp>none",
       {5, 4, "temp: found \"none\", expected a temperature, such as \"25C\" or \"+10C\""}},
      {"temp>", {5, 0, "found the end, expected a value of temp after >"}},
      {"temp=>70", {5, 1, "found >, expected a value of temp after ="}},
      {"temp> & a", {6, 1, "found &, expected a value of temp after >"}},
      {"temp>70 &", {9, 0, "found the end, expected a field, such as temp, or a name"}},
      {"| a", {0, 1, "found |, expected a field, such as temp, or a name"}},
      {">70", {0, 1, "found >, expected a field, such as temp, or a name"}},
      {"()", {1, 1, "found ), expected a field, such as temp, or a name"}},
      {"(temp>70", {8, 0, "found the end, expected & or | or )"}},
      {"temp>70)", {7, 1, "found ), expected & or | or the end, because no parenthesis is open"}},
      {"gpu tpu", {4, 3, "found tpu, expected & or | between two comparisons"}},
      {"age>5 s", {6, 1, "found s, expected & or | between two comparisons"}},
      {"pool==\"a b", {6, 4, "found \"a b, expected a quote at its end"}},
      {"\"temp\">70", {0, 6, "found \"temp\", expected a field without quotes"}},
      {"job~[a", {4, 2, "found [a, expected a regular expression: missing ]: [a"}},
      {"job~llama**",
       {9, 2, "found llama**, expected a regular expression: bad repetition operator: **"}},
      {"a & job~x(y", {9, 1, "found (, expected & or | between two comparisons"}},
  };
  for (const auto& row : cases) {
    const Problem found = problem_of(row.text);
    EXPECT_EQ(found.message, row.expected.message) << row.text;
    EXPECT_EQ(found.at, row.expected.at) << row.text;
    EXPECT_EQ(found.length, row.expected.length) << row.text;
  }
}

TEST(FilterProblems, IncludeFieldsThatTheObjectLacks) {
  EXPECT_EQ(problem_of("progress>50", devices).message.substr(0, 53),
            "devices have no progress; expected one of id, host, i");
  EXPECT_EQ(problem_of("a | temp>50", jobs).at, 4U);
  EXPECT_EQ(problem_of("waited>1m", alerts).message.substr(0, 21), "alerts have no waited");
  EXPECT_TRUE(
      std::holds_alternative<Filter>(Filter::parse("temp>50 & severity==critical", alerts)));
}

TEST(FilterProblems, AreMarkedUnderTheText) {
  EXPECT_EQ(underline_problem("temp>hot", problem_of("temp>hot")), "temp>hot\n     ^~~");
  EXPECT_EQ(underline_problem("temp>", problem_of("temp>")), "temp>\n     ^");
  // By columns, not bytes; a control character is shown in two.
  const std::string wide = "\"\xe6\xbc\xa2\x1b\" & tmp>1";
  EXPECT_EQ(underline_problem(wide, problem_of(wide)), "\"\xe6\xbc\xa2^[\" & tmp>1\n         ^~~");
}

TEST(FilterProblems, NeverPrintHostileTextUnescaped) {
  for (const char* text : {"\x1b[2Jx>1", "job~[\x1b", "temp>\x1b", "a \x1b", "\"\x1b"}) {
    const Problem problem = problem_of(text);
    EXPECT_EQ(problem.message.find('\x1b'), std::string::npos) << problem.message;
    EXPECT_EQ(underline_problem(text, problem).find('\x1b'), std::string::npos);
  }
}

TEST(FilterLimits, HoldAtTheirEdge) {
  const auto many = [](std::size_t count, const std::string& one, const std::string& between) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : between) + one;
    return text;
  };
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "a" + std::string(depth, ')');
  };
  const auto is_filter = [](const std::string& text) {
    return std::holds_alternative<Filter>(Filter::parse(text));
  };
  EXPECT_TRUE(is_filter(many(comparisons_max, "a", "|")));
  EXPECT_EQ(problem_of(many(comparisons_max + 1, "a", "|")),
            (Problem{2 * comparisons_max, 1, "found more than 64 comparisons"}));
  EXPECT_TRUE(is_filter(nested(depth_max)));
  EXPECT_EQ(problem_of(nested(depth_max + 1)),
            (Problem{depth_max, 1, "found more than 32 nested parentheses and negations"}));
  EXPECT_TRUE(is_filter(std::string(depth_max, '!') + "a"));
  EXPECT_EQ(problem_of(std::string(depth_max + 1, '!') + "a").at, depth_max);
  EXPECT_TRUE(is_filter(std::string(text_bytes_max, 'a')));
  EXPECT_EQ(problem_of(std::string(text_bytes_max + 5, 'a')),
            (Problem{text_bytes_max, 5, "found 1005 bytes, expected at most 1000"}));
}

// (a*)*b and the like take exponential time where matching backtracks.
TEST(FilterLimits, HostilePatternsTakeLinearTime) {
  FakeSubject thing;
  thing.words = {{Field::model, {std::string(20'000, 'a')}}};
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_FALSE(holds("model~\"(a*)*(a|aa)+(a?){20}b\"", thing));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
}

TEST(FilterLimits, PatternsThatNeedTooMuchMemoryAreProblems) {
  EXPECT_EQ(
      problem_of("model~\"(a{1000}){1000}\"").message,
      "found (a{1000}){1000}, expected a regular expression: invalid repetition size: {1000}");
  EXPECT_NE(problem_of("model~\"(\\pL{100}){9}\"").message.find("pattern too large"),
            std::string::npos);
}

TEST(FilterTexts, AreTheWordsAndPatternsAsWritten) {
  const auto parsed = Filter::parse(R"(temp>70 & (host~"^Lab-[0-9]" | tenant!=acme) & Rack7)");
  using Texts = std::vector<std::pair<Field, std::string>>;
  EXPECT_EQ(std::get<Filter>(parsed).texts(),
            (Texts{{Field::host, "^Lab-[0-9]"}, {Field::tenant, "acme"}, {Field::id, "Rack7"}}));
}

TEST(FilterFields, HaveUniqueNamesThatTheLanguageCanParse) {
  std::set<std::string_view> names;
  for (const FieldFacts& field : fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_EQ(find_field(field.name), field.field);
    EXPECT_TRUE(std::holds_alternative<Filter>(
        Filter::parse(std::string(field.name) + "==none", static_cast<Subjects>(field.of))))
        << field.name;
  }
  for (const Alias& alias : aliases()) {
    EXPECT_TRUE(names.insert(alias.name).second) << alias.name;
    EXPECT_EQ(find_field(alias.name), alias.field);
  }
  EXPECT_EQ(find_field("TEMP"), Field::temperature);
  EXPECT_EQ(find_field("nothing"), std::nullopt);
}

}  // namespace
}  // namespace drover::filter
