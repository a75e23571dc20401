// Where the chunks of a recording are: by its footer, or by walking it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/recording_block.h"
#include "fleet/recording_mcap.h"

namespace drover::recording {

struct Totals {
  std::uint64_t batches = 0;
  std::uint64_t values = 0;
  std::uint64_t keyframes = 0;
  std::uint64_t dropped = 0;
  std::uint64_t fell_back = 0;
  Duration longest_block{};
  Instant first{};
  Instant last{};
};

struct FileIndex {
  RecordingStart start;
  std::vector<ChunkIndex> chunks;                   // in the order of the file
  std::map<std::uint16_t, std::uint64_t> messages;  // by channel
  Totals totals;
  bool closed = false;
  std::uint64_t data_end = 0;  // offset of that record, when closed
  std::vector<LostRange> lost;
  std::vector<std::string> notes;
};

/// Bytes of the source as a text; refused when they are more than there are, or than `bytes_max`.
Result<std::string> bytes_of(ByteSource& source, std::uint64_t offset, std::uint64_t bytes,
                             std::uint64_t bytes_max);
/// The checked records of a chunk. The error names its offset.
Result<std::string> load_records(ByteSource& source, const ChunkIndex& chunk);

Result<RecordingStart> read_start(ByteSource& source);
/// By the footer: a fixed number of reads.
Result<FileIndex> read_summary(ByteSource& source);
/// From record to record; goes on behind what is damaged.
Result<FileIndex> walk(ByteSource& source);
/// By the footer, or else by walking.
Result<FileIndex> read_index(ByteSource& source);

}  // namespace drover::recording
