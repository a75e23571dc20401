// What is written to the terminal, read back by the smallest of all terminals.
#include "tui/terminal/curses_screen.h"

#include <array>
#include <csignal>
#include <set>

#include <gtest/gtest.h>

#include "fleet/base/random_stream.h"
#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tests/tui/terminal/small_terminal.h"
#include "tui/canvas/palette.h"

namespace drover::tui {
namespace {

constexpr const char* xterm = "xterm-256color";

std::unique_ptr<CursesScreen> screen_of(const char* terminal = xterm, const Look& look = {}) {
  auto opened = CursesScreen::open(terminal, look);
  DROVER_REQUIRE(opened);
  return std::move(*opened);
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) ++count;
  return count;
}

TEST(CursesScreen, LeavesExactlyTheLatestFrameOnTheScreen) {
  constexpr Size size{120, 40};
  SampleFleet fleet;
  SmallTerminal terminal(size);
  const auto screen = screen_of();
  const auto dashboard = dashboard_of(fleet, size, "fleet", false, 5);
  for (int step = 0; step < 60; ++step) {
    const Instant now = SampleFleet::start + std::chrono::seconds(5 + step);
    for (const Envelope& batch : fleet.samples(5 + step)) {
      dashboard->receive(now, publish_peer, batch);
    }
    for (const char* key : {"Tab", "j", "Enter"}) {
      if (step % 3 == 0) dashboard->press(now, {key});
    }
    const Canvas& wanted = dashboard->draw(now);
    ASSERT_NO_FATAL_FAILURE(terminal.receive(screen->paint(wanted))) << "step " << step;
    ASSERT_NO_FATAL_FAILURE(expect_shown(terminal, wanted, Theme::dark, Colours::many))
        << "step " << step;
  }
}

TEST(CursesScreen, WritesNothingForTheSameFrameAndLittleForASmallChange) {
  Canvas before({80, 24});
  before.put(3, 4, "load 41%", CellStyle::good);
  const auto screen = screen_of();
  screen->paint(before);
  EXPECT_EQ(screen->paint(before), "");
  Canvas after = before;
  after.put(3, 4, "load 42%", CellStyle::good);
  const std::string bytes = screen->paint(after);
  EXPECT_NE(bytes.find("2\x1b"), std::string::npos) << bytes.substr(1);
  EXPECT_LT(bytes.size(), 40u) << "one cell: its place, its colour, and back";
}

TEST(CursesScreen, NeverScrolls) {
  constexpr Size size{60, 20};
  for (const char* kind : {"xterm-256color", "linux", "vt100", "tmux-256color", "screen"}) {
    const auto screen = screen_of(kind, {.colours = Colours::none});
    SmallTerminal terminal(size);
    for (int by = 0; by < 5; ++by) {
      Canvas wanted(size);
      for (int row = 0; row < 12; ++row) {
        wanted.put(0, 2 + row,
                   "job " + std::to_string(100 + by * by + row) + " waits for a device");
      }
      ASSERT_NO_FATAL_FAILURE(terminal.receive(screen->paint(wanted))) << kind;
      ASSERT_NO_FATAL_FAILURE(expect_shown(terminal, wanted, Theme::dark, Colours::none)) << kind;
    }
  }
}

TEST(CursesScreen, WideCharactersMayComeAndGo) {
  constexpr Size size{8, 2};
  const auto screen = screen_of();
  const std::vector<const char*> texts = {"漢字漢字", "a漢字b", "abcdefgh", "漢bc漢de", "漢字漢字"};
  SmallTerminal terminal(size);
  for (const char* text : texts) {
    Canvas wanted(size);
    wanted.put(0, 0, text);
    terminal.receive(screen->paint(wanted));
    ASSERT_NO_FATAL_FAILURE(expect_shown(terminal, wanted, Theme::dark, Colours::many));
  }
}

TEST(CursesScreen, ACharacterThatTheCLibraryDoesNotKnowIsAQuestionMark) {
  const auto screen = screen_of();
  SmallTerminal terminal({12, 2});
  Canvas wanted({12, 2});
  wanted.put(0, 0, "a\xf0\x9f\xab\xa8z");  // U+1FAE8, newer than the library
  terminal.receive(screen->paint(wanted));
  EXPECT_EQ(terminal.text().substr(0, 4), "a??z");
}

TEST(CursesScreen, EveryTerminalShowsTheLastCell) {
  for (const char* kind : {"xterm-256color", "linux", "vt100", "screen", "rxvt"}) {
    Canvas wanted({5, 2});
    wanted.put(0, 1, "12345");
    SmallTerminal terminal({5, 2});
    terminal.receive(screen_of(kind, {.colours = Colours::none})->paint(wanted));
    EXPECT_EQ(terminal.text(), "     \n12345\n") << kind;
  }
}

TEST(CursesScreen, LimitedTerminalsGetOnlyWhatTheyCanShow) {
  Canvas wanted({4, 2});
  wanted.put(0, 0, "─");
  wanted.put(1, 0, " ", CellStyle::heat7);
  wanted.put(2, 0, "漢");
  SmallTerminal terminal({4, 2});
  terminal.receive(screen_of("vt100", {.unicode = false})->paint(wanted));
  EXPECT_EQ(terminal.text().substr(0, 4), "?@??") << "heat speaks by a character";
  // No civis: the cursor shows, so it stands in a corner.
  SmallTerminal other({4, 2});
  other.receive(screen_of("vt100")->paint(wanted));
  EXPECT_EQ(other.cursor(), (Size{0, 1}));
}

struct ColourCase {
  const char* terminal;
  Colours asked, shown;
};

TEST(CursesScreen, UsesTheColoursOfTheTerminalOrThoseAskedFor) {
  for (const ColourCase& colour_case :
       {ColourCase{"xterm-256color", Colours::detect, Colours::many},
        ColourCase{"xterm-256color", Colours::direct, Colours::direct},
        ColourCase{"xterm-256color", Colours::sixteen, Colours::sixteen},
        ColourCase{"xterm-256color", Colours::eight, Colours::eight},
        ColourCase{"xterm-256color", Colours::none, Colours::none},
        ColourCase{"rxvt-unicode", Colours::detect, Colours::sixteen},  // it has 88
        ColourCase{"linux", Colours::detect, Colours::eight},
        ColourCase{"vt100", Colours::detect, Colours::none},
        // More than the entry has: the user's terminal is better than its entry.
        ColourCase{"xterm", Colours::many, Colours::many},
        ColourCase{"xterm", Colours::direct, Colours::direct},
        ColourCase{"vt100", Colours::eight, Colours::eight}}) {
    for (const Theme theme : {Theme::dark, Theme::light, Theme::terminal}) {
      Canvas wanted({80, 5});
      for (int i = 0; i < cell_style_count; ++i) {
        const auto style = static_cast<CellStyle>(i);
        const std::string kind = colour_case.terminal;
        // The console has dim text without colours only.
        const bool lacks_dim = kind == "vt100" || kind == "rxvt-unicode" ||
                               (kind == "linux" && colour_case.shown != Colours::none);
        const CellPaint paint = paint_of(style, 0, theme, colour_case.shown);
        if (lacks_dim && (paint.attributes & attribute_dim) != 0) continue;
        wanted.put(2 * i, 1, "x", style);
        wanted.put(2 * i, 2, "  ", style);
      }
      for (int i = 1; i <= heat_shade_count; ++i) {
        wanted.put(2 * i, 3, "xy", CellStyle::heat3);
        wanted.shade({2 * i, 3, 2, 1}, static_cast<HeatShade>(i));
      }
      SmallTerminal terminal(wanted.size());
      const auto screen =
          screen_of(colour_case.terminal, {.theme = theme, .colours = colour_case.asked});
      ASSERT_NO_FATAL_FAILURE(terminal.receive(screen->paint(wanted))) << colour_case.terminal;
      ASSERT_NO_FATAL_FAILURE(expect_shown(terminal, wanted, theme, colour_case.shown))
          << colour_case.terminal;
      EXPECT_EQ(terminal.style(), SmallTerminal::Style{}) << "left in the plain style";
    }
  }
}

/// Some text of some roles, with wide characters, in places that the dice choose.
void scribble(RandomStream& random, Canvas& canvas) {
  static constexpr std::array texts = {"a", "load 41%", "漢字", "─────", " ", "      ", "é漢e"};
  const Size size = canvas.size();
  for (int i = 0; i < 15; ++i) {
    const auto style = static_cast<CellStyle>(random.below(cell_style_count));
    canvas.put(static_cast<int>(random.below(static_cast<std::uint64_t>(size.columns))),
               static_cast<int>(random.below(static_cast<std::uint64_t>(size.rows))),
               texts[random.below(texts.size())], random.below(2) == 0 ? CellStyle::plain : style);
    canvas.shade({static_cast<int>(random.below(20)), 0, 3, size.rows},
                 static_cast<HeatShade>(random.below(heat_shade_count + 1)));
  }
}

TEST(CursesScreen, TracksEveryCellHoweverFramesAreTruncated) {
  constexpr Size size{30, 9};
  for (const auto& [kind, colours] :
       {std::pair("xterm-256color", Colours::many), std::pair("xterm-256color", Colours::direct),
        std::pair("linux", Colours::eight), std::pair("xterm", Colours::none)}) {
    RandomStream random(11);
    const auto screen = screen_of(kind, {.colours = colours});
    SmallTerminal terminal(size);
    Canvas wanted(size);
    int cut = 0;
    for (int step = 0; step < 1000; ++step) {
      if (step % 50 == 49) wanted = Canvas(size);
      scribble(random, wanted);
      // Time to catch up, now and then.
      for (int more = 0; more == 0 || (step % 10 == 9 && !screen->whole()); ++more) {
        ASSERT_LT(more, 40) << "it does not come to an end";
        const std::string bytes = screen->paint(wanted, frame_bytes_min);
        ASSERT_LE(bytes.size(), frame_bytes_min) << kind;
        ASSERT_NO_FATAL_FAILURE(terminal.receive(bytes)) << kind << " step " << step;
        ASSERT_EQ(terminal.style(), SmallTerminal::Style{}) << "step " << step;
      }
      if (screen->whole()) {
        ASSERT_NO_FATAL_FAILURE(expect_shown(terminal, wanted, Theme::dark, colours))
            << kind << " step " << step;
      } else {
        ++cut;
      }
    }
    EXPECT_GT(cut, 30);
  }
}

TEST(CursesScreen, EveryRowIsEventuallyDrawnWhileFramesAreTruncated) {
  constexpr Size size{60, 12};
  const auto screen = screen_of();
  SmallTerminal terminal(size);
  std::set<int> rows;
  for (int frame = 0; frame < 40; ++frame) {
    Canvas wanted(size);  // every cell of it new
    for (int row = 0; row < size.rows; ++row) {
      wanted.put(0, row, std::string(60, static_cast<char>('a' + frame % 26)));
    }
    terminal.receive(screen->paint(wanted, frame_bytes_min));
    EXPECT_FALSE(screen->whole());
    for (int row = 0; row < size.rows; ++row) {
      if (terminal.at(30, row).text == wanted.at(30, row).text) rows.insert(row);
    }
  }
  EXPECT_EQ(rows.size(), 12u);
}

TEST(CursesScreen, AFullScreenIsErasedOnlyWhenItsContentIsUnknown) {
  Canvas canvas({40, 3});
  canvas.put(0, 1, "here", CellStyle::warm);
  const auto screen = screen_of();
  EXPECT_EQ(count_of(screen->paint(canvas), "\x1b[2J"), 1u);
  EXPECT_EQ(screen->paint(canvas), "");
  screen->forget();
  SmallTerminal terminal({40, 3});
  const std::string again = screen->paint(canvas);
  EXPECT_EQ(count_of(again, "\x1b[2J"), 1u);
  terminal.receive(again);
  expect_shown(terminal, canvas, Theme::dark, Colours::many);
  Canvas larger({70, 30});
  larger.put(60, 29, "there");
  SmallTerminal grown({70, 30});
  grown.receive(screen->paint(larger));
  expect_shown(grown, larger, Theme::dark, Colours::many);
}

TEST(CursesScreen, AnySizeWillDoAndItGrowsBack) {
  const auto screen = screen_of();
  for (const Size size : {Size{1, 1}, Size{2, 1}, Size{1, 60}, Size{200, 1}, Size{400, 120},
                          Size{1, 1}, Size{80, 24}}) {
    Canvas canvas(size);
    canvas.put(0, 0, "x");
    SmallTerminal terminal(size);
    terminal.receive(screen->paint(canvas));
    expect_shown(terminal, canvas, Theme::dark, Colours::many);
  }
}

TEST(CursesScreen, BlanksThatLookTheSameAreNotRedrawn) {
  const auto screen = screen_of();
  Canvas canvas({10, 2});
  screen->paint(canvas);
  canvas.fill({0, 0, 10, 1}, " ", CellStyle::warm);
  EXPECT_EQ(screen->paint(canvas), "");
  canvas.put(0, 0, "a", CellStyle::warm);
  canvas.put(2, 0, "b", CellStyle::warm);
  EXPECT_EQ(count_of(screen->paint(canvas), "\x1b[38;5;"), 1u) << "one change of colour";
}

TEST(CursesScreen, OneAfterTheOtherMayBeOpen) {
  const Canvas canvas({20, 2});
  std::string first;
  for (int i = 0; i < 20; ++i) {
    const std::string bytes = screen_of()->paint(canvas);
    if (i == 0) first = bytes;
    ASSERT_EQ(bytes, first);
  }
}

TEST(TerminfoEntry, RefusesTerminalsThatCannotShowAScreen) {
  for (const char* name : {"dumb", "no-such-terminal"}) {
    TerminfoEntry entry;
    const Status loaded = entry.load(name);
    ASSERT_FALSE(loaded) << name;
    EXPECT_NE(loaded.error().message.find(name), std::string::npos);
    EXPECT_NE(loaded.error().message.find("try TERM=xterm-256color"), std::string::npos);
  }
  TerminfoEntry entry;
  ASSERT_TRUE(entry.load(xterm));
  EXPECT_EQ(entry.capability("kcuu1"), "\x1bOA");
  EXPECT_EQ(entry.capability("no such name"), "");
}

}  // namespace
}  // namespace drover::tui
