#include "fleet/recording/format/mcap.h"

#include <algorithm>
#include <limits>

#include "fleet/base/text.h"

namespace drover::recording {
namespace {

Status check_sizes(std::string_view compression, std::uint64_t packed, std::uint64_t unpacked) {
  if (!compression.empty() && compression != "zstd") {
    return error("compression: found {}, expected zstd or none", excerpt(compression));
  }
  if (packed > chunk_bytes_max || unpacked > chunk_bytes_max) {
    return error("chunk: found {} bytes ({} unpacked), expected at most {}", packed, unpacked,
                 chunk_bytes_max);
  }
  if (compression.empty() && packed != unpacked) {
    return error("chunk: found {} bytes, expected {}", packed, unpacked);
  }
  return {};
}

}  // namespace

Duration apart(Instant first, Instant last) {
  const std::uint64_t distance = bits_of(last) - bits_of(first);
  return Duration{static_cast<std::int64_t>(
      std::min<std::uint64_t>(distance, std::numeric_limits<std::int64_t>::max()))};
}

std::string record(Opcode opcode, std::string_view content) {
  Bytes bytes;
  bytes.u8(static_cast<std::uint8_t>(opcode)).u64(content.size()).raw(content);
  return bytes.take();
}

namespace {

constexpr std::string_view checksum_key = "crc32";

std::string entries_of(const TextMap& map) {
  Bytes entries;
  for (const auto& [key, value] : map) entries.text(key).text(value);
  return entries.take();
}

std::string checksum_of(const TextMap& map) {
  return fmt::format("{:08x}", crc32_of(entries_of(map)));
}

}  // namespace

std::string metadata_record(std::string_view name, const TextMap& map) {
  TextMap checked = map;
  checked.emplace(checksum_key, checksum_of(map));
  return record(Opcode::metadata, Bytes().text(name).text(entries_of(checked)).view());
}

Result<Metadata> read_metadata(std::string_view content) {
  Cursor cursor(content);
  Metadata metadata;
  metadata.name = cursor.text();
  Cursor entries(cursor.text());
  while (!entries.at_end() && !entries.failed()) {
    const std::string key(entries.text());
    metadata.map[key] = entries.text();
  }
  if (cursor.failed() || entries.failed() || !cursor.at_end()) {
    return error("metadata: the length is wrong");
  }
  const auto checksum = metadata.map.extract(std::string(checksum_key));
  if (checksum && checksum.mapped() != checksum_of(metadata.map)) {
    return error("metadata {}: found CRC-32 {}, expected {}", excerpt(metadata.name),
                 checksum_of(metadata.map), excerpt(checksum.mapped()));
  }
  metadata.checked = !checksum.empty();
  return metadata;
}

std::string chunk_index_record(const ChunkIndex& index) {
  Bytes offsets;
  for (const auto& [channel, offset] : index.message_indexes) offsets.u16(channel).u64(offset);
  Bytes content;
  content.u64(bits_of(index.start)).u64(bits_of(index.end)).u64(index.offset).u64(index.length);
  content.text(offsets.view()).u64(index.message_index_bytes).text(index.compression);
  content.u64(index.packed_bytes).u64(index.records_bytes);
  return record(Opcode::chunk_index, content.view());
}

Result<ChunkIndex> parse_chunk_index(std::string_view content) {
  Cursor cursor(content);
  ChunkIndex index;
  index.start = instant_of(cursor.u64());
  index.end = instant_of(cursor.u64());
  index.offset = cursor.u64();
  index.length = cursor.u64();
  Cursor offsets(cursor.text());
  while (!offsets.at_end() && !offsets.failed()) {
    const std::uint16_t channel = offsets.u16();
    index.message_indexes[channel] = offsets.u64();
  }
  index.message_index_bytes = cursor.u64();
  index.compression = cursor.text();
  index.packed_bytes = cursor.u64();
  index.records_bytes = cursor.u64();
  if (cursor.failed() || offsets.failed()) return error("chunk index: the data ends too early");
  DROVER_TRY(check_sizes(index.compression, index.packed_bytes, index.records_bytes));
  return index;
}

Result<ChunkHead> parse_chunk_head(Cursor& cursor) {
  ChunkHead head;
  head.start = instant_of(cursor.u64());
  head.end = instant_of(cursor.u64());
  head.records_bytes = cursor.u64();
  head.crc = cursor.u32();
  head.compression = cursor.text();
  head.packed_bytes = cursor.u64();
  if (cursor.failed()) return error("chunk: the data ends too early");
  DROVER_TRY(check_sizes(head.compression, head.packed_bytes, head.records_bytes));
  return head;
}

Result<std::string> chunk_records(std::string_view content) {
  Cursor cursor(content);
  DROVER_ASSIGN(const auto head, parse_chunk_head(cursor));
  const std::string_view packed = cursor.raw(head.packed_bytes);
  if (cursor.failed()) return error("chunk: the data ends too early");
  std::string records;
  if (head.compression.empty()) {
    records = packed;
  } else {
    // The frame's own header is checked first, so that no memory is allocated for a wrong size.
    if (packed.size() < 5) return error("chunk: found {} bytes of zstd", packed.size());
    records.resize(head.records_bytes);
    DROVER_TRY(decompress(packed, records));
  }
  if (head.crc != 0) {
    const std::uint32_t crc = crc32_of(records);
    if (crc != head.crc) {
      return error("chunk: found CRC-32 {:08x}, expected {:08x}", crc, head.crc);
    }
  }
  return records;
}

Result<std::vector<MessageView>> messages_in(std::string_view records) {
  std::vector<MessageView> messages;
  Cursor cursor(records);
  while (!cursor.at_end()) {
    const std::size_t offset = cursor.at();
    const std::uint8_t opcode = cursor.u8();
    Cursor content(cursor.raw(cursor.u64()));
    if (cursor.failed()) return error("chunk, byte {}: found a record cut short", offset);
    if (opcode != static_cast<std::uint8_t>(Opcode::message)) continue;
    MessageView message;
    message.channel = content.u16();
    message.sequence = content.u32();
    message.log_time = instant_of(content.u64());
    content.u64();  // the time of publishing
    message.data = content.raw(content.left());
    message.offset = offset;
    if (content.failed()) return error("chunk, byte {}: found a message cut short", offset);
    messages.push_back(message);
  }
  return messages;
}

}  // namespace drover::recording
