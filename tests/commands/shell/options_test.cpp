#include "commands/shell/options.h"

#include <gtest/gtest.h>

namespace drover::commands {
namespace {

CommandUsage example() {
  return {"usage: drover try [WHAT] [options]",
          "Tries.",
          {{"speed", "X", "how fast"},
           {"for", "DURATION", "how long"},
           {"json", "", "as JSON"},
           {"op", "NAME", "several", false, true},
           {"secret", "N", "not shown", true},
           {"output", "FILE", "where to", false, false, nullptr, 'o'}},
          {"WHAT"},
          "  drover try"};
}

Result<Arguments> parsed(const std::vector<std::string>& words) {
  return Arguments::parse(example(), words);
}

TEST(Options, ReadsValuesSwitchesAndWords) {
  auto arguments = parsed({"this", "--speed", "2.5", "--json", "--op=a", "--op", "b"});
  ASSERT_TRUE(arguments.ok());
  EXPECT_EQ(arguments->text("WHAT"), "this");
  EXPECT_EQ(arguments->number("speed", 0, 10, 1), 2.5);
  EXPECT_TRUE(arguments->has("json"));
  EXPECT_FALSE(arguments->has("for"));
  EXPECT_EQ(arguments->text_list("op"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(arguments->status().ok());
}

TEST(Options, TakesANegativeNumberAsAValue) {
  auto arguments = parsed({"--speed", "-5"});
  ASSERT_TRUE(arguments.ok()) << arguments.error().message;
  EXPECT_EQ(arguments->number("speed", -10, 10, 1), -5);
}

TEST(Options, AcceptsAShortOptionWhereThereIsOne) {
  const auto arguments = parsed({"-o", "there", "--speed", "-s"});
  ASSERT_TRUE(arguments.ok()) << arguments.error().message;
  EXPECT_EQ(arguments->text("output"), "there");
  EXPECT_EQ(arguments->text("speed"), "-s");
  EXPECT_NE(help_text(example()).find("  -o, --output FILE"), std::string::npos);
}

TEST(Options, NamesWhatIsWrongWithAWord) {
  struct Case {
    std::vector<std::string> words;
    const char* said;
  };
  const Case cases[] = {
      {{"--spede", "1"}, "--speed"},
      {{"--speed"}, "speed"},
      {{"--speed", "1", "--speed", "2"}, "twice"},
      {{"one", "two"}, "'two'"},
      {{"--jso"}, "--json"},
  };
  for (const Case& expected : cases) {
    const auto arguments = parsed(expected.words);
    ASSERT_FALSE(arguments.ok()) << expected.words[0];
    EXPECT_NE(arguments.error().message.find(expected.said), std::string::npos)
        << arguments.error().message;
  }
}

TEST(Options, KeepsTheFirstProblemFound) {
  auto arguments = parsed({"--speed", "fast", "--for", "soon"});
  ASSERT_TRUE(arguments.ok());
  EXPECT_EQ(arguments->number("speed", 0, 10, 7), 7);
  arguments->duration("for", Duration{0});
  ASSERT_FALSE(arguments->status().ok());
  EXPECT_NE(arguments->status().error().message.find("--speed"), std::string::npos);
}

TEST(Options, RefusesNumbersOutOfTheirRange) {
  for (const char* value : {"11", "-1", "nan", "1e999"}) {
    auto arguments = parsed({"--speed", value});
    ASSERT_TRUE(arguments.ok());
    arguments->number("speed", 0, 10, 1);
    EXPECT_FALSE(arguments->status().ok()) << value;
  }
}

TEST(Options, WrapsTextAtBlanksWithAHangingIndent) {
  struct Case {
    const char* text;
    std::size_t columns, indent;
    const char* lines;
  };
  const Case cases[] = {
      {"", 10, 2, ""},
      {"exact fit", 9, 2, "exact fit"},
      {"exact fit", 8, 2, "exact\n  fit"},
      {"first two then", 9, 0, "first two\nthen"},
      {"one two three four", 9, 2, "one two\n  three\n  four"},
      {"one\n\ntwo three", 5, 0, "one\n\ntwo\nthree"},
      {"a longest b", 5, 2, "a\n  longest\n  b"},
      {"longest", 5, 2, "longest"},
      {"  --a X   one two three", 14, 10, "  --a X   one\n          two\n          three"},
      {"  --name VALUE   longest", 15, 17, "  --name VALUE\n                 longest"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(wrapped(each.text, each.columns, each.indent), each.lines) << each.text;
  }
}

TEST(Options, HelpTextIsWrappedBesideTheOptionNames) {
  CommandUsage usage = example();
  usage.description =
      "Tries everything that can be tried, and then tries it again, until it works or nothing is "
      "left.";
  usage.options[0].help =
      "how fast it tries, from 0 (not at all) to 10 (as fast as this machine can)";
  const std::string text = help_text(usage);
  EXPECT_NE(text.find("again, until it works or\nnothing is left.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  --speed X          how fast it tries, from 0 (not at all) to 10 (as fast "
                      "as\n                     this machine can)\n"),
            std::string::npos)
      << text;
}

TEST(Options, HelpShowsEveryOptionExceptHiddenOnes) {
  const std::string text = help_text(example());
  for (const char* shown : {"--speed X", "--for DURATION", "--json", "--help", "Examples:"}) {
    EXPECT_NE(text.find(shown), std::string::npos) << shown;
  }
  EXPECT_EQ(text.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace drover::commands
