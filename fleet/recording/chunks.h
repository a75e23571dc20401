// Decoded chunks, with a cache of the last ones: reading on in small steps decodes each chunk once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fleet/recording/format/block.h"
#include "fleet/recording/index.h"

namespace drover::recording {

/// The messages of a chunk; those of the channel `samples` as blocks.
struct OpenChunk {
  std::string records;
  std::vector<MessageView> messages;  // into `records`
  std::vector<Block> blocks;
  std::size_t weight = 0;
  std::uint64_t used = 0;
};

/// Reads and checks a chunk. The error names the offset.
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

/// Visits the chunk's messages except keyframes and dictionaries, which have no ordinals of their
/// own.
void visit_ordinals(const OpenChunk& chunk,
                    const std::function<void(std::uint64_t ordinal, Instant arrived)>& visit);
/// Whether a reader returns the messages of this channel one by one: all channels except samples,
/// bookmarks, keyframes, dictionaries and drops.
bool is_row(std::uint16_t channel);
/// The message as the recorder received it. REQUIRES a channel other than samples.
Result<RecordedMessage> row_of(const MessageView& message, const ChunkIndex& chunk);
/// An error when a column or a message of the chunk does not decode.
Status check_messages(OpenChunk& open, const ChunkIndex& chunk);

}  // namespace drover::recording
