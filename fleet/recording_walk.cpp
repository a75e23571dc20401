// A recording without a summary, walked from record to record. What is damaged is passed over up to
// the next chunk whose CRC-32 is right.
#include <algorithm>

#include "fleet/recording_index.h"

namespace drover::recording {
namespace {

// Enough for the fields of a chunk, its first message and the head of the block in it.
constexpr std::uint64_t peek_bytes = 512;
constexpr std::uint64_t search_bytes = 1u << 20;
// A chunk record has so many bytes around its records, and no more.
constexpr std::uint64_t chunk_around_bytes = 64;

class Walk {
 public:
  explicit Walk(ByteSource& source) : source_(source), at_(magic.size()) {}

  Result<FileIndex> go();

 private:
  bool step();
  Status take(Opcode opcode, std::uint64_t length, std::string_view content);
  Status take_chunk(std::uint64_t length, std::string_view content);
  void take_message_index(std::uint64_t length, std::string_view content);
  bool pass_damage(std::string_view why);
  std::optional<ChunkIndex> chunk_at(std::uint64_t offset);
  std::optional<std::uint64_t> next_chunk(std::uint64_t from);
  void finish();
  Status count(ChunkIndex& chunk);

  ByteSource& source_;
  std::uint64_t at_;
  FileIndex index_;
  std::optional<Error> unreadable_;
};

// The block's times and counts, when the chunk's first message is one.
std::optional<BlockHead> block_head(std::string_view records) {
  Cursor cursor(records);
  if (cursor.u8() != static_cast<std::uint8_t>(Opcode::message)) return {};
  cursor.u64();
  if (cursor.u16() != static_cast<std::uint16_t>(RecordingChannel::samples)) return {};
  cursor.raw(4 + 8 + 8);
  if (cursor.failed()) return {};
  return read_block_head(cursor.raw(cursor.left()));
}

Status Walk::take_chunk(std::uint64_t length, std::string_view content) {
  Cursor cursor(content);
  const Result<ChunkHead> head = parse_chunk_head(cursor);
  if (!head) return head.error();
  if (head->packed_bytes + cursor.at() != length) {
    return error("chunk: found {} bytes, expected {}", length, head->packed_bytes + cursor.at());
  }
  ChunkIndex chunk;
  chunk.start = head->start;
  chunk.end = head->end;
  chunk.offset = at_;
  chunk.length = head_bytes + length;
  chunk.compression = head->compression;
  chunk.packed_bytes = head->packed_bytes;
  chunk.records_bytes = head->records_bytes;
  Totals& totals = index_.totals;
  Instant last = chunk.end;
  if (chunk.compression.empty()) {
    if (const auto block = block_head(content.substr(cursor.at()))) {
      last = std::max(last, block->last);
      totals.batches += block->batches;
      totals.values += block->values;
      if (block->last >= block->first) {
        totals.longest_block = std::max(totals.longest_block, apart(block->first, block->last));
      }
    }
  }
  totals.first = index_.chunks.empty() ? chunk.start : std::min(totals.first, chunk.start);
  totals.last = index_.chunks.empty() ? last : std::max(totals.last, last);
  index_.chunks.push_back(std::move(chunk));
  return {};
}

void Walk::take_message_index(std::uint64_t length, std::string_view content) {
  // One that follows no chunk says nothing: its chunk was damaged.
  if (index_.chunks.empty() || index_.chunks.back().behind() != at_) return;
  Cursor cursor(content);
  const std::uint16_t channel = cursor.u16();
  const std::uint32_t bytes = cursor.u32();
  if (cursor.failed() || bytes != length - 6) return;
  ChunkIndex& chunk = index_.chunks.back();
  chunk.message_indexes[channel] = at_;
  chunk.message_index_bytes += head_bytes + length;
  index_.messages[channel] += bytes / 16;
}

Status Walk::take(Opcode opcode, std::uint64_t length, std::string_view content) {
  switch (opcode) {
    case Opcode::header:
    case Opcode::schema:
    case Opcode::channel:
    case Opcode::metadata:
    case Opcode::attachment:
      return {};
    case Opcode::chunk:
      return take_chunk(length, content);
    case Opcode::message_index:
      take_message_index(length, content);
      return {};
    default:
      return error("found a record of kind {}", static_cast<unsigned>(opcode));
  }
}

std::optional<ChunkIndex> Walk::chunk_at(std::uint64_t offset) {
  const std::uint64_t bytes = std::min(source_.size() - offset, peek_bytes);
  const Result<std::string> peek = bytes_of(source_, offset, bytes, bytes);
  if (!peek) return {};
  Cursor cursor(*peek);
  if (cursor.u8() != static_cast<std::uint8_t>(Opcode::chunk)) return {};
  const std::uint64_t length = cursor.u64();
  Cursor content(cursor.raw(cursor.left()));
  const Result<ChunkHead> head = parse_chunk_head(content);
  if (!head || head->packed_bytes + content.at() != length) return {};
  ChunkIndex chunk;
  chunk.offset = offset;
  chunk.length = head_bytes + length;
  chunk.start = head->start;
  if (!load_records(source_, chunk)) return {};
  return chunk;
}

std::optional<std::uint64_t> Walk::next_chunk(std::uint64_t from) {
  for (; from < source_.size(); from += search_bytes) {
    const std::uint64_t bytes = std::min(source_.size() - from, search_bytes + head_bytes);
    const Result<std::string> window = bytes_of(source_, from, bytes, bytes);
    if (!window) return {};
    for (std::size_t i = 0; i < window->size() && i < search_bytes; ++i) {
      if ((*window)[i] != static_cast<char>(Opcode::chunk)) continue;
      Cursor length(std::string_view(*window).substr(i + 1));
      const std::uint64_t told = length.u64();
      if (length.failed() || told > chunk_bytes_max + chunk_around_bytes) continue;
      if (chunk_at(from + i)) return from + i;
    }
  }
  return {};
}

// True when the walk goes on behind it.
bool Walk::pass_damage(std::string_view why) {
  const auto next = next_chunk(at_ + 1);
  const std::uint64_t end = next.value_or(source_.size());
  LostRange lost{at_, end - at_, {}, {}, std::string(why)};
  if (!index_.chunks.empty()) lost.from = index_.totals.last;
  if (next) lost.to = chunk_at(*next)->start;
  index_.lost.push_back(std::move(lost));
  at_ = end;
  return next.has_value();
}

bool Walk::step() {
  if (at_ == source_.size()) return false;
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
  if (opcode == Opcode::data_end && length <= peek_bytes) {
    index_.notes.push_back("its summary is cut short or damaged; all its chunks are there");
    return false;
  }
  const std::uint64_t left = source_.size() - at_ - head_bytes;
  if (length > left) {
    return pass_damage(fmt::format("found {} of {} bytes of a record of kind {}", left, length,
                                   static_cast<unsigned>(opcode)));
  }
  if (Status taken =
          take(opcode, length, cursor.raw(std::min<std::uint64_t>(cursor.left(), length)));
      !taken) {
    return pass_damage(taken.error().message);
  }
  at_ += head_bytes + length;
  return true;
}

// A chunk whose message indexes are not all there: its messages tell.
Status Walk::count(ChunkIndex& chunk) {
  for (const auto& [channel, offset] : chunk.message_indexes) {
    const Result<std::string> head = bytes_of(source_, offset, head_bytes + 6, head_bytes + 6);
    if (!head) return head.error();
    Cursor cursor(*head);
    cursor.raw(head_bytes + 2);
    index_.messages[channel] -= cursor.u32() / 16;
  }
  chunk.message_indexes.clear();
  chunk.message_index_bytes = 0;
  const Result<std::string> records = load_records(source_, chunk);
  if (!records) return records.error();
  const auto messages = messages_in(*records);
  if (!messages) return messages.error();
  for (const MessageView& message : *messages) {
    chunk.message_indexes[message.channel] = 0;
    ++index_.messages[message.channel];
  }
  return {};
}

void Walk::finish() {
  std::erase_if(index_.chunks, [&](ChunkIndex& chunk) {
    // Whatever follows a chunk's indexes but another record of them may have been one of them.
    const std::uint64_t behind = chunk.behind();
    const bool whole = !chunk.message_indexes.empty() && behind != source_.size() &&
                       std::none_of(index_.lost.begin(), index_.lost.end(),
                                    [&](const LostRange& lost) { return lost.offset == behind; });
    if (whole) return false;
    const Status counted = count(chunk);
    if (counted) return false;
    index_.lost.push_back(
        {chunk.offset, chunk.length, chunk.start, chunk.end, counted.error().message});
    return true;
  });
}

Result<FileIndex> Walk::go() {
  while (step()) continue;
  if (unreadable_) return *unreadable_;
  finish();
  std::sort(index_.lost.begin(), index_.lost.end(),
            [](const LostRange& a, const LostRange& b) { return a.offset < b.offset; });
  const auto keyframes = static_cast<std::uint16_t>(RecordingChannel::keyframes);
  index_.totals.keyframes = index_.messages[keyframes];
  std::erase_if(index_.messages, [](const auto& one) { return one.second == 0; });
  return index_;
}

}  // namespace

Result<FileIndex> walk(ByteSource& source) { return Walk(source).go(); }

}  // namespace drover::recording
