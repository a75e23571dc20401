// Divides the bytes of a chunk among its channels, in proportion to their messages.
#include <algorithm>

#include "fleet/recording/reader.h"

namespace drover {
namespace recording {
namespace {

struct Begins {
  std::uint64_t offset = 0;
  std::uint16_t channel = 0;
};

// The offsets of the chunk's messages, in order; empty when its indexes cannot be read.
std::vector<Begins> messages_of(ByteSource& source, const ChunkIndex& chunk) {
  std::vector<Begins> messages;
  const Result<std::string> bytes =
      bytes_of(source, chunk.offset + chunk.length, chunk.message_index_bytes, chunk_bytes_max);
  if (!bytes) return messages;
  Cursor cursor(*bytes);
  while (!cursor.at_end()) {
    cursor.u8();
    Cursor content(cursor.raw(cursor.u64()));
    const std::uint16_t channel = content.u16();
    Cursor entries(content.text());
    while (!entries.at_end() && !entries.failed()) {
      entries.u64();
      messages.push_back({entries.u64(), channel});
    }
    if (cursor.failed() || content.failed() || entries.failed()) return {};
  }
  std::sort(messages.begin(), messages.end(),
            [](const Begins& a, const Begins& b) { return a.offset < b.offset; });
  return messages;
}

/// Bytes by channel. A chunk with several channels is not read: its message indexes have the offset
/// of each message. When they cannot be read, all channels get equal shares.
std::map<std::uint16_t, std::uint64_t> bytes_by_channel(ByteSource& source,
                                                        const ChunkIndex& chunk) {
  std::map<std::uint16_t, std::uint64_t> bytes;
  std::vector<Begins> messages;
  if (chunk.message_indexes.size() > 1) messages = messages_of(source, chunk);
  if (messages.empty()) {
    for (const auto& [channel, offset] : chunk.message_indexes) {
      bytes[channel] = chunk.length / chunk.message_indexes.size();
    }
    return bytes;
  }
  std::map<std::uint16_t, std::uint64_t> unpacked;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::uint64_t end =
        i + 1 < messages.size() ? messages[i + 1].offset : chunk.records_bytes;
    unpacked[messages[i].channel] += end - std::min(end, messages[i].offset);
  }
  const double packing = static_cast<double>(chunk.length) /
                         static_cast<double>(std::max<std::uint64_t>(1, chunk.records_bytes));
  for (const auto& [channel, size] : unpacked) {
    bytes[channel] = static_cast<std::uint64_t>(static_cast<double>(size) * packing);
  }
  return bytes;
}

}  // namespace
}  // namespace recording

std::map<RecordingChannel, std::uint64_t> RecordingReader::channel_bytes() {
  std::map<RecordingChannel, std::uint64_t> bytes;
  for (const recording::ChunkIndex& chunk : index_.chunks) {
    for (const auto& [channel, size] : recording::bytes_by_channel(source_, chunk)) {
      bytes[static_cast<RecordingChannel>(channel)] += size;
    }
  }
  return bytes;
}

}  // namespace drover
