#include "fleet/recording/format/column.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "fleet/recording/format/bytes.h"

namespace drover::recording {
namespace {

constexpr int orders = 3;
// The order of a column is chosen by this many series: a few thousand of its values.
constexpr std::size_t probed_series = 64;

constexpr std::uint64_t zigzag(std::uint64_t value) {
  return value << 1 ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> 63);
}
constexpr std::uint64_t unzigzag(std::uint64_t value) { return value >> 1 ^ (0 - (value & 1)); }

// The first value of a series is stored as the difference to that of the previous series.
template <int order>
void difference(std::span<const std::int64_t> values, std::span<const SeriesRun> runs,
                std::uint64_t* out) {
  std::uint64_t first = 0;
  const std::int64_t* from = values.data();
  for (const SeriesRun& run : runs) {
    if (run.length == 0) continue;
    for (std::uint32_t series = 0; series < run.count; ++series) {
      const auto value = [&](std::size_t index) { return static_cast<std::uint64_t>(from[index]); };
      out[0] = zigzag(order == 0 ? value(0) : value(0) - first);
      first = value(0);
      if (order == 2 && run.length > 1) out[1] = zigzag(value(1) - value(0));
      for (std::size_t i = order == 2 ? 2 : 1; i < run.length; ++i) {
        if (order == 0) out[i] = zigzag(value(i));
        if (order == 1) out[i] = zigzag(value(i) - value(i - 1));
        if (order == 2) out[i] = zigzag(value(i) - 2 * value(i - 1) + value(i - 2));
      }
      from += run.length;
      out += run.length;
    }
  }
}

template <int order>
void accumulate(std::span<std::int64_t> values, std::span<const SeriesRun> runs) {
  std::uint64_t first = 0;
  std::int64_t* at = values.data();
  for (const SeriesRun& run : runs) {
    if (run.length == 0) continue;
    for (std::uint32_t series = 0; series < run.count; ++series) {
      std::uint64_t value = order == 0 ? 0 : first;
      std::uint64_t step = 0;
      for (std::uint32_t i = 0; i < run.length; ++i) {
        const std::uint64_t coded = unzigzag(static_cast<std::uint64_t>(at[i]));
        if (order == 0) value = coded;
        if (order == 1 || (order == 2 && i == 0)) value += coded;
        if (order == 2 && i > 0) {
          step += coded;
          value += step;
        }
        at[i] = static_cast<std::int64_t>(value);
        if (i == 0) first = value;
      }
      at += run.length;
    }
  }
}

void difference(int order, std::span<const std::int64_t> values, std::span<const SeriesRun> runs,
                std::uint64_t* out) {
  if (order == 0) difference<0>(values, runs, out);
  if (order == 1) difference<1>(values, runs, out);
  if (order == 2) difference<2>(values, runs, out);
}

std::size_t planes_of(std::span<const std::uint64_t> coded) {
  std::uint64_t all = 0;
  for (const std::uint64_t value : coded) all |= value;
  return (static_cast<std::size_t>(std::bit_width(all)) + 7) / 8;
}

void take_plane(std::span<const std::uint64_t> coded, std::size_t plane, char* out) {
  const auto shift = 8 * plane;
  for (std::size_t i = 0; i < coded.size(); ++i) out[i] = static_cast<char>(coded[i] >> shift);
}

// The number of bits of an ideal coder of single bytes for each plane.
double information(std::span<const std::uint64_t> coded) {
  double bits = 0;
  const std::size_t planes = planes_of(coded);
  for (std::size_t plane = 0; plane < planes; ++plane) {
    std::array<std::uint32_t, 256> counts{};
    for (const std::uint64_t value : coded) ++counts[value >> (8 * plane) & 0xff];
    for (const std::uint32_t count : counts) {
      if (count > 0) bits -= count * std::log2(static_cast<double>(count) / coded.size());
    }
  }
  return bits;
}

struct Probe {
  std::vector<std::int64_t> values;
  std::vector<SeriesRun> runs;
};

Probe probe_of(std::span<const std::int64_t> values, std::span<const SeriesRun> runs) {
  std::size_t series = 0;
  for (const SeriesRun& run : runs) series += run.count;
  const std::size_t stride = std::max<std::size_t>(1, series / probed_series);
  Probe probe;
  std::size_t number = 0;
  std::size_t start = 0;
  for (const SeriesRun& run : runs) {
    for (std::uint32_t i = 0; i < run.count; ++i, ++number, start += run.length) {
      if (number % stride != 0) continue;
      const auto one = values.subspan(start, run.length);
      probe.values.insert(probe.values.end(), one.begin(), one.end());
      probe.runs.push_back({1, run.length});
    }
  }
  return probe;
}

int best_order(std::span<const std::int64_t> values, std::span<const SeriesRun> runs) {
  const Probe probe = probe_of(values, runs);
  std::vector<std::uint64_t> coded(probe.values.size());
  int best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (const int order : {1, 2, 0}) {
    difference(order, probe.values, probe.runs, coded.data());
    const double bits = information(coded);
    if (bits >= least) continue;
    least = bits;
    best = order;
  }
  return best;
}

template <std::size_t planes>
void join(const char* bytes, std::span<std::int64_t> out) {
  const std::size_t count = out.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t value = 0;
    for (std::size_t plane = 0; plane < planes; ++plane) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[plane * count + i]))
               << (8 * plane);
    }
    out[i] = static_cast<std::int64_t>(value);
  }
}

using Join = void (*)(const char*, std::span<std::int64_t>);
constexpr std::array<Join, planes_max + 1> joins = {join<0>, join<1>, join<2>, join<3>, join<4>,
                                                    join<5>, join<6>, join<7>, join<8>};

Status check_form(const PackedColumn& column) {
  if (column.order >= orders) return error("order: found {}, expected 0..2", column.order);
  if (column.planes.size() > planes_max) {
    return error("planes: found {}, expected at most {}", column.planes.size(), planes_max);
  }
  const std::uint64_t bytes =
      std::accumulate(column.planes.begin(), column.planes.end(), std::uint64_t{0});
  if (bytes != column.bytes.size()) {
    return error("planes: found {} bytes, expected {}", column.bytes.size(), bytes);
  }
  if (const std::uint32_t crc = crc32_of(column.bytes); crc != column.crc) {
    return error("CRC-32: found {:08x}, expected {:08x}", crc, column.crc);
  }
  return {};
}

}  // namespace

PackedColumn pack_column(std::span<const std::int64_t> values, std::span<const SeriesRun> runs,
                         int zstd_level) {
  PackedColumn column;
  const int order = best_order(values, runs);
  column.order = static_cast<std::uint8_t>(order);
  std::vector<std::uint64_t> coded(values.size());
  difference(order, values, runs, coded.data());
  std::string plane_bytes(values.size(), '\0');
  const std::size_t planes = planes_of(coded);
  for (std::size_t plane = 0; plane < planes; ++plane) {
    take_plane(coded, plane, plane_bytes.data());
    const std::string frame = compressed(plane_bytes, zstd_level);
    column.planes.push_back(static_cast<std::uint32_t>(frame.size()));
    column.bytes += frame;
  }
  column.crc = crc32_of(column.bytes);
  return column;
}

Status unpack_column(const PackedColumn& column, std::span<const SeriesRun> runs,
                     std::span<std::int64_t> out) {
  DROVER_TRY(check_form(column));
  std::string planes(out.size() * column.planes.size(), '\0');
  std::size_t from = 0;
  for (std::size_t plane = 0; plane < column.planes.size(); ++plane) {
    const std::string_view frame =
        std::string_view(column.bytes).substr(from, column.planes[plane]);
    const std::span<char> into{planes.data() + plane * out.size(), out.size()};
    if (Status done = decompress(frame, into); !done) {
      return error("plane {}: {}", plane, done.error().message);
    }
    from += frame.size();
  }
  joins[column.planes.size()](planes.data(), out);
  if (column.order == 0) accumulate<0>(out, runs);
  if (column.order == 1) accumulate<1>(out, runs);
  if (column.order == 2) accumulate<2>(out, runs);
  return {};
}

}  // namespace drover::recording
