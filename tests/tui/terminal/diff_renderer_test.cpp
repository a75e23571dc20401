// What is written to the terminal, read back by the smallest of all terminals.
#include "tui/terminal/diff_renderer.h"

#include <array>
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tui/canvas/palette.h"

namespace drover::tui {
namespace {

/// Words that a test can read: `<r,c>` moves, `{x}` takes up the role with letter x, `!` clears.
TerminalSequences readable_words() {
  TerminalSequences words;
  words.clear = "\x01!";
  words.move = [](int row, int column) {
    return "\x01<" + std::to_string(row) + "," + std::to_string(column) + ">";
  };
  for (int i = 0; i < cell_style_count; ++i) {
    words.style[static_cast<std::size_t>(i)] =
        std::string("\x01{") + static_cast<char>('A' + i) + "}";
  }
  return words;
}

/// The shorter ways besides: `d` down, `b` back, `k` blanks the rest of the row, `>n>` to the
/// right.
TerminalSequences rich_words() {
  TerminalSequences words = readable_words();
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
  CellStyle style() const { return role_; }

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
    if (order == '{') role_ = static_cast<CellStyle>(bytes[1] - 'A');
    if (order == '<') {
      row_ = std::atoi(bytes.data() + 1);
      column_ = std::atoi(bytes.data() + bytes.find(',') + 1);
    }
    bytes.remove_prefix(bytes.find(order == '{' ? '}' : '>', 1) + 1);
  }

  Canvas screen_;
  CellStyle role_ = CellStyle::plain;
  int row_ = 0, column_ = 0;
};

TEST(DiffRenderer, LeavesExactlyTheLatestFrameOnTheScreen) {
  constexpr Size size{120, 40};
  SampleFleet fleet;
  SmallTerminal terminal(size);
  DiffRenderer renderer(rich_words());
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
    terminal.receive(renderer.paint(wanted));
    ASSERT_EQ(styled_text(terminal.screen()), styled_text(wanted)) << "step " << step;
  }
}

TEST(DiffRenderer, WritesNothingForTheSameFrameAndLittleForASmallChange) {
  Canvas before({80, 24});
  before.put(3, 4, "load 41%", CellStyle::good);
  DiffRenderer renderer(readable_words());
  renderer.paint(before);
  EXPECT_EQ(renderer.paint(before), "");
  Canvas after = before;
  after.put(3, 4, "load 42%", CellStyle::good);
  const std::string good = readable_words().style[static_cast<std::size_t>(CellStyle::good)];
  const std::string plain = readable_words().style[0];
  EXPECT_EQ(renderer.paint(after), "\x01<4,9>" + good + "2" + plain);
}

TEST(DiffRenderer, WideCharactersMayComeAndGo) {
  constexpr Size size{8, 1};
  DiffRenderer renderer(rich_words());
  const std::vector<const char*> texts = {"漢字漢字", "a漢字b", "abcdefgh", "漢bc漢de", "漢字漢字"};
  SmallTerminal terminal(size);
  terminal.receive(renderer.paint(Canvas(size)));
  for (const char* text : texts) {
    Canvas wanted(size);
    wanted.put(0, 0, text);
    terminal.receive(renderer.paint(wanted));
    ASSERT_EQ(terminal.screen().to_text(), wanted.to_text());
  }
}

TEST(DiffRenderer, LimitedTerminalsGetOnlyWhatTheyCanShow) {
  TerminalSequences words = readable_words();
  words.unicode = false;
  words.colours_rich = false;
  words.corner_scrolls = true;
  Canvas wanted({4, 1});
  wanted.put(0, 0, "─");
  wanted.put(1, 0, " ", CellStyle::heat7);
  wanted.put(2, 0, " ", CellStyle::fill_good);
  wanted.put(3, 0, "x");
  SmallTerminal terminal({4, 1});
  const std::string bytes = DiffRenderer(words).paint(wanted);
  terminal.receive(bytes);
  EXPECT_NE(bytes.find('?'), std::string::npos);
  EXPECT_NE(bytes.find('@'), std::string::npos) << "heat speaks by a character";
  EXPECT_EQ(bytes.find('x'), std::string::npos) << "the corner stays blank";
  words.cursor_shows = true;
  EXPECT_TRUE(DiffRenderer(words).paint(wanted).ends_with("\x01<0,0>"));
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
  }
}

TEST(DiffRenderer, TracksEveryCellHoweverFramesAreTruncated) {
  constexpr Size size{30, 9};
  RandomStream random(11);
  DiffRenderer renderer(rich_words());
  SmallTerminal terminal(size);
  Canvas wanted(size);
  int cut = 0;
  for (int step = 0; step < 3000; ++step) {
    if (step % 50 == 49) wanted = Canvas(size);
    scribble(random, wanted);
    const std::string bytes = renderer.paint(wanted, frame_bytes_min);
    ASSERT_LE(bytes.size(), frame_bytes_min);
    terminal.receive(bytes);
    ASSERT_EQ(terminal.style(), CellStyle::plain) << "step " << step;
    if (renderer.whole()) {
      ASSERT_EQ(styled_text(terminal.screen()), styled_text(wanted)) << "step " << step;
    } else {
      ++cut;
    }
    // Time to catch up, now and then.
    for (int more = 0; step % 10 == 9 && !renderer.whole(); ++more) {
      ASSERT_LT(more, 20) << "it does not come to an end";
      terminal.receive(renderer.paint(wanted, frame_bytes_min));
      if (renderer.whole()) {
        ASSERT_EQ(styled_text(terminal.screen()), styled_text(wanted)) << "step " << step;
      }
    }
  }
  EXPECT_GT(cut, 100);
}

TEST(DiffRenderer, EveryRowIsEventuallyDrawnWhileFramesAreTruncated) {
  constexpr Size size{60, 12};
  DiffRenderer renderer(rich_words());
  SmallTerminal terminal(size);
  std::vector<std::string> before(12);
  std::set<int> rows;
  for (int frame = 0; frame < 40; ++frame) {
    Canvas wanted(size);  // every cell of it new
    for (int row = 0; row < size.rows; ++row) {
      wanted.put(0, row, std::string(60, static_cast<char>('a' + frame % 26)));
    }
    terminal.receive(renderer.paint(wanted, frame_bytes_min));
    EXPECT_FALSE(renderer.whole());
    for (int row = 0; row < size.rows; ++row) {
      if (terminal.screen().at(30, row).text == wanted.at(30, row).text) rows.insert(row);
    }
  }
  EXPECT_EQ(rows.size(), 12u);
}

TEST(DiffRenderer, UsesTheShortestCursorMovement) {
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
    DiffRenderer renderer(rich_words());
    renderer.paint(canvas);
    canvas.put(11, 11, "ABC");
    canvas.put(c.column, c.row, c.text);
    EXPECT_EQ(renderer.paint(canvas), "\x01<11,11>\x01{A}ABC" + std::string(c.bytes)) << c.what;
  }
}

TEST(DiffRenderer, BlanksTheRestOfARowAtOnce) {
  Canvas canvas({40, 2});
  canvas.put(0, 0, std::string(40, 'x'), CellStyle::warm);
  DiffRenderer renderer(rich_words());
  renderer.paint(canvas);
  Canvas less({40, 2});
  less.put(0, 0, "xx", CellStyle::warm);
  EXPECT_EQ(renderer.paint(less), "\x01<0,2>\x01{A}\x01k");
  EXPECT_EQ(renderer.paint(less), "");
}

TEST(DiffRenderer, BlanksThatLookTheSameAreNotRedrawn) {
  TerminalSequences words = rich_words();
  for (std::string& style : words.style) style = "\x1b[m";
  words.style[static_cast<std::size_t>(CellStyle::warm)] = "\x1b[m\x1b[33m";
  words.style[static_cast<std::size_t>(CellStyle::selected)] = "\x1b[m\x1b[44m";
  DiffRenderer renderer(words);
  Canvas canvas({10, 1});
  renderer.paint(canvas);
  canvas.fill({0, 0, 10, 1}, " ", CellStyle::warm);
  EXPECT_EQ(renderer.paint(canvas), "");
  canvas.put(0, 0, "a", CellStyle::warm);
  canvas.put(2, 0, "b", CellStyle::warm);
  EXPECT_EQ(renderer.paint(canvas), "\x01<0,0>\x1b[m\x1b[33ma b\x1b[m") << "one change of colour";
  canvas.fill({4, 0, 3, 1}, " ", CellStyle::selected);
  EXPECT_EQ(renderer.paint(canvas), "\x01<0,4>\x1b[m\x1b[44m   \x1b[m");
}

}  // namespace
}  // namespace drover::tui
