#include <algorithm>
#include <cstring>
#include <set>

#include "fleet/recording/format/block.h"
#include "fleet/recording/format/layout.h"

namespace drover::recording {
namespace {

using Sources = std::vector<const Source*>;

template <typename Integer>
void gather(const Source& source, std::size_t column, std::int64_t* out) {
  const std::size_t columns = source.columns.size();
  const std::size_t batches = source.batches.size();
  std::vector<const char*> from;
  from.reserve(batches);
  for (std::size_t batch = 0; batch < batches; ++batch) {
    from.push_back(source.bytes[batch * columns + column].data());
  }
  for (std::size_t row = 0; row < source.devices.size(); ++row) {
    for (const char* bytes : from) {
      std::uint64_t bits = 0;
      const char* ordinal = bytes + row * sizeof(Integer);
      for (std::size_t i = sizeof(Integer); i > 0; --i) {
        bits = bits << 8 | static_cast<unsigned char>(ordinal[i - 1]);
      }
      *out++ = static_cast<Integer>(bits);
    }
  }
}

void gather_column(const Source& source, std::size_t column, std::int64_t* out) {
  switch (source.columns[column].width) {
    case 2:
      return gather<std::int16_t>(source, column, out);
    case 4:
      return gather<std::int32_t>(source, column, out);
    default:
      return gather<std::int64_t>(source, column, out);
  }
}

std::optional<std::size_t> column_of(const Source& source, std::uint8_t metric) {
  for (std::size_t column = 0; column < source.columns.size(); ++column) {
    if (source.columns[column].metric == metric) return column;
  }
  return {};
}

PackedColumn encode_metric(const Sources& sources, std::uint8_t metric, int zstd_level) {
  std::vector<SeriesRun> runs;
  std::size_t count = 0;
  for (const Source* source : sources) {
    if (!column_of(*source, metric)) continue;
    runs.push_back({static_cast<std::uint32_t>(source->devices.size()),
                    static_cast<std::uint32_t>(source->batches.size())});
    count += source->cells();
  }
  std::vector<std::int64_t> values(count);
  std::int64_t* out = values.data();
  for (const Source* source : sources) {
    const auto column = column_of(*source, metric);
    if (!column) continue;
    gather_column(*source, *column, out);
    out += source->cells();
  }
  PackedColumn packed = pack_column(values, runs, zstd_level);
  packed.metric = metric;
  return packed;
}

std::int64_t nanoseconds(Instant instant) { return instant.time_since_epoch().count(); }

std::vector<PackedColumn> encode_facts(const Sources& sources, std::uint64_t ordinal,
                                       int zstd_level) {
  std::vector<SeriesRun> runs;
  std::vector<std::vector<std::int64_t>> facts(4);
  for (const Source* source : sources) {
    runs.push_back({1, static_cast<std::uint32_t>(source->batches.size())});
    for (const BatchHeader& batch : source->batches) {
      facts[0].push_back(static_cast<std::int64_t>(batch.ordinal - ordinal));
      facts[1].push_back(static_cast<std::int64_t>(batch.sequence));
      facts[2].push_back(nanoseconds(batch.at));
      facts[3].push_back(
          static_cast<std::int64_t>(static_cast<std::uint64_t>(nanoseconds(batch.arrived)) -
                                    static_cast<std::uint64_t>(nanoseconds(batch.at))));
    }
  }
  std::vector<PackedColumn> columns;
  for (const auto& values : facts) columns.push_back(pack_column(values, runs, zstd_level));
  return columns;
}

void set_head(const Sources& sources, BlockHead& head) {
  head.first = Instant::max();
  head.last = Instant::min();
  head.ordinal = std::numeric_limits<std::uint64_t>::max();
  for (const Source* source : sources) {
    head.batches += source->batches.size();
    head.values += source->cells() * source->columns.size();
    for (const BatchHeader& batch : source->batches) {
      head.first = std::min(head.first, batch.arrived);
      head.last = std::max(head.last, batch.arrived);
      head.ordinal = std::min(head.ordinal, batch.ordinal);
    }
  }
}

}  // namespace

std::string encode_block(const Sources& sources, DeviceNumbers& numbers, int zstd_level) {
  BlockMap block;
  block.version = block_version;
  set_head(sources, block);
  std::map<std::vector<ColumnFormat>, std::uint32_t> forms;
  std::set<std::uint8_t> metrics;
  for (const Source* source : sources) {
    const auto known = forms.try_emplace(source->columns, static_cast<std::uint32_t>(forms.size()));
    if (known.second) block.forms.push_back({source->columns});
    for (const ColumnFormat& column : source->columns) metrics.insert(column.metric);
    block.sources.push_back({source->sender, source->host, source->devices, numbers.number(*source),
                             known.first->second,
                             static_cast<std::uint32_t>(source->batches.size())});
  }
  block.facts = encode_facts(sources, block.ordinal, zstd_level);
  for (const std::uint8_t metric : metrics) {
    block.columns.push_back(encode_metric(sources, metric, zstd_level));
  }
  return packed_map(block);
}

std::vector<std::uint32_t> DeviceNumbers::number(const Source& source) {
  std::vector<std::uint32_t>& known = numbers_[source.host];
  std::vector<std::uint32_t> runs;
  for (const std::uint16_t device : source.devices) {
    if (known.size() <= device) known.resize(device + 1u, 0);
    std::uint32_t& number = known[device];
    if (number == 0) {
      number = next_++;
      fresh_[source.host][number] = device;
    }
    if (!runs.empty() && runs[runs.size() - 2] + runs.back() == number) {
      ++runs.back();
    } else {
      runs.insert(runs.end(), {number, 1});
    }
  }
  return runs;
}

std::string DeviceNumbers::take_new() {
  if (fresh_.empty()) return {};
  Dictionary dictionary;
  for (const auto& [host, devices] : fresh_) {
    std::uint32_t next = 0;
    for (const auto& [number, device] : devices) {
      if (number != next) dictionary.hosts.push_back({host, number, {}});
      dictionary.hosts.back().devices.push_back(device);
      next = number + 1;
    }
  }
  fresh_.clear();
  return packed_map(dictionary);
}

}  // namespace drover::recording
