// What a writer of recordings keeps between calls.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fleet/recording/format/recording_block.h"
#include "fleet/recording/format/recording_file.h"
#include "fleet/recording/recording_writer.h"

namespace drover {
namespace recording {

using SourceKey =
    std::tuple<std::string, std::string, std::vector<ColumnForm>, std::vector<std::uint16_t>>;

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
  std::uint64_t place = 0;
  std::uint64_t keyframes = 0;
  Instant latest = Instant::min();  // arrival of the last message
  std::optional<Instant> oldest;    // arrival of the first that waits
  std::uint32_t ticks = 0;          // batches of the source that has most of them
  std::uint64_t samples_bytes = 0;  // that wait
  bool begun = false;
  bool ended = false;

  std::uint64_t batches = 0;
  std::uint64_t values = 0;
  std::uint64_t dropped = 0;
  std::uint64_t fell_back = 0;
  Duration longest_block{};
  Instant first_arrival = Instant::max();
  Instant last_arrival = Instant::min();
};

}  // namespace drover
