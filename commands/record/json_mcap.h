// Writes an MCAP file of JSON messages (https://mcap.dev/spec) for other programs: uncompressed
// chunks with an index, so that Foxglove can seek in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/recording/format/file.h"
#include "fleet/recording/format/recording.h"

namespace drover::commands {

class JsonMcap {
 public:
  /// Writes one channel, with its schema, for each of `channels`.
  explicit JsonMcap(std::vector<RecordingChannel> channels) : channels_(std::move(channels)) {}

  /// Each of these returns the bytes to append to the file.
  std::string begin();
  std::string add(RecordingChannel channel, Instant arrived, Instant published,
                  std::string_view json);
  std::string end();

 private:
  std::string close_chunk();

  std::vector<RecordingChannel> channels_;
  recording::FileBuilder file_;
  recording::ChunkBuilder chunk_;  // the open one
  std::uint64_t count_ = 0;
};

}  // namespace drover::commands
