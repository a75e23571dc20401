#include "agents/watch/reading_frames.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include "fleet/codec/boards.h"
#include "fleet/codec/messages.h"
#include "fleet/codec/structs.h"

namespace drover::agents {
namespace {

constexpr std::size_t length_bytes = 4;
constexpr std::size_t xids_max = 256;

/// What a BoardReading has besides its values.
struct FrameBoard {
  std::string identity;
  std::optional<std::uint16_t> index;
  std::uint8_t device_class = 0;
  std::string vendor;
  Board board;
  std::vector<std::uint32_t> xids;
  std::string lost;
  bool operator==(const FrameBoard&) const = default;
};

struct Frame {
  std::string failure;
  std::vector<FrameBoard> boards;
  SampleBatch values;  // the devices are places in `boards`
};

}  // namespace
}  // namespace drover::agents

namespace drover::codec {

template <>
inline constexpr auto layout<agents::FrameBoard> = structure(
    "FrameBoard", field("identity", &agents::FrameBoard::identity, as_line),
    field("index", &agents::FrameBoard::index), field("class", &agents::FrameBoard::device_class),
    field("vendor", &agents::FrameBoard::vendor, as_line),
    field("board", &agents::FrameBoard::board),
    field("xids", &agents::FrameBoard::xids, up_to(agents::xids_max)),
    field("lost", &agents::FrameBoard::lost, as_line));

template <>
inline constexpr auto layout<agents::Frame> =
    structure("Frame", field("failure", &agents::Frame::failure, as_text),
              field("boards", &agents::Frame::boards, up_to(agents::frame_boards_max)),
              field("values", &agents::Frame::values));

}  // namespace drover::codec

namespace drover::agents {
namespace {

/// A batch wants the name of a host; the receiver knows its own.
constexpr const char* this_host = "here";

Frame frame_from(const TargetNews& news) {
  Frame frame;
  frame.failure = news.failure;
  frame.values.host = this_host;
  if (news.hosts.empty()) return frame;
  std::vector<Sample> rows;
  for (const BoardReading& reading : news.hosts.front().boards) {
    if (rows.size() == frame_boards_max) break;
    std::vector<std::uint32_t> xids = reading.xids;
    xids.resize(std::min(xids.size(), xids_max));
    frame.boards.push_back({reading.identity, reading.index,
                            static_cast<std::uint8_t>(reading.device_class), reading.vendor,
                            reading.board, std::move(xids), reading.lost});
    rows.push_back(reading.values);
    rows.back().device = static_cast<std::uint16_t>(rows.size() - 1);
  }
  frame.values = pack(this_host, rows, SampleSteps::of_drivers);
  return frame;
}

Result<TargetNews> news_of(Frame frame) {
  DROVER_TRY(check(frame.values));
  TargetNews news;
  news.failure = std::move(frame.failure);
  if (!news.failure.empty()) return news;
  HostReading& host = news.hosts.emplace_back();
  for (FrameBoard& sent : frame.boards) {
    if (sent.device_class > static_cast<std::uint8_t>(DeviceClass::tpu)) {
      return error("Frame.boards.class: found {}, expected that of a GPU or TPU",
                   sent.device_class);
    }
    BoardReading& reading = host.boards.emplace_back();
    reading.identity = std::move(sent.identity);
    reading.index = sent.index;
    reading.device_class = static_cast<DeviceClass>(sent.device_class);
    reading.vendor = std::move(sent.vendor);
    reading.board = std::move(sent.board);
    reading.xids = std::move(sent.xids);
    reading.lost = std::move(sent.lost);
  }
  for (const Sample& row : unpack(frame.values)) {
    if (row.device < host.boards.size()) host.boards[row.device].values = row;
  }
  return news;
}

Result<TargetNews> read_frame(std::string_view bytes) try {
  codec::Reader reader(bytes);
  Frame frame;
  if (!codec::read(reader, frame, codec::plain)) {
    reader.within("Frame");
    return reader.problem();
  }
  if (reader.left() > 0) {
    return error("Frame: found {} bytes after the reading, expected none", reader.left());
  }
  return news_of(std::move(frame));
} catch (const std::exception& problem) {
  return error("Frame: {}", problem.what());
}

std::size_t length_in(std::string_view bytes) {
  std::size_t length = 0;
  for (const char byte : bytes.substr(0, length_bytes))
    length = length << 8 | static_cast<unsigned char>(byte);
  return length;
}

}  // namespace

Result<std::string> frame_of(const TargetNews& news) {
  codec::Output output;
  output.bytes.assign(length_bytes, '\0');
  codec::Packer packer(output);
  codec::write(packer, frame_from(news), codec::plain);
  const std::size_t length = output.bytes.size() - length_bytes;
  if (length > frame_bytes_max) {
    return error("the reading of this host has {} bytes, expected at most {}", length,
                 frame_bytes_max);
  }
  for (std::size_t at = 0; at < length_bytes; ++at)
    output.bytes[at] = static_cast<char>(length >> 8 * (length_bytes - 1 - at));
  return std::move(output.bytes);
}

Result<std::vector<TargetNews>> FrameReader::take(std::string_view bytes) {
  std::vector<TargetNews> all;
  waiting_ += bytes;
  std::string_view left = waiting_;
  while (left.size() >= length_bytes) {
    const std::size_t length = length_in(left);
    if (length > frame_bytes_max) {
      return error("a reading of {} bytes was announced, expected at most {}", length,
                   frame_bytes_max);
    }
    if (left.size() - length_bytes < length) break;
    DROVER_ASSIGN(auto news, read_frame(left.substr(length_bytes, length)));
    all.push_back(std::move(news));
    left.remove_prefix(length_bytes + length);
  }
  waiting_.erase(0, waiting_.size() - left.size());
  return all;
}

}  // namespace drover::agents
