// What is written to the terminal, read back by the smallest of all terminals.
#include "tui/terminal/painter.h"

#include <array>
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "tests/tui/sample_fleet.h"
#include "tui/canvas/palette.h"

namespace drover::tui {
namespace {

/// Words that a test can read: `<r,c>` moves, `{x}` takes up the role with letter x, `!` clears.
TerminalWords readable_words() {
  TerminalWords words;
  words.clear = "\x01!";
  words.move = [](int row, int column) {
    return "\x01<" + std::to_string(row) + "," + std::to_string(column) + ">";
  };
  for (int i = 0; i < role_count; ++i) {
    words.role[static_cast<std::size_t>(i)] =
        std::string("\x01{") + static_cast<char>('A' + i) + "}";
  }
  return words;
}

/// The shorter ways besides: `d` down, `b` back, `k` blanks the rest of the row, `>n>` to the
/// right.
TerminalWords rich_words() {
  TerminalWords words = readable_words();
  words.down =
      "\x01"
      "d";
  words.back =
      "\x01"
      "b";
  words.clear_rest = "\x01k";
  words.right = [](int cells) { return "\x01>" + std::to_string(cells) + ">"; };
  return words;
}

/// A terminal with a cursor, a role and a grid; knows nothing of wrapping or scrolling.
class SmallTerminal {
 public:
  explicit SmallTerminal(Size size) : screen_(size) {}

  void receive(std::string_view bytes) {
    while (!bytes.empty()) {
      if (bytes.starts_with("\x01")) {
        bytes.remove_prefix(1);
        obey(bytes);
        continue;
      }
      std::size_t end = bytes.find('\x01');
      if (end == std::string_view::npos) end = bytes.size();
      column_ = screen_.put(column_, row_, bytes.substr(0, end), role_);
      EXPECT_LE(column_, screen_.size().columns) << "text beyond the last column";
      bytes.remove_prefix(end);
    }
  }
  const Canvas& screen() const { return screen_; }
  Role role() const { return role_; }

 private:
  void obey(std::string_view& bytes) {
    const char order = bytes.front();
    if (order == '!') screen_ = Canvas(screen_.size());
    if (order == 'd') ++row_;
    if (order == 'b') --column_;
    if (order == 'k') screen_.fill({column_, row_, screen_.size().columns, 1}, " ", role_);
    EXPECT_GE(column_, 0);
    EXPECT_LT(row_, screen_.size().rows) << "a terminal would scroll";
    if (std::string_view("!dbk").find(order) != std::string_view::npos) {
      bytes.remove_prefix(1);
      return;
    }
    if (order == '>') column_ += std::atoi(bytes.data() + 1);
    if (order == '{') role_ = static_cast<Role>(bytes[1] - 'A');
    if (order == '<') {
      row_ = std::atoi(bytes.data() + 1);
      column_ = std::atoi(bytes.data() + bytes.find(',') + 1);
    }
    bytes.remove_prefix(bytes.find(order == '{' ? '}' : '>', 1) + 1);
  }

  Canvas screen_;
  Role role_ = Role::plain;
  int row_ = 0, column_ = 0;
};

TEST(Painter, LeavesExactlyTheFrameOnTheScreenHoweverFramesFollow) {
  constexpr Size size{120, 40};
  SampleFleet fleet;
  SmallTerminal terminal(size);
  Painter painter(rich_words());
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
    terminal.receive(painter.paint(wanted));
    ASSERT_EQ(terminal.screen().to_styled_text(), wanted.to_styled_text()) << "step " << step;
  }
}

TEST(Painter, WritesNothingForTheSameFrameAndLittleForALittle) {
  Canvas before({80, 24});
  before.put(3, 4, "load 41%", Role::good);
  Painter painter(readable_words());
  painter.paint(before);
  EXPECT_EQ(painter.paint(before), "");
  Canvas after = before;
  after.put(3, 4, "load 42%", Role::good);
  const std::string good = readable_words().role[static_cast<std::size_t>(Role::good)];
  const std::string plain = readable_words().role[0];
  EXPECT_EQ(painter.paint(after), "\x01<4,9>" + good + "2" + plain);
}

TEST(Painter, WideCharactersMayComeAndGo) {
  constexpr Size size{8, 1};
  Painter painter(rich_words());
  const std::vector<const char*> texts = {"漢字漢字", "a漢字b", "abcdefgh", "漢bc漢de", "漢字漢字"};
  SmallTerminal terminal(size);
  terminal.receive(painter.paint(Canvas(size)));
  for (const char* text : texts) {
    Canvas wanted(size);
    wanted.put(0, 0, text);
    terminal.receive(painter.paint(wanted));
    ASSERT_EQ(terminal.screen().to_text(), wanted.to_text());
  }
}

TEST(Painter, PoorTerminalsGetWhatTheyCanShow) {
  TerminalWords words = readable_words();
  words.unicode = false;
  words.colours_rich = false;
  words.corner_scrolls = true;
  Canvas wanted({4, 1});
  wanted.put(0, 0, "─");
  wanted.put(1, 0, " ", Role::heat7);
  wanted.put(2, 0, " ", Role::fill_good);
  wanted.put(3, 0, "x");
  SmallTerminal terminal({4, 1});
  const std::string bytes = Painter(words).paint(wanted);
  terminal.receive(bytes);
  EXPECT_NE(bytes.find('?'), std::string::npos);
  EXPECT_NE(bytes.find('@'), std::string::npos) << "heat speaks by a character";
  EXPECT_EQ(bytes.find('x'), std::string::npos) << "the corner stays blank";
  words.cursor_shows = true;
  EXPECT_TRUE(Painter(words).paint(wanted).ends_with("\x01<0,0>"));
}

/// Some text of some roles, with wide characters, in places that the dice choose.
void scribble(Dice& dice, Canvas& canvas) {
  static constexpr std::array texts = {"a", "load 41%", "漢字", "─────", " ", "      ", "é漢e"};
  const Size size = canvas.size();
  for (int i = 0; i < 15; ++i) {
    const auto role = static_cast<Role>(dice.below(role_count));
    canvas.put(static_cast<int>(dice.below(static_cast<std::uint64_t>(size.columns))),
               static_cast<int>(dice.below(static_cast<std::uint64_t>(size.rows))),
               texts[dice.below(texts.size())], dice.below(2) == 0 ? Role::plain : role);
  }
}

TEST(Painter, KnowsToTheCellWhatStandsThereHoweverFramesAreCut) {
  constexpr Size size{30, 9};
  Dice dice(11);
  Painter painter(rich_words());
  SmallTerminal terminal(size);
  Canvas wanted(size);
  int cut = 0;
  for (int step = 0; step < 3000; ++step) {
    if (step % 50 == 49) wanted = Canvas(size);
    scribble(dice, wanted);
    const std::string bytes = painter.paint(wanted, frame_bytes_min);
    ASSERT_LE(bytes.size(), frame_bytes_min);
    terminal.receive(bytes);
    ASSERT_EQ(terminal.role(), Role::plain) << "step " << step;
    if (painter.whole()) {
      ASSERT_EQ(terminal.screen().to_styled_text(), wanted.to_styled_text()) << "step " << step;
    } else {
      ++cut;
    }
    // Time to catch up, now and then.
    for (int more = 0; step % 10 == 9 && !painter.whole(); ++more) {
      ASSERT_LT(more, 20) << "it does not come to an end";
      terminal.receive(painter.paint(wanted, frame_bytes_min));
      if (painter.whole()) {
        ASSERT_EQ(terminal.screen().to_styled_text(), wanted.to_styled_text()) << "step " << step;
      }
    }
  }
  EXPECT_GT(cut, 100);
}

TEST(Painter, EveryRowHasItsTurnWhileFramesAreCut) {
  constexpr Size size{60, 12};
  Painter painter(rich_words());
  SmallTerminal terminal(size);
  std::vector<std::string> before(12);
  std::set<int> rows;
  for (int frame = 0; frame < 40; ++frame) {
    Canvas wanted(size);  // every cell of it new
    for (int row = 0; row < size.rows; ++row) {
      wanted.put(0, row, std::string(60, static_cast<char>('a' + frame % 26)));
    }
    terminal.receive(painter.paint(wanted, frame_bytes_min));
    EXPECT_FALSE(painter.whole());
    for (int row = 0; row < size.rows; ++row) {
      if (terminal.screen().at(30, row).text == wanted.at(30, row).text) rows.insert(row);
    }
  }
  EXPECT_EQ(rows.size(), 12u);
}

TEST(Painter, TakesTheShortestWay) {
  struct Case {
    const char* what;
    int column, row;
    const char* text;
    const char* bytes;  // after "abc" has been rewritten as "ABC"
  };
  for (const Case& c : {
           Case{"a few cells: what stands there again", 16, 11, "X", "..X"},
           {"more: a step to the right", 30, 11, "X", "\x01>16>X"},
           {"below: down and back", 12, 12, "X",
            "\x01"
            "d\x01"
            "b\x01"
            "bX"},
           {"far: a jump", 12, 29, "X", "\x01<29,12>X"},
       }) {
    Canvas canvas({60, 30});
    canvas.put(11, 11, "abc..............................");
    Painter painter(rich_words());
    painter.paint(canvas);
    canvas.put(11, 11, "ABC");
    canvas.put(c.column, c.row, c.text);
    EXPECT_EQ(painter.paint(canvas), "\x01<11,11>\x01{A}ABC" + std::string(c.bytes)) << c.what;
  }
}

TEST(Painter, BlanksTheRestOfARowAtOnce) {
  Canvas canvas({40, 2});
  canvas.put(0, 0, std::string(40, 'x'), Role::warm);
  Painter painter(rich_words());
  painter.paint(canvas);
  Canvas less({40, 2});
  less.put(0, 0, "xx", Role::warm);
  EXPECT_EQ(painter.paint(less), "\x01<0,2>\x01{A}\x01k");
  EXPECT_EQ(painter.paint(less), "");
}

TEST(Painter, BlanksThatLookTheSameAreTheSame) {
  TerminalWords words = rich_words();
  for (std::string& role : words.role) role = "\x1b[m";
  words.role[static_cast<std::size_t>(Role::warm)] = "\x1b[m\x1b[33m";
  words.role[static_cast<std::size_t>(Role::selected)] = "\x1b[m\x1b[44m";
  Painter painter(words);
  Canvas canvas({10, 1});
  painter.paint(canvas);
  canvas.fill({0, 0, 10, 1}, " ", Role::warm);
  EXPECT_EQ(painter.paint(canvas), "");
  canvas.put(0, 0, "a", Role::warm);
  canvas.put(2, 0, "b", Role::warm);
  EXPECT_EQ(painter.paint(canvas), "\x01<0,0>\x1b[m\x1b[33ma b\x1b[m") << "one change of colour";
  canvas.fill({4, 0, 3, 1}, " ", Role::selected);
  EXPECT_EQ(painter.paint(canvas), "\x01<0,4>\x1b[m\x1b[44m   \x1b[m");
}

}  // namespace
}  // namespace drover::tui
