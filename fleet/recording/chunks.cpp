#include "fleet/recording/chunks.h"

#include <algorithm>

#include "fleet/codec/codec.h"
#include "fleet/recording/format/layout.h"

namespace drover::recording {
namespace {

// Enough for two minutes of 10,000 devices, or ten ticks of 100,000, decoded.
constexpr std::size_t cache_bytes = 256u << 20;

constexpr auto samples = static_cast<std::uint16_t>(RecordingChannel::samples);

}  // namespace

Result<std::unique_ptr<OpenChunk>> open_chunk(ByteSource& source, const ChunkIndex& chunk) {
  auto open = std::make_unique<OpenChunk>();
  DROVER_ASSIGN(auto records, load_records(source, chunk));
  open->records = std::move(records);
  Result<std::vector<MessageView>> messages = messages_in(open->records);
  if (!messages) return error("byte {}: {}", chunk.offset, messages.error().message);
  open->messages = std::move(*messages);
  open->weight = open->records.size() + open->messages.size() * sizeof(MessageView);
  for (const MessageView& message : open->messages) {
    if (message.channel != samples) continue;
    Result<Block> block = Block::parse(message.data);
    if (!block) return error("byte {}: {}", chunk.offset, block.error().message);
    open->weight += block->weight();
    open->blocks.push_back(std::move(*block));
  }
  return open;
}

Result<OpenChunk*> ChunkCache::get(const ChunkIndex& chunk) {
  auto found = open_.find(chunk.offset);
  if (found == open_.end()) {
    DROVER_ASSIGN(auto open, open_chunk(source_, chunk));
    forget();
    found = open_.emplace(chunk.offset, std::move(open)).first;
  }
  found->second->used = ++uses_;
  return found->second.get();
}

Result<OpenChunk*> ChunkCache::decoded(const ChunkIndex& chunk) {
  Result<OpenChunk*> open = get(chunk);
  if (!open) return open;
  for (Block& block : (*open)->blocks) {
    const std::size_t before = block.weight();
    if (Status done = block.decode(); !done) {
      return error("byte {}: {}", chunk.offset, done.error().message);
    }
    (*open)->weight += block.weight() - before;
  }
  return open;
}

void ChunkCache::forget() {
  std::size_t weight = 0;
  for (const auto& [offset, open] : open_) weight += open->weight;
  while (weight > cache_bytes && !open_.empty()) {
    const auto oldest = std::min_element(
        open_.begin(), open_.end(),
        [](const auto& a, const auto& b) { return a.second->used < b.second->used; });
    weight -= oldest->second->weight;
    open_.erase(oldest);
  }
}

bool is_row(std::uint16_t channel) {
  switch (static_cast<RecordingChannel>(channel)) {
    case RecordingChannel::state:
    case RecordingChannel::jobs:
    case RecordingChannel::decisions:
    case RecordingChannel::events:
    case RecordingChannel::audit:
    case RecordingChannel::alerts:
      return true;
    default:
      return false;
  }
}

void visit_ordinals(const OpenChunk& chunk,
                    const std::function<void(std::uint64_t ordinal, Instant arrived)>& visit) {
  for (const Block& block : chunk.blocks) {
    for (std::size_t i = 0; i < block.batch_count(); ++i) {
      visit(block.facts(i).ordinal, block.facts(i).arrived);
    }
  }
  for (const MessageView& message : chunk.messages) {
    const auto channel = static_cast<RecordingChannel>(message.channel);
    const bool own = is_row(message.channel) || channel == RecordingChannel::bookmarks ||
                     channel == RecordingChannel::drops;
    if (own) visit(message.sequence, message.log_time);
  }
}

Result<RecordedMessage> row_of(const MessageView& message, const ChunkIndex& chunk) {
  Result<Envelope> envelope = decode(message.data);
  if (!envelope) {
    return error("byte {}, message at {}: {}", chunk.offset, message.offset,
                 envelope.error().message);
  }
  return RecordedMessage{message.log_time, std::move(*envelope), message.sequence};
}

Status check_messages(OpenChunk& open, const ChunkIndex& chunk) {
  for (Block& block : open.blocks) {
    DROVER_TRY(block.decode());
  }
  for (const MessageView& message : open.messages) {
    const auto channel = static_cast<RecordingChannel>(message.channel);
    if (channel == RecordingChannel::samples) continue;
    Status status;
    if (channel == RecordingChannel::dictionary) {
      const auto dictionary = unpacked_map<Dictionary>(message.data);
      if (!dictionary) status = dictionary.error();
    } else if (channel == RecordingChannel::drops) {
      const auto drops = unpacked_map<DroppedMessages>(message.data);
      if (!drops) status = drops.error();
    } else {
      const auto row = row_of(message, chunk);
      if (!row) status = row.error();
    }
    if (!status) return error("message at {}: {}", message.offset, status.error().message);
  }
  return {};
}

}  // namespace drover::recording
