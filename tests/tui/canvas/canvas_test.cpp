#include "tui/canvas/canvas.h"

#include <gtest/gtest.h>

#include "fleet/sample/sample.h"
#include "tests/tui/golden_screen.h"
#include "tui/canvas/draw_region.h"
#include "tui/canvas/palette.h"

namespace drover::tui {
namespace {

TEST(Canvas, ClipsAtTheRightEdgeAndReturnsTheNextColumn) {
  Canvas canvas({6, 2});
  EXPECT_EQ(canvas.put(2, 0, "abcdef"), 8);
  canvas.put({1, 1, 3, 1}, 0, 1, "12345");
  EXPECT_EQ(canvas.to_text(), "  abcd\n 234\n");
  canvas.put(-2, 5, "outside");
  canvas.put(0, -1, "outside");
  EXPECT_EQ(canvas.to_text(), "  abcd\n 234\n");
}

TEST(Canvas, WideCharactersTakeTwoCellsAndAreNeverCutInHalf) {
  Canvas canvas({5, 1});
  canvas.put(0, 0, "漢字語");
  EXPECT_EQ(canvas.to_text(), "漢字\n") << "the third does not fit";
  canvas.put(1, 0, "x");
  EXPECT_EQ(canvas.to_text(), " x字\n") << "what was written over is gone whole";
  canvas.put(3, 0, "y");
  EXPECT_EQ(canvas.to_text(), " x y\n");
}

TEST(Canvas, SanitizesUntrustedText) {
  Canvas canvas({20, 1});
  canvas.put(0, 0, "a\x1b[31mb");
  EXPECT_EQ(canvas.to_text(), "a^[[31mb\n");
}

TEST(Canvas, StyledTextHasALetterPerRole) {
  Canvas canvas({8, 2});
  canvas.put(0, 0, "ok", CellStyle::good);
  canvas.put(3, 0, "bad", CellStyle::critical);
  canvas.put(0, 1, "plain");
  EXPECT_EQ(styled_text(canvas), "ok bad\ngg ccc\nplain\n");
}

TEST(Canvas, BlankHeatCellsBecomeCharactersWithoutColour) {
  Canvas canvas({9, 1});
  for (int level = 0; level < 8; ++level)
    canvas.put(level, 0, " ", heat_level_style(heat_level(level / 8.0)));
  canvas.put(8, 0, " ", CellStyle::fill_hot);
  EXPECT_EQ(canvas.to_text(), ".:-=+*#@|\n");
}

TEST(Canvas, TintLeavesBarsAndHeatAlone) {
  Canvas canvas({3, 1});
  canvas.put(0, 0, "a");
  canvas.put(1, 0, " ", CellStyle::heat5);
  canvas.put(2, 0, " ", CellStyle::track);
  canvas.tint({0, 0, 3, 1}, CellStyle::selected);
  EXPECT_EQ(canvas.at(0, 0).style, CellStyle::selected);
  EXPECT_EQ(canvas.at(1, 0).style, CellStyle::heat5);
  EXPECT_EQ(canvas.at(2, 0).style, CellStyle::track);
}

TEST(Canvas, WritesAnsiForAThemeAndAColourCount) {
  Canvas canvas({3, 1});
  canvas.put(0, 0, "a", CellStyle::good);
  canvas.put(1, 0, " ", CellStyle::heat7);
  EXPECT_EQ(canvas.to_ansi(), "\x1b[0;38;5;78ma\x1b[0;38;5;16;48;5;229m \x1b[0m \x1b[0m\n");
  EXPECT_EQ(canvas.to_ansi(Theme::light),
            "\x1b[0;38;5;22ma\x1b[0;38;5;231;48;5;88m \x1b[0m \x1b[0m\n");
  EXPECT_EQ(canvas.to_ansi(Theme::dark, Colours::eight),
            "\x1b[0;32ma\x1b[0;30;47m@\x1b[0m \x1b[0m\n");
  EXPECT_EQ(canvas.to_ansi(Theme::dark, Colours::sixteen),
            "\x1b[0;92ma\x1b[0;30;47m@\x1b[0m \x1b[0m\n");
  EXPECT_EQ(canvas.to_ansi(Theme::dark, Colours::direct),
            "\x1b[0;38;5;78ma\x1b[0;38;5;16;48;2;252;232;128m \x1b[0m \x1b[0m\n");
  EXPECT_EQ(canvas.to_ansi(Theme::terminal, Colours::direct),
            "\x1b[0;32ma\x1b[0;37;41m@\x1b[0m \x1b[0m\n");
  EXPECT_EQ(canvas.to_ansi(Theme::dark, Colours::none), "\x1b[0ma@ \x1b[0m\n");
}

TEST(Palette, LettersAreDistinct) {
  std::string letters;
  for (int i = 0; i < cell_style_count; ++i) letters += facts(static_cast<CellStyle>(i)).letter;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    EXPECT_EQ(letters.find(letters[i]), i) << letters[i];
  }
}

TEST(DrawRegion, GaugesHoldTheirNumberInside) {
  struct Case {
    double share;
    const char* number;
    const char* bar;  // text and roles, as in the golden screens
  };
  const std::vector<Case> cases = {
      {0.5, "50%", "||||| 50%\nGGGGG_____\n"},
      {0.8, "80%", "||||||80%\nGGGGGGGG__\n"},
      {0.0, "0%", "       0%\n__________\n"},
      {0.01, "1%", "|      1%\nG_________\n"},  // something is not nothing
      {1.0, "100%", "|||||100%|\nGGGGGGGGGG\n"},
      {1.7, "170%", "|||||170%|\nGGGGGGGGGG\n"},
      {-1.0, "-1%", "      -1%\n__________\n"},
      {absent, "-", "        -\nffffffffff\n"},  // no bar, unlike zero
      {0.5, "a long number", "a long nu~\nGGGGG_____\n"},
  };
  for (const Case& c : cases) {
    Canvas canvas({10, 1});
    DrawRegion region(canvas, {0, 0, 10, 1}, true);
    region.gauge(0, 0, 10, c.share, c.number, CellStyle::fill_good);
    EXPECT_EQ(styled_text(canvas), c.bar) << c.share;
  }
}

TEST(DrawRegion, ShortensWithAnEllipsis) {
  EXPECT_EQ(shortened("abcdef", 6, true), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6, true), "abcde~");
  EXPECT_EQ(shortened("abcdefg", 6, false), "abcde…");
  EXPECT_EQ(shortened("漢字漢字", 4, true), "漢~");
  EXPECT_EQ(shortened("abc", 0, true), "");
}

TEST(DrawRegion, TheNewestValueIsAtTheRightEnd) {
  Canvas canvas({5, 1});
  DrawRegion region(canvas, {0, 0, 5, 1}, false);
  const std::vector<double> shares = {1.0, absent, 0.0};
  region.sparkline(0, 0, 5, shares, CellStyle::good);
  EXPECT_EQ(canvas.to_text(), "  ▇ ▁\n") << "seven eighths, so that rows stay apart";
}

}  // namespace
}  // namespace drover::tui
