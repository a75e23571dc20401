// Chunks taken apart, and the last ones kept: who reads on in small steps decodes each once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fleet/recording/format/recording_block.h"
#include "fleet/recording/recording_index.h"

namespace drover::recording {

/// A chunk's messages; those of the channel `samples` as blocks.
struct OpenChunk {
  std::string records;
  std::vector<MessageView> messages;  // into `records`
  std::vector<Block> blocks;
  std::size_t weight = 0;
  std::uint64_t used = 0;
};

/// Whole and right, or an error that names the offset.
Result<std::unique_ptr<OpenChunk>> open_chunk(ByteSource& source, const ChunkIndex& chunk);

class ChunkCache {
 public:
  explicit ChunkCache(ByteSource& source) : source_(source) {}
  /// Valid until the next call.
  Result<OpenChunk*> get(const ChunkIndex& chunk);
  /// The same, with all columns decoded.
  Result<OpenChunk*> decoded(const ChunkIndex& chunk);

 private:
  void forget();

  ByteSource& source_;
  std::map<std::uint64_t, std::unique_ptr<OpenChunk>> open_;  // by offset
  std::uint64_t uses_ = 0;
};

/// Of the chunk's own messages: keyframes and dictionaries have the places of others.
void visit_places(const OpenChunk& chunk,
                  const std::function<void(std::uint64_t place, Instant arrived)>& visit);
/// Channels whose messages a reader gives, one by one: all but samples, bookmarks and our own
/// notes.
bool is_row(std::uint16_t channel);
/// The message as it reached the recorder. REQUIRES another channel than samples.
Result<Recorded> row_of(const MessageView& message, const ChunkIndex& chunk);
/// Whether every column and every message of it decodes.
Status check_messages(OpenChunk& open, const ChunkIndex& chunk);

}  // namespace drover::recording
