// Readings through a pipe: what arrives is what was sent, in whatever pieces; and bytes that are
// cut, too many or nonsense end the stream with their reason.
#include "agents/watch/reading_frames.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace drover::agents::frames {
namespace {

BoardReading board(const std::string& identity) {
  BoardReading reading;
  reading.identity = identity;
  reading.index = 3;
  reading.device_class = DeviceClass::tpu;
  reading.vendor = "nvidia";
  reading.board.name = "NVIDIA H100 80GB HBM3";
  reading.board.power_cap_max_w = 700;
  reading.board.missing = {{static_cast<std::uint8_t>(Metric::fan), "has none"}};
  reading.board.processes = {{42, "ann", "python3", "ann", 5e9, 0.5}};
  reading.board.processes_known = true;
  reading.values[Metric::power] = 698.4;
  reading.values[Metric::memory_used] = 74'448'896'000;
  reading.xids = {79, 31};
  return reading;
}

TargetNews news(std::vector<BoardReading> boards) {
  TargetNews all;
  all.hosts.push_back({"", {}, std::move(boards)});
  return all;
}

std::string frame(const TargetNews& all) {
  auto bytes = frame_of(all);
  EXPECT_TRUE(bytes);
  return bytes ? *bytes : "";
}

std::string problem(std::string_view bytes) {
  FrameReader reader;
  const auto all = reader.take(bytes);
  return all ? fmt::format("{} readings", all->size()) : all.error().message;
}

std::string with_length(std::uint32_t length, const std::string& bytes) {
  std::string all;
  for (int shift = 24; shift >= 0; shift -= 8) all += static_cast<char>(length >> shift);
  return all + bytes;
}

TEST(ReadingFrames, CarryAReading) {
  BoardReading lost = board("GPU-2");
  lost.index.reset();
  lost.lost = "GPU is lost";
  lost.values = {};
  FrameReader reader;
  const auto all = reader.take(frame(news({board("GPU-1"), lost})));
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 1u);
  ASSERT_EQ(all->front().hosts.size(), 1u);
  const std::vector<BoardReading>& boards = all->front().hosts[0].boards;
  ASSERT_EQ(boards.size(), 2u);
  EXPECT_EQ(boards[0].identity, "GPU-1");
  EXPECT_EQ(boards[0].index, 3);
  EXPECT_EQ(boards[0].device_class, DeviceClass::tpu);
  EXPECT_EQ(boards[0].vendor, "nvidia");
  EXPECT_EQ(boards[0].board, board("").board);
  EXPECT_EQ(boards[0].xids, (std::vector<std::uint32_t>{79, 31}));
  EXPECT_NEAR(boards[0].values[Metric::power], 698.4, 0.01);
  EXPECT_EQ(boards[0].values[Metric::memory_used], 74'448'896'000);
  EXPECT_TRUE(std::isnan(boards[0].values[Metric::fan]));
  EXPECT_EQ(boards[1].lost, "GPU is lost");
  EXPECT_FALSE(boards[1].index);
  EXPECT_TRUE(std::isnan(boards[1].values[Metric::power]));
}

TEST(ReadingFrames, CarryAFailureInsteadOfAReading) {
  FrameReader reader;
  const auto all = reader.take(frame({"", {}, "no device found on this machine"}));
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 1u);
  EXPECT_EQ(all->front().failure, "no device found on this machine");
  EXPECT_TRUE(all->front().hosts.empty());
}

TEST(ReadingFrames, ComeInWhateverPieces) {
  const std::string bytes = frame(news({board("GPU-1")})) + frame(news({})) +
                            frame(news({board("GPU-1"), board("GPU-2")}));
  FrameReader reader;
  std::vector<std::size_t> boards;
  for (const char byte : bytes) {
    const auto all = reader.take(std::string_view(&byte, 1));
    ASSERT_TRUE(all) << all.error().message;
    for (const TargetNews& each : *all) boards.push_back(each.hosts[0].boards.size());
  }
  EXPECT_EQ(boards, (std::vector<std::size_t>{1, 0, 2}));
  EXPECT_EQ(problem(bytes), "3 readings");
  EXPECT_EQ(problem(bytes.substr(0, bytes.size() - 1)), "2 readings");
}

TEST(ReadingFrames, AnAnnouncedLengthIsCheckedBeforeAnythingIsKept) {
  EXPECT_EQ(problem(with_length(0xFFFFFFFF, "")),
            "a reading of 4294967295 bytes was announced, expected at most 1048576");
  // What a shell prints in place of readings.
  EXPECT_NE(problem("bash: drover: command not found").find("was announced"), std::string::npos);
}

TEST(ReadingFrames, BytesThatAreNoReadingEndTheStream) {
  EXPECT_NE(problem(with_length(3, "abc")).find("Frame"), std::string::npos);
  EXPECT_NE(problem(with_length(0, "")).find("Frame"), std::string::npos);
  const std::string good = frame(news({board("GPU-1")})).substr(4);
  const auto length = static_cast<std::uint32_t>(good.size());
  EXPECT_EQ(problem(with_length(length, good)), "1 readings");
  EXPECT_NE(problem(with_length(length - 1, good)).find("found"), std::string::npos);
  EXPECT_EQ(problem(with_length(length + 1, good + "\x01")),
            "Frame: found 1 bytes after the reading, expected none");
  // Whatever byte is changed: a reading, or a reason; never a crash.
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
      std::string changed = good;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      EXPECT_NE(problem(with_length(length, changed)), "") << at;
    }
  }
}

TEST(ReadingFrames, HaveLimits) {
  EXPECT_EQ(problem(frame(news(std::vector<BoardReading>(frame_boards_max + 10, board("x"))))),
            "1 readings");
  std::vector<BoardReading> large(frame_boards_max, board("x"));
  for (BoardReading& reading : large) {
    reading.board.processes.assign(device_processes_max,
                                   {1, std::string(200, 'u'), std::string(200, 'n'), "", 1, 1});
  }
  const auto refused = frame_of(news(large));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("expected at most 1048576"), std::string::npos);
}

}  // namespace
}  // namespace drover::agents::frames
