// Every chunk of a recording read once: which are whole, and which messages and keyframes are in
// them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fleet/recording/format/recording_gaps.h"
#include "fleet/recording/recording_chunks.h"
#include "fleet/recording/recording_index.h"

namespace drover::recording {

class Survey {
 public:
  /// Reads the next whole chunk of the file. The error, which names the offset: it is damaged, and
  /// counts for nothing. No CRC covers the times in a chunk's head, so `chunk` takes them from its
  /// messages; a head that says something else is a note.
  Status take(ByteSource& source, ChunkIndex& chunk);

  /// The whole ones, in the order of the file.
  std::vector<ChunkIndex>& chunks() { return chunks_; }
  const std::vector<ChunkIndex>& chunks() const { return chunks_; }
  /// Tells `index` all that was found.
  void finish(FileIndex& index);

 private:
  void take_messages(const OpenChunk& open, ChunkIndex& chunk);
  void take_keyframe(const MessageView& message, std::size_t chunk);

  struct Parts {
    SurveyedKeyframe keyframe;
    std::uint32_t wanted = 0;
    std::uint32_t found = 0;
  };
  std::map<std::uint64_t, Parts> snapshots_;  // by their number
  std::vector<ChunkIndex> chunks_;
  std::map<std::uint16_t, std::uint64_t> messages_;
  PlaceGaps places_;
  Totals totals_;
  std::vector<std::string> notes_;
};

/// The chunks of a closed file, which its summary names. Those that are damaged go to `lost`.
void survey(ByteSource& source, FileIndex& index);

}  // namespace drover::recording
