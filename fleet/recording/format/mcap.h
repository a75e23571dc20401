// The records of MCAP (https://mcap.dev/spec) that recordings use.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/recording/format/bytes.h"
#include "fleet/recording/format/recording.h"

namespace drover::recording {

inline constexpr std::string_view magic = "\x89MCAP0\r\n";
inline constexpr std::size_t head_bytes = 9;  // of a record: its opcode and its length
inline constexpr std::size_t footer_bytes = head_bytes + 20;

enum class Opcode : std::uint8_t {
  header = 1,
  footer,
  schema,
  channel,
  message,
  chunk,
  message_index,
  chunk_index,
  attachment,
  attachment_index,
  statistics,
  metadata,
  metadata_index,
  summary_offset,
  data_end,
};

/// Limit of a chunk's records, compressed and uncompressed.
inline constexpr std::uint64_t chunk_bytes_max = 64u << 20;
inline constexpr std::uint64_t summary_bytes_max = 1u << 30;

using TextMap = std::map<std::string, std::string>;

struct ChunkIndex {
  Instant start{};
  Instant end{};
  std::uint64_t offset = 0;
  std::uint64_t length = 0;                                // of the whole record
  std::map<std::uint16_t, std::uint64_t> message_indexes;  // channel to offset
  std::uint64_t message_index_bytes = 0;
  std::string compression;
  std::uint64_t packed_bytes = 0;
  std::uint64_t records_bytes = 0;

  bool holds(RecordingChannel channel) const {
    return message_indexes.contains(static_cast<std::uint16_t>(channel));
  }
  std::uint64_t behind() const { return offset + length + message_index_bytes; }
};

/// The fields of a chunk record before its records.
struct ChunkHead {
  Instant start{};
  Instant end{};
  std::uint64_t records_bytes = 0;
  std::uint32_t crc = 0;
  std::string_view compression;
  std::uint64_t packed_bytes = 0;
};

struct MessageView {
  std::uint16_t channel = 0;
  std::uint32_t sequence = 0;
  Instant log_time{};
  std::string_view data;
  std::uint64_t offset = 0;  // of its record within the chunk's records
};

struct Statistics {
  std::uint64_t messages = 0;
  Instant start{};
  Instant end{};
  std::map<std::uint16_t, std::uint64_t> by_channel;
};

inline std::uint64_t bits_of(Instant instant) {
  return static_cast<std::uint64_t>(instant.time_since_epoch().count());
}
inline Instant instant_of(std::uint64_t bits) {
  return Instant{Duration{static_cast<std::int64_t>(bits)}};
}

/// The saturated difference: instants of a file may be arbitrarily far apart.
Duration apart(Instant first, Instant last);

std::string record(Opcode opcode, std::string_view content);
/// A metadata record with the CRC-32 of its entries as a further entry: MCAP has none for metadata.
std::string metadata_record(std::string_view name, const TextMap& map);
struct Metadata {
  std::string name;
  TextMap map;           // without the CRC-32
  bool checked = false;  // it had a correct CRC-32
};
/// Parses a metadata record's content. One without CRC-32 is accepted.
Result<Metadata> read_metadata(std::string_view content);
std::string chunk_index_record(const ChunkIndex& index);
Result<ChunkIndex> parse_chunk_index(std::string_view content);
/// Parses the head of a chunk from the first bytes of its content. An error on unknown compressions
/// and on sizes beyond the limits.
Result<ChunkHead> parse_chunk_head(Cursor& cursor);
/// The decompressed and checked records in a chunk record's content.
Result<std::string> chunk_records(std::string_view content);
Result<std::vector<MessageView>> messages_in(std::string_view records);

}  // namespace drover::recording
