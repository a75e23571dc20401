#include "fleet/text/toml.h"

#include <gtest/gtest.h>

namespace drover::toml_file {
namespace {

Table parsed(std::string_view text) {
  Result<Table> table = Table::parse(text, "f.toml");
  if (!table) ADD_FAILURE() << table.error().message;
  return *std::move(table);
}

std::string refusal(std::string_view text) {
  const Result<Table> table = Table::parse(text, "f.toml");
  return table ? "" : table.error().message;
}

/// What finish() complains of after `read` has asked for its keys.
template <typename Read>
std::string complaint(std::string_view text, Read read) {
  Table table = parsed(text);
  read(table);
  const Status status = table.finish();
  return status ? "" : status.error().message;
}

TEST(Toml, ReadsEveryKindOfValue) {
  Table file = parsed(R"(
name = "h100"
watts = 700
share = 0.5
on = true
wait = "5m"
grace = 1.5
memory = "80GiB"
words = ["a", "b"]
word = "a"
sizes = [1, 2.5]
[pool.a]
count = 3
[[rule]]
name = "first"
[[rule]]
name = "second"
[prices]
x = 1
y = 2.5
)");
  EXPECT_EQ(file.text("name"), "h100");
  EXPECT_EQ(file.number("watts"), 700);
  EXPECT_EQ(file.number_in("share", 0, 1), 0.5);
  EXPECT_TRUE(file.boolean("on"));
  EXPECT_EQ(file.duration("wait"), std::chrono::minutes{5});
  EXPECT_EQ(file.duration("grace"), std::chrono::milliseconds{1500});
  EXPECT_EQ(file.bytes("memory"), 80ULL << 30);
  EXPECT_EQ(file.texts("words"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(file.texts("word"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(file.numbers("sizes"), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(file.table("pool")->table("a")->integer("count"), 3);
  std::vector<Table> rules = file.tables("rule");
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[1].text("name"), "second");
  EXPECT_EQ(rules[0].text("name"), "first");
  EXPECT_EQ(file.table("prices")->keys(), (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(file.finish()) << file.finish().error().message;
}

TEST(Toml, AbsentKeysGiveTheirDefaults) {
  Table file = parsed("");
  EXPECT_EQ(file.text("a", "x"), "x");
  EXPECT_EQ(file.number("b", 2.5), 2.5);
  EXPECT_EQ(file.integer("c", 3), 3);
  EXPECT_TRUE(file.boolean("d", true));
  EXPECT_EQ(file.duration("e", Duration{7}), Duration{7});
  EXPECT_TRUE(file.texts("f").empty());
  EXPECT_FALSE(file.table("g"));
  EXPECT_TRUE(file.tables("h").empty());
  EXPECT_FALSE(file.has("i"));
  EXPECT_TRUE(file.finish());
}

TEST(Toml, ProblemsNameFileLineKeyFoundAndExpected) {
  const std::string_view text = "\n[pool.h100]\nprice = \"dear\"\nn = 1.5\nlist = [1, \"x\"]\n";
  const struct {
    void (*read)(Table&);
    std::string_view expected;
  } cases[] = {
      {[](Table& t) { t.number("price"); },
       "f.toml:3: pool.h100.price: found \"dear\", expected a number"},
      {[](Table& t) { t.integer("n"); },
       "f.toml:4: pool.h100.n: found 1.5, expected a whole number"},
      {[](Table& t) { t.text("n"); }, "f.toml:4: pool.h100.n: found 1.5, expected a string"},
      {[](Table& t) { t.number_in("n", 2, 3); },
       "f.toml:4: pool.h100.n: found 1.5, expected a number 2..3"},
      {[](Table& t) { t.integer_in("price", 2, 3); },
       "f.toml:3: pool.h100.price: found \"dear\", expected a whole number 2..3"},
      {[](Table& t) { t.boolean("list"); },
       "f.toml:5: pool.h100.list: found an array, expected true or false"},
      {[](Table& t) { t.numbers("list"); },
       "f.toml:5: pool.h100.list: found \"x\" in the array, expected an array of numbers"},
      {[](Table& t) { t.table("n"); }, "f.toml:4: pool.h100.n: found 1.5, expected a table"},
      {[](Table& t) { t.tables("n"); }, "f.toml:4: pool.h100.n: found 1.5, expected tables [[n]]"},
      {[](Table& t) { t.text("absent"); },
       "f.toml:2: pool.h100.absent: found nothing, expected a string"},
      {[](Table& t) { t.add_problem("price", "too dear"); }, "f.toml:3: pool.h100.price: too dear"},
  };
  for (const auto& row : cases) {
    EXPECT_EQ(complaint(text,
                        [&](Table& file) {
                          Table pool = *file.table("pool")->table("h100");
                          row.read(pool);
                        }),
              row.expected);
  }
}

TEST(Toml, TheFirstProblemIsKept) {
  EXPECT_EQ(complaint("a = 1\nb = 2\n",
                      [](Table& file) {
                        file.text("b");
                        file.text("a");
                      }),
            "f.toml:2: b: found 2, expected a string");
}

TEST(Toml, NumbersAreFinite) {
  for (const std::string_view value : {"nan", "inf", "-inf", "+nan"}) {
    EXPECT_NE(complaint("x = " + std::string(value), [](Table& file) { file.number("x"); }), "");
  }
  EXPECT_NE(complaint("x = -1", [](Table& file) { file.duration("x"); }), "");
  EXPECT_NE(complaint("x = -1", [](Table& file) { file.bytes("x"); }), "");
}

TEST(Toml, UnknownKeysAreNamedWithTheNearestKnown) {
  EXPECT_EQ(complaint("price_per_hour = 1\nprice_per_huor = 2\n",
                      [](Table& file) { file.number("price_per_hour"); }),
            "f.toml:2: price_per_huor: unknown key; did you mean price_per_hour?");
  EXPECT_EQ(complaint("zebra = 1\n", [](Table& file) { file.number("a", 0); }),
            "f.toml:1: zebra: unknown key; known: a");
}

TEST(Toml, UnknownKeysAreFoundInEveryTableAndList) {
  EXPECT_EQ(complaint("[a.b]\nx = 1\ny = 2\n",
                      [](Table& file) { file.table("a")->table("b")->number("x"); }),
            "f.toml:3: a.b.y: unknown key; known: x");
  EXPECT_EQ(complaint("[[r]]\nx = 1\n[[r]]\nx = 1\nother = 2\n",
                      [](Table& file) {
                        for (Table& rule : file.tables("r")) rule.number("x");
                      }),
            "f.toml:5: r[2].other: unknown key; known: x");
  EXPECT_EQ(complaint("[whole]\nx = 1\n", [](Table&) {}), "f.toml:1: whole: unknown key");
}

TEST(Toml, TheFirstUnknownKeyIsTheFirstInTheFile) {
  EXPECT_EQ(complaint("z = 1\nb = 2\n", [](Table&) {}), "f.toml:1: z: unknown key");
}

TEST(Toml, AllProblemsAreKeptOncePerPosition) {
  Table file = parsed("a = 1\nb = \"x\"\nc = 2\n[t]\nd = 3\n[u]\ne = 4\n");
  file.text("a");
  file.add_problem("a", "found nothing that fits");  // said of the default
  file.number("b");
  file.table("t")->text("d");
  file.table("u");  // and nobody reads it
  std::string all;
  for (const Error& problem : file.problems()) all += problem.message + "\n";
  EXPECT_EQ(all,
            "f.toml:1: a: found 1, expected a string\n"
            "f.toml:2: b: found \"x\", expected a number\n"
            "f.toml:5: t.d: found 3, expected a string\n"
            "f.toml:3: c: unknown key; known: a, b, t, u\n");
  EXPECT_EQ(file.finish().error().message, "f.toml:1: a: found 1, expected a string");
}

TEST(Toml, KeysKeepTheOrderOfTheFile) {
  Table file = parsed("z = 1\na = 2\n\"m n\" = 3\n");
  EXPECT_EQ(file.keys(), (std::vector<std::string>{"z", "a", "m n"}));
  EXPECT_TRUE(file.finish());
}

TEST(Toml, SyntaxErrorsNameFileAndLine) {
  EXPECT_TRUE(refusal("a = 1\nb = = 2\n").starts_with("f.toml:2: "));
  EXPECT_TRUE(refusal("a = 1\na = 2\n").starts_with("f.toml:2: "));
  EXPECT_TRUE(refusal("a = \"open\n").starts_with("f.toml:1: "));
}

TEST(Toml, HostileTextIsShownEscaped) {
  const std::string problem =
      complaint("\"k\\u001b[2J\" = \"v\\u202e\"\n", [](Table& file) { file.number("k\x1b[2J"); });
  EXPECT_EQ(problem, "f.toml:1: \"k^[[2J\": found \"v\\u{202e}\", expected a number");
  const std::string broken = refusal("a = 1\n\x1b[31m = 2\n");
  EXPECT_TRUE(broken.starts_with("f.toml:2: ")) << broken;
  EXPECT_EQ(broken.find('\x1b'), std::string::npos);
}

TEST(Toml, TextThatIsNotUtf8IsRefused) {
  EXPECT_EQ(refusal("a = 1\nb = \"\xff\"\n"), "f.toml: not UTF-8 text");
}

TEST(Toml, TooLargeOrTooDeepFilesAreRefusedUnparsed) {
  EXPECT_NE(refusal(std::string((1 << 20) + 1, '\n')), "");
  EXPECT_TRUE(refusal("a = 1\nx = " + std::string(100'000, '[')).starts_with("f.toml:2: nested"));
  std::string inline_tables = "x = ";
  for (int depth = 0; depth < 10'000; ++depth) inline_tables += "{a = ";
  EXPECT_TRUE(refusal(inline_tables).starts_with("f.toml:1: nested"));
  std::string dotted = "a";
  for (int depth = 0; depth < 100'000; ++depth) dotted += ".a";
  EXPECT_TRUE(refusal(dotted + " = 1").starts_with("f.toml:1: nested"));
  EXPECT_TRUE(refusal("[" + dotted + "]").starts_with("f.toml:1: nested"));
}

TEST(Toml, BracketsInStringsAndCommentsDoNotNest) {
  const std::string many(100, '[');
  EXPECT_EQ(refusal("a = \"" + many + "\\\"" + many + "\" # " + many + "\nb = '" + many +
                    "'\nc = \"\"\"\n" + many + "\n\"quoted\" " + many + "\"\"\"\nd = '''" + many +
                    "'''\n"),
            "");
}

TEST(Toml, ManyConsecutiveTablesDoNotCountAsNesting) {
  std::string text;
  for (int count = 0; count < 2000; ++count) text += "[[rule]]\nx.y.z = [[1, 2], [3.5]]\n";
  EXPECT_EQ(refusal(text), "");
}

TEST(Toml, TablesOutliveTheirParent) {
  std::optional<Table> inner;
  {
    Table file = parsed("[a]\nx = 5\n");
    inner = file.table("a");
  }
  EXPECT_EQ(inner->integer("x"), 5);
}

TEST(Toml, RefusesTableHeadersWithoutAKey) {
  for (const char* text : {"[=a]", "[.]", "[[=]]", "[\\]", "[\n]", "[#"}) {
    EXPECT_FALSE(toml_file::Table::parse(text, "file.toml").ok()) << text;
  }
}

}  // namespace
}  // namespace drover::toml_file
