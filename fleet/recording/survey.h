// A survey reads every chunk of a recording once and finds the intact ones with their messages and
// keyframes.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fleet/recording/chunks.h"
#include "fleet/recording/format/gaps.h"
#include "fleet/recording/index.h"

namespace drover::recording {

class Survey {
 public:
  /// Reads the next chunk of the file. A damaged chunk is an error, which names the offset, and is
  /// not counted. No CRC covers the times in a chunk's head, so `chunk` gets them from its
  /// messages; if the head differs, a note is added.
  Status take(ByteSource& source, ChunkIndex& chunk);

  /// The intact chunks, in the order of the file.
  std::vector<ChunkIndex>& chunks() { return chunks_; }
  const std::vector<ChunkIndex>& chunks() const { return chunks_; }
  /// Stores the results in `index`.
  void finish(FileIndex& index);

 private:
  void take_messages(const OpenChunk& open, ChunkIndex& chunk);
  void take_keyframe(const MessageView& message, std::size_t chunk);

  struct Parts {
    SurveyedKeyframe keyframe;
    std::uint32_t expected = 0;
    std::uint32_t found = 0;
  };
  std::map<std::uint64_t, Parts> snapshots_;  // by their number
  std::vector<ChunkIndex> chunks_;
  std::map<std::uint16_t, std::uint64_t> messages_;
  OrdinalGaps places_;
  Totals totals_;
  std::vector<std::string> notes_;
};

/// Surveys the chunks that the summary of a closed file lists. Damaged ones are added to `lost`.
void survey(ByteSource& source, FileIndex& index);

}  // namespace drover::recording
