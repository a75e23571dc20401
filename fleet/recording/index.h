// The index of a recording's chunks, read from its footer or by scanning the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/recording/format/block.h"
#include "fleet/recording/format/file.h"
#include "fleet/recording/format/gaps.h"

namespace drover::recording {

/// The location of a complete keyframe.
struct SurveyedKeyframe {
  Instant at{};
  std::uint64_t ordinal = 0;   // of the last message before it
  std::uint64_t snapshot = 0;  // the snapshot number of its parts
  std::size_t first_chunk = 0;
  std::size_t last_chunk = 0;
};

struct FileIndex {
  RecordingStart start;
  bool start_known = false;                         // false: both copies of `start` are damaged
  std::vector<ChunkIndex> chunks;                   // in the order of the file
  std::map<std::uint16_t, std::uint64_t> messages;  // by channel
  Totals totals;
  bool closed = false;
  bool ended = false;          // has its totals: it was written to its end, with or without footer
  std::uint64_t data_end = 0;  // offset of the data end record, when closed
  std::vector<LostRange> lost;
  std::vector<std::string> notes;

  bool surveyed = false;  // every chunk was read: `chunks` are intact; the next two are known
  OrdinalGaps ordinals;
  std::vector<SurveyedKeyframe> keyframes;  // in order
};

/// The gaps of missing messages. REQUIRES a surveyed index.
std::vector<OrdinalGaps::Gap> gaps_of(FileIndex& index);

/// Reads bytes of the source. An error when they exceed the source or `bytes_max`.
Result<std::string> bytes_of(ByteSource& source, std::uint64_t offset, std::uint64_t bytes,
                             std::uint64_t bytes_max);
/// Reads the records of a chunk and checks them. The error names its offset.
Result<std::string> load_records(ByteSource& source, const ChunkIndex& chunk);

/// Reads the index from the footer, with a fixed number of reads. `start`: from the file's first
/// bytes, if they are intact.
Result<FileIndex> read_summary(ByteSource& source, const std::optional<RecordingStart>& start);
/// Scans the file record by record and reads each chunk. Continues after damaged parts.
Result<FileIndex> scan_records(ByteSource& source);
/// Reads the index from the footer, or else scans the file. A file with a damaged beginning is
/// recognised by the copy of its first metadata at the end, or by its chunks. An error when the
/// file is not a recording.
Result<FileIndex> read_index(ByteSource& source);

}  // namespace drover::recording
