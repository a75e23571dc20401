// From one look to another in as few bytes as there are.
#include "tui/canvas/text_style.h"

#include <gtest/gtest.h>

namespace drover::tui {
namespace {

TEST(TextStyle, IsParsedFromTheTerminalDatabase) {
  const auto style = parse_style("\x1b[m\x1b[1m\x1b[38;5;244m\x1b[48;5;236m");
  ASSERT_TRUE(style);
  EXPECT_EQ(style->attributes, "1");
  EXPECT_EQ(style->foreground, "38;5;244");
  EXPECT_EQ(style->background, "48;5;236");
  EXPECT_EQ(parse_style("\x1b[0;7;31;44m"), (TextStyle{"7", "31", "44"}));
  EXPECT_EQ(parse_style("\x1b[m\x1b[38;2;1;2;3m"), (TextStyle{"", "38;2;1;2;3", "49"}));
  for (const char* other : {"", "\x1b[1m", "\x1b[0;5m", "\x1b[0;38;5m", "\x1b[m\x0f", "\x1b[0;4",
                            "\x1b[0;38;7;1m", "{A}"}) {
    EXPECT_FALSE(parse_style(other)) << other;
  }
}

TEST(TextStyle, TransitionsEmitOnlyTheDifference) {
  const TextStyle plain, bold{"1"}, foreground{"", "38;5;244"}, both{"1", "38;5;244"},
      bar{"", "38;5;255", "48;5;23"}, track{"", "38;5;252", "48;5;236"}, reverse{"7"};
  EXPECT_EQ(style_transition(plain, plain), "");
  EXPECT_EQ(style_transition(plain, foreground), "\x1b[38;5;244m");
  EXPECT_EQ(style_transition(foreground, plain), "\x1b[m") << "not 39, which is longer";
  EXPECT_EQ(style_transition(foreground, both), "\x1b[1m");
  EXPECT_EQ(style_transition(both, foreground), "\x1b[0;38;5;244m") << "bold goes by a reset";
  EXPECT_EQ(style_transition(bar, {"", "38;5;255", "48;5;236"}), "\x1b[48;5;236m");
  EXPECT_EQ(style_transition(bar, track), "\x1b[38;5;252;48;5;236m");
  EXPECT_EQ(style_transition(bold, reverse), "\x1b[0;7m");
}

TEST(TextStyle, BlanksShowOnlyTheBackground) {
  const TextStyle plain, bold{"1", "31"}, background{"", "39", "44"}, reverse{"7"}, red{"7", "31"};
  EXPECT_TRUE(plain.same_blank(bold));
  EXPECT_FALSE(plain.same_blank(background));
  EXPECT_FALSE(plain.same_blank(reverse));
  EXPECT_FALSE(reverse.same_blank(red));
}

}  // namespace
}  // namespace drover::tui
