// The state of a RecordingWriter.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fleet/recording/format/block.h"
#include "fleet/recording/format/file.h"
#include "fleet/recording/writer.h"

namespace drover {
namespace recording {

using SourceKey =
    std::tuple<std::string, std::string, std::vector<ColumnFormat>, std::vector<std::uint16_t>>;

}  // namespace recording

struct RecordingWriter::State {
  explicit State(RecordingOptions chosen) : options(chosen) {}

  void add(Instant arrived, std::string_view bytes, Envelope envelope, RecordingBytes& out);
  void add_row(RecordingChannel channel, Instant arrived, Instant at, std::string_view bytes,
               RecordingBytes& out);
  void gather(Instant arrived, Envelope&& envelope);
  bool full(Instant now) const;
  void fold(RecordingBytes& out);
  void write_blocks(std::string& out);
  void write_rows(std::string& out);
  void count_copied(const recording::MessageView& message);
  void take_place(Instant arrived);

  RecordingOptions options;
  RecordingStart start;
  recording::FileBuilder file;
  recording::DeviceNumbers numbers;
  std::map<recording::SourceKey, recording::Source> sources;
  recording::ChunkBuilder rows;
  std::uint64_t ordinal = 0;
  std::uint64_t keyframes = 0;
  Instant latest = Instant::min();  // arrival of the last message
  std::optional<Instant> oldest;    // arrival of the first buffered message
  std::uint32_t ticks = 0;          // largest number of batches of a source
  std::uint64_t samples_bytes = 0;  // buffered
  bool begun = false;
  bool ended = false;

  std::uint64_t batches = 0;
  std::uint64_t values = 0;
  std::uint64_t dropped = 0;
  std::uint64_t out_of_order = 0;
  Duration longest_block{};
  Instant first_arrival = Instant::max();
  Instant last_arrival = Instant::min();
};

}  // namespace drover
