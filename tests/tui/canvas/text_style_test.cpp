// From one look to another in as few bytes as there are.
#include "tui/canvas/text_style.h"

#include <gtest/gtest.h>

namespace drover::tui {
namespace {

TEST(TextStyle, IsReadFromWhatTheTerminalDatabaseSays) {
  const auto style = parse_style("\x1b[m\x1b[1m\x1b[38;5;244m\x1b[48;5;236m");
  ASSERT_TRUE(style);
  EXPECT_EQ(style->attributes, "1");
  EXPECT_EQ(style->ink, "38;5;244");
  EXPECT_EQ(style->ground, "48;5;236");
  EXPECT_EQ(parse_style("\x1b[0;7;31;44m"), (TextStyle{"7", "31", "44"}));
  EXPECT_EQ(parse_style("\x1b[m\x1b[38;2;1;2;3m"), (TextStyle{"", "38;2;1;2;3", "49"}));
  for (const char* other : {"", "\x1b[1m", "\x1b[0;5m", "\x1b[0;38;5m", "\x1b[m\x0f", "\x1b[0;4",
                            "\x1b[0;38;7;1m", "{A}"}) {
    EXPECT_FALSE(parse_style(other)) << other;
  }
}

TEST(TextStyle, ChangesCostTheirDifference) {
  const TextStyle plain, bold{"1"}, ink{"", "38;5;244"}, both{"1", "38;5;244"},
      bar{"", "38;5;255", "48;5;23"}, track{"", "38;5;252", "48;5;236"}, reverse{"7"};
  EXPECT_EQ(change_of_style(plain, plain), "");
  EXPECT_EQ(change_of_style(plain, ink), "\x1b[38;5;244m");
  EXPECT_EQ(change_of_style(ink, plain), "\x1b[m") << "not 39, which is longer";
  EXPECT_EQ(change_of_style(ink, both), "\x1b[1m");
  EXPECT_EQ(change_of_style(both, ink), "\x1b[0;38;5;244m") << "bold goes by a reset";
  EXPECT_EQ(change_of_style(bar, {"", "38;5;255", "48;5;236"}), "\x1b[48;5;236m");
  EXPECT_EQ(change_of_style(bar, track), "\x1b[38;5;252;48;5;236m");
  EXPECT_EQ(change_of_style(bold, reverse), "\x1b[0;7m");
}

TEST(TextStyle, BlanksShowTheGroundAlone) {
  const TextStyle plain, bold{"1", "31"}, ground{"", "39", "44"}, reverse{"7"}, red{"7", "31"};
  EXPECT_TRUE(plain.same_blank(bold));
  EXPECT_FALSE(plain.same_blank(ground));
  EXPECT_FALSE(plain.same_blank(reverse));
  EXPECT_FALSE(reverse.same_blank(red));
}

}  // namespace
}  // namespace drover::tui
