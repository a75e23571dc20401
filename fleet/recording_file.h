// A recording put together: chunks, their indexes, and the summary at the end.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/recording_mcap.h"

namespace drover::recording {

/// Messages on their way into a chunk.
class ChunkBuilder {
 public:
  void add(RecordingChannel channel, std::uint64_t place, Instant arrived, Instant published,
           std::string_view data);
  bool empty() const { return counts_.empty(); }
  std::size_t size() const { return records_.size(); }
  void clear() { *this = ChunkBuilder(); }

 private:
  friend class FileBuilder;
  Bytes records_;
  Instant start_{};
  Instant end_{};
  std::map<std::uint16_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> index_;
  std::map<std::uint16_t, std::uint64_t> counts_;
};

/// Record by record to a file; knows its length, its checksum and its summary.
class FileBuilder {
 public:
  std::string begin(const RecordingStart& start);
  /// `zstd_level` 0: not compressed.
  std::string chunk(const ChunkBuilder& chunk, int zstd_level);
  /// A chunk of another file as it is, with its messages.
  std::string copy(std::string_view chunk_record, const std::vector<MessageView>& messages);
  /// The metadata goes before the end of the data section.
  std::string end(const TextMap& totals);

  std::uint64_t size() const { return size_; }

 private:
  void put(std::string& out, std::string bytes);
  void index(std::string& out, const ChunkBuilder& chunk, ChunkIndex entry);
  std::string summary(std::uint64_t start) const;

  std::uint64_t size_ = 0;
  std::uint32_t crc_ = 0;
  std::vector<ChunkIndex> chunks_;
  std::vector<std::array<std::uint64_t, 2>> metadata_;  // offset and length: the start, the totals
  Statistics statistics_;
};

inline constexpr std::string_view start_name = "drover.recording";
inline constexpr std::string_view totals_name = "drover.totals";
inline constexpr std::string_view format_version = "1";

/// The first metadata record.
TextMap to_map(const RecordingStart& start);
Result<RecordingStart> start_of(const TextMap& map);
Result<std::uint64_t> number_in(const TextMap& map, std::string_view key);

}  // namespace drover::recording
