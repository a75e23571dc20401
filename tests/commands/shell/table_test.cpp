// Tables as people read them: aligned, wrapped to the terminal, with colours where it has some.
#include "commands/shell/table.h"

#include <gtest/gtest.h>

#include "fleet/base/text.h"

namespace drover::commands {
namespace {

constexpr TableStyle coloured{0, true};

TEST(Table, AlignsColumnsWithoutTrailingBlanks) {
  const std::string text = table_text({{"NAME"}, {"COUNT", Align::right}, {"WHY"}},
                                      {{"a", "1", ""}, {"longer", "1234", "because"}});
  EXPECT_EQ(text,
            "NAME    COUNT  WHY\n"
            "a           1\n"
            "longer   1234  because\n");
}

TEST(Table, EscapesUntrustedText) {
  for (const TableStyle& style : {TableStyle{}, TableStyle{20, true}}) {
    const std::string text = table_text({{"NAME"}}, {{"\x1b[35mviolet"}}, style);
    EXPECT_EQ(text.find("\x1b[35m"), std::string::npos);
  }
}

TEST(Table, WrapsLongCellsWithinTheirColumnInsteadOfCuttingThem) {
  const std::string text = table_text(
      {{"JOB"}, {"AGE", Align::right}, {"REASON"}},
      {{"a1", "12s", "no device of the pool has room for it"}, {"b2", "1s", "-"}}, {30, false});
  EXPECT_EQ(text,
            "JOB  AGE  REASON\n"
            "a1   12s  no device of the\n"
            "          pool has room for it\n"
            "b2    1s  -\n");
}

TEST(Table, WrapsHeadingsBeforeCells) {
  EXPECT_EQ(table_text({{"HOST"}, {"POWER (W)", Align::right}, {"WHY"}},
                       {{"h-1", "250", "no heartbeat for 3 s"}}, {33, false}),
            "HOST  POWER  WHY\n"
            "        (W)\n"
            "h-1     250  no heartbeat for 3 s\n");
}

TEST(Table, FitsEveryWidthThatItsHeadingsAllow) {
  const std::vector<std::vector<std::string>> rows = {
      {"h100-1/3 h100-1/4 h100-1/5 h100-1/6", "7",
       std::string(90, 'x') + " and \u4e2d\u6587 text"}};
  for (std::size_t columns = 35; columns < 160; ++columns) {
    const std::string text =
        table_text({{"TARGETS"}, {"COUNT", Align::right}, {"TEXT"}}, rows, {columns, false});
    std::string letters;
    for (const std::string& line : split(text, '\n')) {
      EXPECT_LE(column_width(line), columns) << line;
      letters += line;
    }
    EXPECT_EQ(std::count(letters.begin(), letters.end(), 'x'), 91) << text;  // one in "text"
  }
}

TEST(Table, KeepsAWordWholeIfItFits) {
  EXPECT_EQ(wrapped_lines("draining 8 devices", 10),
            (std::vector<std::string>{"draining 8", "devices"}));
  EXPECT_EQ(wrapped_lines("unbreakable", 4), (std::vector<std::string>{"unbr", "eaka", "ble"}));
  EXPECT_EQ(wrapped_lines("", 4), std::vector<std::string>{""});
}

TEST(Table, ColoursTheMostSevereStateOfACell) {
  struct Case {
    const char* cell;
    const char* colour;
  };
  for (const Case& c : {Case{"lost", "\x1b[31m"}, Case{"faulty unusable", "\x1b[31m"},
                        Case{"stale drained", "\x1b[33m"}, Case{"throttled", "\x1b[33m"},
                        Case{"running", "\x1b[32m"}, Case{"finished", "\x1b[2m"},
                        Case{"lost-and-found", ""}, Case{"", ""}}) {
    EXPECT_EQ(state_colour(c.cell), c.colour) << c.cell;
  }
}

TEST(Table, HasBoldHeadingsAndColoursOnlyStates) {
  EXPECT_EQ(table_text({"HOST", state_heading("STATE"), "WHY"}, {{"lost", "lost", "-"}}, coloured),
            "\x1b[1mHOST\x1b[0m  \x1b[1mSTATE\x1b[0m  \x1b[1mWHY\x1b[0m\n"
            "lost  \x1b[31mlost\x1b[0m   -\n");
}

TEST(TableStyle, IsPlainUnlessATerminalReadsIt) {
  struct Case {
    const char* mode;
    OutputFacts facts;
    bool colour;
    std::size_t columns;
  };
  for (const Case& c : {Case{"auto", {true, false, 80, 24}, true, 80},
                        Case{"auto", {true, true, 80, 24}, false, 80},
                        Case{"auto", {false, false, 80, 24}, false, 0},
                        Case{"always", {false, true, 0, 24}, true, 0},
                        Case{"always", {true, true, 100, 24}, true, 100},
                        Case{"never", {true, false, 80, 24}, false, 80}}) {
    const TableStyle style = table_style(c.mode, c.facts);
    EXPECT_EQ(style.colour, c.colour) << c.mode << c.facts.terminal << c.facts.no_colour;
    EXPECT_EQ(style.columns_max, c.columns) << c.mode;
  }
}

}  // namespace
}  // namespace drover::commands
