// Encodes sample batches as columnar blocks and decodes them. A block is one message of the channel
// `samples`.
//
// Batches are grouped by *source*: one sender's batches with the same devices and columns. A block
// contains the batches of some sources for about a minute, ordered by column, source, device and
// time. It also has the ordinal, sequence number and times of each batch, so that every envelope is
// restored exactly.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/recording/format/column.h"
#include "fleet/recording/format/recording.h"

namespace drover::recording {

struct ColumnFormat {
  std::uint8_t metric = 0;
  std::uint8_t width = 4;
  std::int8_t scale = 0;
  auto operator<=>(const ColumnFormat&) const = default;
};

struct BatchHeader {
  std::uint64_t ordinal = 0;
  std::uint64_t sequence = 0;
  Instant at{};
  Instant arrived{};
};

struct Source {
  std::string sender;
  std::string host;
  std::vector<std::uint16_t> devices;
  std::vector<ColumnFormat> columns;
  std::vector<BatchHeader> batches;
  std::vector<std::string> bytes;  // columns of the first batch, then of the next

  std::uint64_t cells() const { return devices.size() * batches.size(); }
};

/// 32-bit numbers for devices, from 1, in the order in which they appear.
class DeviceNumbers {
 public:
  /// The source's devices as runs: first number, count, first number, count, ..
  std::vector<std::uint32_t> number(const Source& source);
  /// The dictionary message with the numbers assigned since the last call; empty: none.
  std::string take_new();

 private:
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> numbers_;  // by host and device
  std::uint32_t next_ = 1;
  std::map<std::string, std::map<std::uint32_t, std::uint16_t>> fresh_;
};

struct ColumnFormatList {
  std::vector<ColumnFormat> columns;
  bool operator==(const ColumnFormatList&) const = default;
};

struct BlockSource {
  std::string sender;
  std::string host;
  std::vector<std::uint16_t> devices;
  std::vector<std::uint32_t> numbers;
  std::uint32_t form = 0;  // its columns: index into the block's `forms`
  std::uint32_t batches = 0;
  bool operator==(const BlockSource&) const = default;
};

struct BlockHead {
  std::uint32_t version = 1;
  Instant first{};  // earliest and latest arrival
  Instant last{};
  std::uint64_t ordinal = 0;  // lowest
  std::uint64_t batches = 0;
  std::uint64_t values = 0;
};

struct BlockMap : BlockHead {
  std::vector<ColumnFormatList> forms;
  std::vector<BlockSource> sources;
  std::vector<PackedColumn> facts;    // ordinal, sequence, at, arrived minus at
  std::vector<PackedColumn> columns;  // in the order of their metrics' numbers
};

inline constexpr std::uint32_t block_version = 1;
inline constexpr std::size_t block_bytes_max = 64u << 20;
inline constexpr std::uint64_t block_values_max = 1u << 24;
inline constexpr std::uint64_t block_batches_max = 1u << 20;

/// REQUIRES sources that have batches.
std::string encode_block(const std::vector<const Source*>& sources, DeviceNumbers& numbers,
                         int zstd_level);
/// Reads the fields before `forms` from a block's first bytes.
std::optional<BlockHead> read_block_head(std::string_view bytes);

/// A parsed block.
class Block {
 public:
  static Result<Block> parse(std::string_view bytes);

  const BlockHead& head() const { return map_; }
  std::size_t batch_count() const { return facts_.size(); }
  const BatchHeader& facts(std::size_t batch) const { return facts_[batch]; }

  /// Decodes the columns that are not decoded yet.
  Status decode();
  /// REQUIRES decode().
  RecordedMessage batch(std::size_t number) const;
  /// Bytes in memory.
  std::size_t weight() const;

 private:
  struct Decoded {
    bool done = false;
    std::vector<SeriesRun> runs;
    std::vector<std::size_t> starts;  // of each source's values; `no_values` for none
    std::size_t count = 0;
    std::vector<std::int64_t> values;
  };

  Status lay_out();
  Status read_facts();
  std::string gather(std::size_t source, std::size_t tick, std::size_t column,
                     std::uint8_t width) const;

  BlockMap map_;
  std::vector<BatchHeader> facts_;
  std::vector<std::size_t> first_batches_;  // of each source
  std::vector<Decoded> columns_;            // as map_.columns
  std::map<std::uint8_t, std::size_t> column_of_;
};

}  // namespace drover::recording
