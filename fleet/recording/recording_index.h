// Where the chunks of a recording are: by its footer, or by walking it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/recording/format/recording_block.h"
#include "fleet/recording/format/recording_gaps.h"
#include "fleet/recording/format/recording_mcap.h"

namespace drover::recording {

struct Totals {
  std::uint64_t places = 0;
  std::uint64_t batches = 0;
  std::uint64_t values = 0;
  std::uint64_t keyframes = 0;
  std::uint64_t dropped = 0;
  std::uint64_t fell_back = 0;
  Duration longest_block{};
  Instant first{};
  Instant last{};
};

/// Where a whole keyframe stands.
struct SurveyedKeyframe {
  Instant at{};
  std::uint64_t place = 0;     // of the last message before it
  std::uint64_t snapshot = 0;  // its parts' number
  std::size_t first_chunk = 0;
  std::size_t last_chunk = 0;
};

struct FileIndex {
  RecordingStart start;
  bool start_known = false;                         // else both copies of it are damaged
  std::vector<ChunkIndex> chunks;                   // in the order of the file
  std::map<std::uint16_t, std::uint64_t> messages;  // by channel
  Totals totals;
  bool closed = false;
  bool ended = false;          // its totals stand there: it was written to its end, footer or not
  std::uint64_t data_end = 0;  // offset of that record, when closed
  std::vector<LostRange> lost;
  std::vector<std::string> notes;

  bool surveyed = false;  // every chunk was read: `chunks` are whole, and what follows is known
  PlaceGaps places;
  std::vector<SurveyedKeyframe> keyframes;  // in order
};

/// Of the metadata at a recording's end.
Status take_totals(const TextMap& map, Totals& totals);

/// What is nowhere. REQUIRES a surveyed index.
std::vector<PlaceGaps::Gap> gaps_of(FileIndex& index);

/// Bytes of the source as a text; refused when they are more than there are, or than `bytes_max`.
Result<std::string> bytes_of(ByteSource& source, std::uint64_t offset, std::uint64_t bytes,
                             std::uint64_t bytes_max);
/// The checked records of a chunk. The error names its offset.
Result<std::string> load_records(ByteSource& source, const ChunkIndex& chunk);

/// By the footer: a fixed number of reads. `start`: what the file's first bytes say, if they do.
Result<FileIndex> read_summary(ByteSource& source, const std::optional<RecordingStart>& start);
/// From record to record, each chunk read; goes on behind what is damaged.
Result<FileIndex> walk(ByteSource& source);
/// By the footer, or else by walking. A file whose beginning is damaged is a recording by the copy
/// of its first metadata at the end, or by its chunks. Refused: what is no recording.
Result<FileIndex> read_index(ByteSource& source);

}  // namespace drover::recording
