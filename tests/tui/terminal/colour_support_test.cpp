// Which terminals have how many colours, and 24-bit colours in what ncurses writes.
#include "tui/terminal/colour_support.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace drover::tui {
namespace {

TEST(ColourSupport, FollowsTheDatabaseAndTheEnvironment) {
  struct Case {
    const char* terminal;
    ColourFacts facts;
    Colours expected;
  };
  for (const Case& c : std::vector<Case>{
           {"vt100", {-1, false, false, false}, Colours::none},
           {"no setaf", {256, false, false, true}, Colours::none},
           {"linux", {8, true, false, false}, Colours::eight},
           {"linux, with the variable of another terminal", {8, true, false, true}, Colours::eight},
           {"xterm-16color", {16, true, false, false}, Colours::sixteen},
           {"rxvt-unicode", {88, true, false, false}, Colours::sixteen},
           {"xterm-256color", {256, true, false, false}, Colours::many},
           {"xterm-256color, COLORTERM", {256, true, false, true}, Colours::direct},
           {"an entry with Tc or RGB", {256, true, true, false}, Colours::direct},
           {"xterm-direct", {1 << 24, true, true, false}, Colours::direct}}) {
    EXPECT_EQ(colours_of(c.facts), c.expected) << c.terminal;
  }
}

TEST(ColourSupport, TrustsTheEnvironmentUnlessGnuScreenIsInBetween) {
  EXPECT_TRUE(tells_direct_colour("truecolor", "", ""));
  EXPECT_TRUE(tells_direct_colour("24bit", "", ""));
  EXPECT_TRUE(tells_direct_colour("truecolor", "", "/tmp/tmux"));
  EXPECT_TRUE(tells_direct_colour("truecolor", "1234.pts", "/tmp/tmux"));
  EXPECT_FALSE(tells_direct_colour("truecolor", "1234.pts", ""));
  EXPECT_FALSE(tells_direct_colour("", "", ""));
  EXPECT_FALSE(tells_direct_colour("yes", "", ""));
}

TEST(DirectColours, ReplaceTheNumbersOfSlotsAndNothingElse) {
  ColourSlots slots = no_colour_slots();
  slots[20] = 0x102030;
  slots[255] = 0;
  struct Case {
    const char *written, *sent;
  };
  for (const Case& c : std::vector<Case>{
           {"", ""},
           {"text", "text"},
           {"\x1b[38;5;20mtext\x1b[48;5;20m", "\x1b[38;2;16;32;48mtext\x1b[48;2;16;32;48m"},
           {"\x1b[38:5:20m", "\x1b[38;2;16;32;48m"},
           {"\x1b[48;5;255m", "\x1b[48;2;0;0;0m"},
           {"\x1b[38;5;21m", "\x1b[38;5;21m"},
           {"\x1b[38;5;2000m", "\x1b[38;5;2000m"},
           {"\x1b[38;5;20H", "\x1b[38;5;20H"},
           {"\x1b[20;20H20\x1b[20m\x1b[K", "\x1b[20;20H20\x1b[20m\x1b[K"},
           {"\x1b(B\x1b[m\x1b[?7h\x1b[31m漢", "\x1b(B\x1b[m\x1b[?7h\x1b[31m漢"}}) {
    EXPECT_EQ(with_direct_colours(c.written, slots), c.sent) << c.written;
  }
}

}  // namespace
}  // namespace drover::tui
