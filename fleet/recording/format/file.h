// Builds a recording file: chunks, their indexes, and the summary at the end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/recording/format/mcap.h"

namespace drover::recording {

/// Collects the messages of a chunk.
class ChunkBuilder {
 public:
  void add(RecordingChannel channel, std::uint64_t ordinal, Instant arrived, Instant published,
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

/// The description of a file. Schemas and channels are complete records.
struct FileForm {
  std::string profile;
  std::string software;
  std::vector<std::string> schemas;
  std::vector<std::string> channels;
};
/// The form of a recording.
FileForm recording_form(std::string_view software);

/// Builds a file record by record, with its length, checksum and summary. Each function returns the
/// bytes to append.
class FileBuilder {
 public:
  /// `start`, unless empty, becomes the first metadata record.
  std::string begin(FileForm form, const TextMap& start = {});
  /// `zstd_level` 0: uncompressed.
  std::string chunk(const ChunkBuilder& chunk, int zstd_level);
  /// Copies a chunk of another file with its messages. The times in its head are set to those of
  /// its messages, because no CRC covers them.
  std::string copy(std::string_view chunk_record, const std::vector<MessageView>& messages);
  /// `totals`, unless empty, becomes the last metadata record. The metadata of the start is
  /// repeated before it, so that a file with a damaged beginning can be recognised.
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

/// The content of the last metadata record.
struct Totals {
  std::uint64_t ordinals = 0;
  std::uint64_t batches = 0;
  std::uint64_t values = 0;
  std::uint64_t keyframes = 0;
  std::uint64_t dropped = 0;
  std::uint64_t out_of_order = 0;
  Duration longest_block{};
  Instant first{};
  Instant last{};
};
TextMap to_map(const Totals& totals);
Status take_totals(const TextMap& map, Totals& totals);

}  // namespace drover::recording
