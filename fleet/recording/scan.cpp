// Scans a recording without a summary record by record and reads each chunk. Damaged parts are
// skipped up to the next record with a correct CRC-32, wherever it begins: a chunk or a metadata
// record of the recording.
#include <algorithm>
#include <optional>
#include <utility>

#include "fleet/recording/survey.h"

namespace drover::recording {
namespace {

// Enough for the fields of a chunk, and for whole records other than chunks and message indexes.
constexpr std::uint64_t peek_bytes = 4096;
constexpr std::uint64_t search_bytes = 1u << 20;
// Maximum size of a chunk record without its records.
constexpr std::uint64_t chunk_around_bytes = 64;

class RecordScanner {
 public:
  explicit RecordScanner(ByteSource& source) : source_(source), at_(magic.size()) {}

  Result<FileIndex> go();

 private:
  bool step();
  Status take(Opcode opcode, std::uint64_t length, std::string_view content);
  Status take_before_chunks(Opcode opcode, std::string_view content) const;
  Status take_metadata(std::string_view content);
  Status take_chunk(std::uint64_t length, std::string_view content);
  Status take_message_index(std::uint64_t length, std::string_view content);
  bool pass_damage(std::string_view why);
  bool is_whole(std::uint64_t offset);
  std::optional<std::uint64_t> next_whole(std::uint64_t from);

  ByteSource& source_;
  std::uint64_t at_;
  FileIndex index_;
  Survey survey_;
  Totals totals_;  // from the end of the file
  std::optional<Error> unreadable_;
};

// The index entry from the fields of a chunk. Its end is not checked.
Result<ChunkIndex> chunk_of(std::uint64_t offset, std::uint64_t length, std::string_view content) {
  Cursor cursor(content);
  DROVER_ASSIGN(const auto head, parse_chunk_head(cursor));
  if (head.packed_bytes + cursor.at() != length) {
    return error("chunk: found {} bytes, expected {}", length, head.packed_bytes + cursor.at());
  }
  ChunkIndex chunk;
  chunk.start = head.start;
  chunk.end = head.end;
  chunk.offset = offset;
  chunk.length = head_bytes + length;
  chunk.compression = head.compression;
  chunk.packed_bytes = head.packed_bytes;
  chunk.records_bytes = head.records_bytes;
  return chunk;
}

Status RecordScanner::take_chunk(std::uint64_t length, std::string_view content) {
  DROVER_ASSIGN(auto chunk, chunk_of(at_, length, content));
  DROVER_TRY(survey_.take(source_, chunk));
  // For all parts skipped since the previous chunk.
  for (auto lost = index_.lost.rbegin(); lost != index_.lost.rend() && !lost->to; ++lost) {
    lost->to = chunk.start;
  }
  return {};
}

// Adds a message index to the chunk before it.
Status RecordScanner::take_message_index(std::uint64_t length, std::string_view content) {
  Cursor cursor(content);
  const std::uint16_t channel = cursor.u16();
  const std::uint32_t bytes = cursor.u32();
  std::vector<ChunkIndex>& chunks = survey_.chunks();
  const bool right = !cursor.failed() && bytes + std::uint64_t{6} == length && bytes % 16 == 0 &&
                     !chunks.empty() && chunks.back().behind() == at_ &&
                     chunks.back().message_indexes.contains(channel);
  if (!right) return error("found a message index without a chunk");
  chunks.back().message_indexes[channel] = at_;
  chunks.back().message_index_bytes += head_bytes + length;
  return {};
}

Status RecordScanner::take_before_chunks(Opcode opcode, std::string_view content) const {
  Cursor cursor(content);
  const bool first = opcode == Opcode::header;
  if (opcode == Opcode::schema) cursor.u16();
  if (opcode == Opcode::channel) cursor.u32();
  for (int text = first ? 0 : -1; text < 2; ++text) cursor.text();
  if (!cursor.failed() && cursor.at_end() && survey_.chunks().empty()) return {};
  return error("found a damaged record of kind {}", static_cast<unsigned>(opcode));
}

Status RecordScanner::take_metadata(std::string_view content) {
  DROVER_ASSIGN(const auto metadata, read_metadata(content));
  if (metadata.name == totals_name) {
    Status taken = take_totals(metadata.map, totals_);
    index_.ended = taken.ok();
    return taken;
  }
  if (metadata.name != start_name) return {};
  Result<RecordingStart> start = start_of(metadata.map);
  // Intact, but not supported.
  if (!start && metadata.checked) {
    unreadable_ = error("byte {}: {}", at_, start.error().message);
  }
  if (!start) return start.error();
  index_.start = std::move(*start);
  index_.start_known = true;
  return {};
}

Status RecordScanner::take(Opcode opcode, std::uint64_t length, std::string_view content) {
  switch (opcode) {
    case Opcode::header:
    case Opcode::schema:
    case Opcode::channel:
      return take_before_chunks(opcode, content);
    case Opcode::metadata:
      return take_metadata(content);
    case Opcode::chunk:
      return take_chunk(length, content);
    case Opcode::message_index:
      return take_message_index(length, content);
    default:
      return error("found a record of kind {}", static_cast<unsigned>(opcode));
  }
}

// A fast check, because most damaged bytes begin no record.
bool may_begin(std::string_view bytes) {
  const auto opcode = static_cast<Opcode>(bytes.front());
  if (opcode != Opcode::chunk && opcode != Opcode::metadata) return false;
  Cursor cursor(bytes.substr(1));
  const std::uint64_t length = cursor.u64();
  const bool chunk = opcode == Opcode::chunk;
  return !cursor.failed() && length <= (chunk ? chunk_bytes_max + chunk_around_bytes : peek_bytes);
}

// Whether a record of a recording with a correct CRC-32 begins there.
bool RecordScanner::is_whole(std::uint64_t offset) {
  const std::uint64_t bytes = std::min(source_.size() - offset, peek_bytes);
  const Result<std::string> peek = bytes_of(source_, offset, bytes, bytes);
  if (!peek) return false;
  Cursor cursor(*peek);
  const auto opcode = static_cast<Opcode>(cursor.u8());
  const std::uint64_t length = cursor.u64();
  if (opcode == Opcode::metadata) {
    const Result<Metadata> metadata = read_metadata(cursor.raw(length));
    return metadata && metadata->checked;
  }
  const Result<ChunkIndex> chunk = chunk_of(offset, length, cursor.raw(cursor.left()));
  return chunk && load_records(source_, *chunk);
}

std::optional<std::uint64_t> RecordScanner::next_whole(std::uint64_t from) {
  for (; from < source_.size(); from += search_bytes) {
    const std::uint64_t bytes = std::min(source_.size() - from, search_bytes + head_bytes);
    const Result<std::string> window = bytes_of(source_, from, bytes, bytes);
    if (!window) return {};
    for (std::size_t i = 0; i < window->size() && i < search_bytes; ++i) {
      const std::string_view here = std::string_view(*window).substr(i, head_bytes);
      if (may_begin(here) && is_whole(from + i)) return from + i;
    }
  }
  return {};
}

// Skips a damaged part; false at the end of the file. The search begins at the damage and not after
// the length found there, which would skip intact records when bytes are missing.
bool RecordScanner::pass_damage(std::string_view why) {
  const auto next = next_whole(at_ + 1);
  const std::uint64_t end = next.value_or(source_.size());
  LostRange lost{at_, end - at_, {}, {}, std::string(why)};
  if (!survey_.chunks().empty()) lost.from = survey_.chunks().back().end;
  index_.lost.push_back(std::move(lost));
  at_ = end;
  return next.has_value();
}

bool RecordScanner::step() {
  if (at_ >= source_.size()) return false;
  const std::uint64_t bytes = std::min(source_.size() - at_, peek_bytes);
  const Result<std::string> peek = bytes_of(source_, at_, bytes, bytes);
  if (!peek) {
    unreadable_ = peek.error();
    return false;
  }
  Cursor cursor(*peek);
  const auto opcode = static_cast<Opcode>(cursor.u8());
  const std::uint64_t length = cursor.u64();
  if (cursor.failed()) return pass_damage(fmt::format("found {} bytes of a record", bytes));
  if (opcode == Opcode::data_end && length == 4 && !next_whole(at_ + 1)) {
    index_.notes.push_back(index_.lost.empty()
                               ? "its summary is cut short or damaged; all its chunks are there"
                               : "its summary is cut short or damaged");
    return false;
  }
  const std::uint64_t left = source_.size() - at_ - head_bytes;
  if (length > left) {
    return pass_damage(fmt::format("found {} of {} bytes of a record of kind {}", left, length,
                                   static_cast<unsigned>(opcode)));
  }
  const std::string_view content = cursor.raw(std::min<std::uint64_t>(cursor.left(), length));
  const Status taken = take(opcode, length, content);
  if (unreadable_) return false;
  if (!taken) return pass_damage(taken.error().message);
  at_ += head_bytes + length;
  return true;
}

Result<FileIndex> RecordScanner::go() {
  while (step()) continue;
  if (unreadable_) return *unreadable_;
  survey_.finish(index_);
  // The end is known even if parts before it are lost.
  if (index_.ended) {
    index_.totals.ordinals = totals_.ordinals;
    index_.totals.last = totals_.last;
  }
  return index_;
}

}  // namespace

Result<FileIndex> scan_records(ByteSource& source) { return RecordScanner(source).go(); }

}  // namespace drover::recording
