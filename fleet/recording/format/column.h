// Compresses the integers of many time series.
//
// Each series is differenced zero, one or two times, whichever makes the column smallest. The
// result is zigzag-coded (0, -1, 1, -2, .. become 0, 1, 2, 3, ..) and split into planes: the lowest
// bytes of all values, then the next ones, up to the highest byte that is not 0 everywhere. Each
// plane is a zstd frame of its own, because the bytes of a plane are similar: noise in the low
// ones, zeros in the high ones. Arithmetic wraps around at 64 bits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fleet/base/result.h"

namespace drover::recording {

/// `count` series of `length` values each, one series after the other.
struct SeriesRun {
  std::uint32_t count = 0;
  std::uint32_t length = 0;
};

struct PackedColumn {
  std::uint8_t metric = 0;
  std::uint8_t order = 0;             // times differenced: 0, 1 or 2
  std::vector<std::uint32_t> planes;  // bytes of each plane's frame, lowest plane first
  std::uint32_t crc = 0;              // CRC-32 of `bytes`
  std::string bytes;                  // the frames, one after the other
  bool operator==(const PackedColumn&) const = default;
};

inline constexpr std::size_t planes_max = 8;

/// REQUIRES values.size() equal to the number of values in the runs.
PackedColumn pack_column(std::span<const std::int64_t> values, std::span<const SeriesRun> runs,
                         int zstd_level);
/// REQUIRES out.size() equal to the number of values in the runs.
Status unpack_column(const PackedColumn& column, std::span<const SeriesRun> runs,
                     std::span<std::int64_t> out);

}  // namespace drover::recording
