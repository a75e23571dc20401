#include "fleet/recording/index.h"

#include <algorithm>

#include "fleet/recording/survey.h"

namespace drover::recording {
namespace {

// The first metadata record is within these first bytes of the file.
constexpr std::uint64_t beginning_bytes = 64u << 10;

struct Footer {
  std::uint64_t summary_start = 0;
  std::uint32_t crc = 0;
};

Result<Footer> read_footer(ByteSource& source) {
  constexpr std::uint64_t bytes = footer_bytes + magic.size();
  if (source.size() < bytes) return error("found no footer");
  DROVER_ASSIGN(const auto end, bytes_of(source, source.size() - bytes, bytes, bytes));
  Cursor cursor(end);
  const bool footer =
      cursor.u8() == static_cast<std::uint8_t>(Opcode::footer) && cursor.u64() == 20;
  Footer found;
  found.summary_start = cursor.u64();
  cursor.u64();
  found.crc = cursor.u32();
  if (!footer || cursor.raw(magic.size()) != magic) return error("found no footer");
  return found;
}

Status take_statistics(std::string_view content, FileIndex& index) {
  Cursor cursor(content);
  cursor.raw(8 + 2 + 4 + 4 + 4 + 4 + 8 + 8);
  Cursor counts(cursor.text());
  while (!counts.at_end() && !counts.failed()) {
    const std::uint16_t channel = counts.u16();
    index.messages[channel] = counts.u64();
  }
  if (cursor.failed() || counts.failed()) return error("statistics: the data ends too early");
  return {};
}

// Reads a metadata record; an error when there is no intact one at this offset.
Result<Metadata> metadata_at(ByteSource& source, std::uint64_t offset, std::uint64_t length) {
  DROVER_ASSIGN(const auto bytes, bytes_of(source, offset, length, beginning_bytes));
  Cursor cursor(bytes);
  const bool right = cursor.u8() == static_cast<std::uint8_t>(Opcode::metadata) &&
                     cursor.u64() == length - head_bytes;
  if (!right) return error("byte {}: found no metadata", offset);
  return read_metadata(cursor.raw(cursor.left()));
}

// Either copy of the first metadata is used when the first bytes of the file are damaged.
Status take_metadata(ByteSource& source, std::string_view content, FileIndex& index) {
  Cursor cursor(content);
  const std::uint64_t offset = cursor.u64();
  const std::uint64_t length = cursor.u64();
  const std::string_view name = cursor.text();
  if (cursor.failed()) return error("metadata index: the data ends too early");
  const bool wanted = name == totals_name || (name == start_name && !index.start_known);
  if (!wanted) return {};
  const Result<Metadata> metadata = metadata_at(source, offset, length);
  if (name == totals_name) {
    return metadata ? take_totals(metadata->map, index.totals) : Status(metadata.error());
  }
  if (!metadata) return {};
  const Result<RecordingStart> start = start_of(metadata->map);
  if (!start) return start.error();  // intact, but not supported
  index.start = *start;
  index.start_known = true;
  return {};
}

Status take_summary_record(ByteSource& source, std::uint8_t opcode, std::string_view content,
                           std::uint64_t summary_start, FileIndex& index) {
  switch (static_cast<Opcode>(opcode)) {
    case Opcode::chunk_index: {
      DROVER_ASSIGN(auto chunk, parse_chunk_index(content));
      const bool inside = chunk.offset <= summary_start &&
                          chunk.length <= summary_start - chunk.offset &&
                          chunk.message_index_bytes <= summary_start - chunk.offset - chunk.length;
      if (!inside || chunk.length < head_bytes) {
        return error("chunk index: found offset {} and length {}", chunk.offset, chunk.length);
      }
      index.chunks.push_back(std::move(chunk));
      return {};
    }
    case Opcode::statistics:
      return take_statistics(content, index);
    case Opcode::metadata_index:
      return take_metadata(source, content, index);
    default:
      return {};
  }
}

}  // namespace

Result<std::string> bytes_of(ByteSource& source, std::uint64_t offset, std::uint64_t bytes,
                             std::uint64_t bytes_max) {
  if (offset > source.size() || bytes > source.size() - offset || bytes > bytes_max) {
    return error("byte {}: found the end of the file, expected {} bytes", offset, bytes);
  }
  std::string out(bytes, '\0');
  DROVER_TRY(source.read(offset, out));
  return out;
}

Result<std::string> load_records(ByteSource& source, const ChunkIndex& chunk) {
  Result<std::string> bytes =
      bytes_of(source, chunk.offset, chunk.length, chunk_bytes_max + beginning_bytes);
  if (!bytes) return bytes;
  Cursor cursor(*bytes);
  const bool right = cursor.u8() == static_cast<std::uint8_t>(Opcode::chunk) &&
                     cursor.u64() == chunk.length - head_bytes;
  if (!right) return error("byte {}: found no chunk of {} bytes", chunk.offset, chunk.length);
  Result<std::string> records = chunk_records(std::string_view(*bytes).substr(head_bytes));
  if (!records) return error("byte {}: {}", chunk.offset, records.error().message);
  return records;
}

Result<FileIndex> read_summary(ByteSource& source, const std::optional<RecordingStart>& start) {
  DROVER_ASSIGN(const auto footer, read_footer(source));
  const std::uint64_t end = source.size() - magic.size();
  if (footer.summary_start > end - footer_bytes) return error("footer: found no summary");
  DROVER_ASSIGN(const auto bytes, bytes_of(source, footer.summary_start, end - footer.summary_start,
                                           summary_bytes_max));
  const std::string_view checked = std::string_view(bytes).substr(0, bytes.size() - 4);
  if (const std::uint32_t crc = crc32_of(checked); crc != footer.crc) {
    return error("summary: found CRC-32 {:08x}, expected {:08x}", crc, footer.crc);
  }
  FileIndex index;
  index.start_known = start.has_value();
  if (start) index.start = *start;
  Cursor cursor(bytes);
  while (!cursor.at_end()) {
    const std::uint8_t opcode = cursor.u8();
    const std::string_view content = cursor.raw(cursor.u64());
    if (cursor.failed()) return error("summary: found a record cut short");
    DROVER_TRY(take_summary_record(source, opcode, content, footer.summary_start, index));
  }
  index.closed = true;
  constexpr std::uint64_t data_end_bytes = head_bytes + 4;
  index.data_end = footer.summary_start - std::min(footer.summary_start, data_end_bytes);
  return index;
}

namespace {

// The file's first bytes, up to the first metadata record.
struct Beginning {
  std::optional<RecordingStart> start;
  Error problem;         // why `start` is missing
  bool refused = false;  // intact, but not supported
};

Beginning read_beginning(ByteSource& source) {
  const std::uint64_t size = std::min(source.size(), beginning_bytes);
  const Result<std::string> bytes = bytes_of(source, 0, size, beginning_bytes);
  if (!bytes) return {{}, bytes.error(), true};
  Cursor cursor(*bytes);
  if (cursor.raw(magic.size()) != magic) return {{}, error("not an MCAP file")};
  while (!cursor.failed()) {
    const std::size_t offset = cursor.at();
    const std::uint8_t opcode = cursor.u8();
    const std::string_view content = cursor.raw(cursor.u64());
    if (cursor.failed() || opcode == static_cast<std::uint8_t>(Opcode::chunk)) break;
    if (opcode != static_cast<std::uint8_t>(Opcode::metadata)) continue;
    const Result<Metadata> metadata = read_metadata(content);
    if (!metadata) return {{}, error("byte {}: {}", offset, metadata.error().message)};
    if (metadata->name != start_name) continue;
    const Result<RecordingStart> start = start_of(metadata->map);
    if (!start) return {{}, error("byte {}: {}", offset, start.error().message), true};
    return {*start, {}};
  }
  return {{},
          error("byte {}: found no metadata {}, expected a recording of Drover", magic.size(),
                start_name)};
}

// Whether the messages are Drover's, when nothing else shows it.
bool holds_messages(ByteSource& source, const FileIndex& index) {
  return std::any_of(index.chunks.begin(), index.chunks.end(), [&](const ChunkIndex& chunk) {
    const auto open = open_chunk(source, chunk);
    return open && check_messages(**open, chunk).ok();
  });
}

}  // namespace

Result<FileIndex> read_index(ByteSource& source) {
  const Beginning beginning = read_beginning(source);
  if (beginning.refused) return beginning.problem;
  Result<FileIndex> index = read_summary(source, beginning.start);
  if (!index) {
    const std::string why = index.error().message;
    index = scan_records(source);
    if (!index) return index;
    index->notes.push_back(fmt::format("not closed ({}): its index was rebuilt", why));
  }
  if (beginning.start) {
    index->start = *beginning.start;
    index->start_known = true;
    return index;
  }
  const std::string why = "its beginning is damaged: " + beginning.problem.message;
  if (index->start_known) {
    index->notes.push_back(why + "; its metadata was found elsewhere in the file");
    return index;
  }
  if (!index->surveyed) survey(source, *index);
  if (!holds_messages(source, *index)) return beginning.problem;
  index->start.fleet_time = index->totals.first;
  index->start.software = "unknown software";
  index->start.speed_known = false;
  index->notes.push_back(why + "; speed (assumed to be 1), seed and identity are unknown");
  return index;
}

}  // namespace drover::recording
