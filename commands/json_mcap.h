// An MCAP file of JSON messages (https://mcap.dev/spec), for programs that know nothing of ours:
// chunks without compression, with an index, so that Foxglove can jump in it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/recording.h"
#include "fleet/recording_bytes.h"
#include "fleet/recording_mcap.h"

namespace drover::commands {

class JsonMcap {
 public:
  /// One channel for each, with its schema.
  explicit JsonMcap(std::vector<RecordingChannel> channels) : channels_(std::move(channels)) {}

  /// Each answers the bytes to append to the file.
  std::string begin();
  std::string add(RecordingChannel channel, Instant arrived, Instant published,
                  std::string_view json);
  std::string end();

 private:
  std::string close_chunk();
  std::string describe() const;
  std::string statistics() const;

  std::vector<RecordingChannel> channels_;
  std::uint64_t size_ = 0;
  recording::Bytes records_;  // of the open chunk
  std::uint32_t sequence_ = 0;
  std::map<std::uint16_t, std::vector<std::pair<Instant, std::uint64_t>>> index_;
  Instant chunk_start_{}, chunk_end_{};
  Instant start_{}, end_{};
  std::map<std::uint16_t, std::uint64_t> counts_;
  std::vector<recording::ChunkIndex> chunks_;
};

}  // namespace drover::commands
