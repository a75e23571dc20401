// A recording put together: chunks, their indexes, and the summary at the end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/recording/format/recording_mcap.h"

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

/// What a file says of itself: its schemas and channels are whole records.
struct FileForm {
  std::string profile;
  std::string software;
  std::vector<std::string> schemas;
  std::vector<std::string> channels;
};
/// Of a recording.
FileForm recording_form(std::string_view software);

/// Record by record to a file; knows its length, its checksum and its summary.
class FileBuilder {
 public:
  /// `start`, unless it is empty, is the metadata record of that name.
  std::string begin(FileForm form, const TextMap& start = {});
  /// `zstd_level` 0: not compressed.
  std::string chunk(const ChunkBuilder& chunk, int zstd_level);
  /// A chunk of another file with its messages. The times in its head are those of its messages,
  /// whatever they were: no CRC covers them.
  std::string copy(std::string_view chunk_record, const std::vector<MessageView>& messages);
  /// `totals` likewise.
  /// Before it stands the metadata of the start once more: a file whose beginning is damaged still
  /// says what it is.
  std::string end(const TextMap& totals = {});

 private:
  void put(std::string& out, std::string_view bytes);
  void put_metadata(std::string& out, std::string_view name, const TextMap& map);
  void index(std::string& out, const ChunkBuilder& chunk, ChunkIndex entry);
  std::string summary(std::uint64_t start) const;

  struct MetadataPlace {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::string name;
  };

  FileForm form_;
  TextMap start_;
  std::uint64_t size_ = 0;
  std::uint32_t crc_ = 0;
  std::vector<ChunkIndex> chunks_;
  std::vector<MetadataPlace> metadata_;
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
