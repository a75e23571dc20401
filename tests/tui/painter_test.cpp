// What is written to the terminal, read back by the smallest of all terminals.
#include "tui/painter.h"

#include <cctype>

#include <gtest/gtest.h>

#include "fleet/text.h"
#include "tests/tui/sample_fleet.h"
#include "tui/palette.h"

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

 private:
  void obey(std::string_view& bytes) {
    const char order = bytes.front();
    if (order == '!') {
      screen_ = Canvas(screen_.size());
      bytes.remove_prefix(1);
      return;
    }
    if (order == '{') role_ = static_cast<Role>(bytes[1] - 'A');
    if (order == '<') {
      row_ = std::atoi(bytes.data() + 1);
      column_ = std::atoi(bytes.data() + bytes.find(',') + 1);
    }
    bytes.remove_prefix(bytes.find(order == '{' ? '}' : '>') + 1);
  }

  Canvas screen_;
  Role role_ = Role::plain;
  int row_ = 0, column_ = 0;
};

TEST(Painter, LeavesExactlyTheFrameOnTheScreenHoweverFramesFollow) {
  constexpr Size size{120, 40};
  SampleFleet fleet;
  SmallTerminal terminal(size);
  const TerminalWords words = readable_words();
  const auto dashboard = dashboard_of(fleet, size, "fleet", false, 5);
  Canvas shown({0, 0});
  bool first = true;
  for (int step = 0; step < 60; ++step) {
    const Instant now = SampleFleet::start + std::chrono::seconds(5 + step);
    for (const Envelope& batch : fleet.samples(5 + step)) {
      dashboard->receive(now, publish_peer, batch);
    }
    for (const char* key : {"Tab", "j", "Enter"}) {
      if (step % 3 == 0) dashboard->press(now, {key});
    }
    const Canvas& wanted = dashboard->draw(now);
    terminal.receive(paint(words, first ? nullptr : &shown, wanted));
    first = false;
    shown = wanted;
    ASSERT_EQ(terminal.screen().to_styled_text(), wanted.to_styled_text()) << "step " << step;
  }
}

TEST(Painter, WritesNothingForTheSameFrameAndLittleForALittle) {
  Canvas before({80, 24});
  before.put(3, 4, "load 41%", Role::good);
  EXPECT_EQ(paint(readable_words(), &before, before), "");
  Canvas after = before;
  after.put(3, 4, "load 42%", Role::good);
  const std::string good = readable_words().role[static_cast<std::size_t>(Role::good)];
  const std::string plain = readable_words().role[0];
  EXPECT_EQ(paint(readable_words(), &before, after), "\x01<4,9>" + good + "2" + plain);
}

TEST(Painter, WideCharactersMayComeAndGo) {
  constexpr Size size{8, 1};
  const TerminalWords words = readable_words();
  const std::vector<const char*> texts = {"漢字漢字", "a漢字b", "abcdefgh", "漢bc漢de", "漢字漢字"};
  Canvas shown(size);
  SmallTerminal terminal(size);
  terminal.receive(paint(words, nullptr, shown));
  for (const char* text : texts) {
    Canvas wanted(size);
    wanted.put(0, 0, text);
    terminal.receive(paint(words, &shown, wanted));
    ASSERT_EQ(terminal.screen().to_text(), wanted.to_text());
    shown = wanted;
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
  const std::string bytes = paint(words, nullptr, wanted);
  terminal.receive(bytes);
  EXPECT_NE(bytes.find('?'), std::string::npos);
  EXPECT_NE(bytes.find('@'), std::string::npos) << "heat speaks by a character";
  EXPECT_EQ(bytes.find('x'), std::string::npos) << "the corner stays blank";
  words.cursor_shows = true;
  EXPECT_TRUE(paint(words, nullptr, wanted).ends_with("\x01<0,0>"));
}

}  // namespace
}  // namespace drover::tui
