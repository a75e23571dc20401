// A terminal that takes bytes slowly, or not at all.
#include "tui/terminal/frame_stream.h"

#include <gtest/gtest.h>

#include "tests/tui/terminal/small_terminal.h"

namespace drover::tui {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<CursesScreen> plain_screen() {
  auto screen = CursesScreen::open("xterm", {.colours = Colours::none});
  DROVER_REQUIRE(screen);
  return std::move(*screen);
}

Canvas canvas_of(std::string_view text) {
  Canvas canvas({40, 4});
  canvas.put(0, 0, text);
  return canvas;
}

TEST(FrameStream, SendsOneFrameAtATime) {
  FrameStream stream(plain_screen(), {});
  EXPECT_TRUE(stream.ready());
  stream.show(canvas_of("abc"), 1000ms);
  EXPECT_EQ(stream.pending(), "\x1b[H\x1b[2Jabc");
  EXPECT_FALSE(stream.ready());
  stream.sent(4);
  EXPECT_EQ(stream.pending(), "[2Jabc");
  EXPECT_EQ(stream.stats(1250ms).backlog_age, 250ms);
  stream.sent(6);
  EXPECT_TRUE(stream.ready());
  const TerminalStats stats = stream.stats(1300ms);
  EXPECT_EQ(stats.backlog_age, 0ms);
  EXPECT_EQ(stats.bytes, 10u);
  EXPECT_EQ(stats.frame_bytes, 10u);
  stream.show(canvas_of("abd"), 1300ms);
  EXPECT_EQ(stream.pending(), "\bd") << "what went is what stands there";
}

TEST(FrameStream, TheBellRingsOnceWithTheNextFrame) {
  FrameStream stream(plain_screen(), {});
  stream.ring();
  stream.show(canvas_of("abc"), 1000ms);
  EXPECT_EQ(stream.pending(), "\x1b[H\x1b[2Jabc\a");
  stream.sent(stream.pending().size());
  stream.ring();
  stream.show(canvas_of("abc"), 1250ms);
  EXPECT_EQ(stream.pending(), "\a") << "though nothing else has changed";
  stream.sent(1);
  stream.show(canvas_of("abc"), 1500ms);
  EXPECT_EQ(stream.pending(), "");
}

TEST(FrameStream, CountsTheFramesSkippedWhileSending) {
  FrameStream stream(plain_screen(), {});
  stream.show(canvas_of("abc"), 1000ms);
  for (auto now = 1001ms; now < 2001ms; now += 10ms) stream.skip(now);
  EXPECT_EQ(stream.stats(2001ms).frames_skipped, 4u) << "at their pace, not at the loop's";
  stream.sent(stream.pending().size());
  stream.show(canvas_of("abd"), 2010ms);
  stream.skip(2011ms);
  EXPECT_EQ(stream.stats(2011ms).frames_skipped, 5u);
  EXPECT_EQ(stream.stats(2011ms).frames_drawn, 2u);
}

TEST(FrameStream, ALongFrameIsSentInPieces) {
  Canvas canvas({80, 24});
  for (int row = 0; row < 24; ++row)
    canvas.put(0, row, std::string(80, static_cast<char>('a' + row)));
  FrameStream stream(plain_screen(), {.bytes_per_frame = 512});
  int pieces = 0;
  for (auto now = 0ms; pieces == 0 || stream.cut(); now += 100ms) {
    stream.show(canvas, now);
    ASSERT_LE(stream.pending().size(), 512u);
    ASSERT_FALSE(stream.cut()) << "the piece has not gone";
    stream.sent(stream.pending().size());
    ASSERT_LT(++pieces, 10);
  }
  EXPECT_GE(pieces, 4) << "1920 characters";
  stream.show(canvas, 9000ms);
  EXPECT_EQ(stream.pending(), "") << "all of it stands there";
}

/// Every cell differs from that of the number before.
Canvas busy_canvas(int number) {
  Canvas canvas({80, 24});
  for (int row = 0; row < 24; ++row)
    canvas.put(0, row, std::string(80, static_cast<char>('a' + (row + number) % 26)));
  return canvas;
}

/// Shows frames as a dashboard's loop does, and answers the bytes that were sent.
std::size_t send_for(FrameStream& stream, FrameStream::SteadyTime& now,
                     FrameStream::SteadyTime how_long, int changes_per_s) {
  std::size_t bytes = 0;
  for (const auto end = now + how_long; now < end; now += 10ms) {
    const bool due = now.count() % 250 == 0 || (stream.cut() && now >= stream.rest_at());
    if (!due) continue;
    stream.show(busy_canvas(static_cast<int>(now.count() * changes_per_s / 1000)), now);
    bytes += stream.pending().size();
    stream.sent(stream.pending().size());
  }
  return bytes;
}

TEST(FrameStream, OverANetworkABusyScreenStaysBelowItsBytesPerSecond) {
  FrameStream stream(plain_screen(), {frame_bytes_remote, bytes_per_s_remote});
  auto now = 0ms;
  EXPECT_GE(send_for(stream, now, 50ms, 0), 1920u) << "the first screen comes at once";
  EXPECT_LE(send_for(stream, now, 10s, 4), 10 * 4096u) << "all cells change four times a second";
  stream.hurry(now);
  EXPECT_GE(send_for(stream, now, 500ms, 4), 2 * 1920u) << "answers to keys do not wait";
  send_for(stream, now, 1500ms, 0);
  EXPECT_LE(send_for(stream, now, 10s, 4), 10 * 4096u);
}

TEST(FrameStream, AScreenThatIsNeverWholeIsLimitedAsWell) {
  FrameStream stream(plain_screen(), {frame_bytes_remote, bytes_per_s_remote});
  std::size_t bytes = 0;
  for (auto now = 0ms; now < 20s; now += 10ms) {
    if (now.count() % 250 != 0 && (!stream.cut() || now < stream.rest_at())) continue;
    Canvas canvas({200, 60});
    const char letter = static_cast<char>('a' + now.count() / 50 % 26);
    for (int row = 0; row < 60; ++row) canvas.put(0, row, std::string(200, letter));
    stream.show(canvas, now);
    if (now >= 10s) bytes += stream.pending().size();
    stream.sent(stream.pending().size());
  }
  EXPECT_GT(bytes, 20'000u);
  EXPECT_LE(bytes, 10 * 4096u) << "12,000 cells change 20 times a second";
}

TEST(FrameStream, WhatWasHeldBackIsShownWhenTheScreenRests) {
  FrameStream stream(plain_screen(), {frame_bytes_remote, bytes_per_s_remote});
  auto now = 0ms;
  send_for(stream, now, 5s, 4);
  send_for(stream, now, 3s, 0);
  stream.show(busy_canvas(0), now);
  EXPECT_EQ(stream.pending(), "") << "all of it stands there";
}

TEST(FrameStream, ADroppedFrameIsRepaintedInFull) {
  FrameStream stream(plain_screen(), {});
  stream.show(canvas_of("abc"), 0ms);
  EXPECT_FALSE(stream.drop()) << "nothing of it had gone";
  stream.show(canvas_of("abc"), 0ms);
  EXPECT_EQ(stream.pending(), "\x1b[H\x1b[2Jabc");
  stream.sent(3);
  EXPECT_TRUE(stream.drop()) << "within a sequence, perhaps";
  stream.begin_with("(in)");
  EXPECT_FALSE(stream.ready());
  stream.sent(4);
  stream.show(canvas_of("abc"), 0ms);
  EXPECT_EQ(stream.pending(), "\x1b[H\x1b[2Jabc");
}

TEST(FrameStream, ANewLookRepaintsTheScreen) {
  FrameStream stream(plain_screen(), {});
  Canvas canvas({40, 4});
  canvas.put(0, 0, "abc", CellStyle::title);
  for (const Theme theme : {Theme::light, Theme::contrast, Theme::dark}) {
    stream.restyle("xterm-256color", {.theme = theme}, {});
    stream.show(canvas, 0ms);
    SmallTerminal terminal({40, 4});
    terminal.receive(stream.pending());
    expect_shown(terminal, canvas, theme, Colours::many);
    stream.sent(stream.pending().size());
  }
}

}  // namespace
}  // namespace drover::tui
