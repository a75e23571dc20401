#include "fleet/recording/format/block.h"

#include <algorithm>
#include <exception>
#include <limits>

#include "fleet/recording/format/layout.h"

namespace drover::recording {
namespace {

constexpr std::size_t no_values = std::numeric_limits<std::size_t>::max();

bool read_head_field(codec::Reader& reader, std::string_view key, BlockHead& head) {
  if (key == "version") return reader.integer(head.version);
  if (key == "first") return codec::read(reader, head.first, codec::plain);
  if (key == "last") return codec::read(reader, head.last, codec::plain);
  if (key == "place") return reader.integer(head.ordinal);
  if (key == "batches") return reader.integer(head.batches);
  return key == "values" && reader.integer(head.values);
}

Status check_source(const BlockMap& map, std::size_t index) {
  const BlockSource& source = map.sources[index];
  if (source.form >= map.forms.size()) {
    return error("Block.sources[{}].form: found {}, expected less than {}", index, source.form,
                 map.forms.size());
  }
  if (source.batches == 0) return error("Block.sources[{}].batches: found 0", index);
  return {};
}

// Forms and devices must meet the limits of a batch.
Status check_forms(const BlockMap& map) {
  for (std::size_t index = 0; index < map.forms.size(); ++index) {
    SampleBatch batch;
    for (const ColumnFormat& form : map.forms[index].columns) {
      batch.columns.push_back({form.metric, form.width, form.scale, {}});
    }
    if (Status status = check(batch); !status) {
      return error("Block.forms[{}]: {}", index, status.error().message);
    }
  }
  for (std::size_t index = 0; index < map.sources.size(); ++index) {
    DROVER_TRY(check_source(map, index));
    const BlockSource& source = map.sources[index];
    if (Status status = check(SampleBatch{source.host, source.devices, {}}); !status) {
      return error("Block.sources[{}]: {}", index, status.error().message);
    }
  }
  return {};
}

Status check_counts(const BlockMap& map) {
  std::uint64_t batches = 0;
  std::uint64_t values = 0;
  for (const BlockSource& source : map.sources) {
    batches += source.batches;
    const std::uint64_t columns = map.forms[source.form].columns.size();
    values += columns * source.devices.size() * source.batches;
    if (values > block_values_max || batches > block_batches_max) {
      return error("Block: found {} values and {} batches, expected at most {} and {}", values,
                   batches, block_values_max, block_batches_max);
    }
  }
  if (batches != map.batches || values != map.values) {
    return error("Block: found {} batches and {} values, expected {} and {}", map.batches,
                 map.values, batches, values);
  }
  return {};
}

}  // namespace

std::optional<BlockHead> read_block_head(std::string_view bytes) {
  codec::Reader reader(bytes);
  BlockHead head;
  std::size_t count = 0;
  if (!reader.map(codec::fields_max, count)) return {};
  for (; count > 0; --count) {
    std::string_view key;
    if (!reader.text(codec::field_name_bytes_max, key)) return {};
    if (key == "forms") return head;
    if (!read_head_field(reader, key, head)) return {};
  }
  return {};
}

Result<Block> Block::parse(std::string_view bytes) {
  Block block;
  try {
    DROVER_ASSIGN(block.map_, unpacked_map<BlockMap>(bytes));
  } catch (const std::exception& problem) {
    return error("Block: {}", problem.what());
  }
  if (block.map_.version != block_version) {
    return error("Block.version: found {}, expected {}", block.map_.version, block_version);
  }
  DROVER_TRY(check_forms(block.map_));
  DROVER_TRY(check_counts(block.map_));
  DROVER_TRY(block.lay_out());
  DROVER_TRY(block.read_facts());
  return block;
}

Status Block::lay_out() {
  columns_.resize(map_.columns.size());
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    if (!column_of_.emplace(map_.columns[column].metric, column).second) {
      return error("Block.columns: metric {} occurs twice", map_.columns[column].metric);
    }
    columns_[column].starts.assign(map_.sources.size(), no_values);
  }
  for (std::size_t index = 0; index < map_.sources.size(); ++index) {
    const BlockSource& source = map_.sources[index];
    for (const ColumnFormat& form : map_.forms[source.form].columns) {
      const auto found = column_of_.find(form.metric);
      if (found == column_of_.end()) return error("Block: metric {} is missing", form.metric);
      Decoded& column = columns_[found->second];
      column.starts[index] = column.count;
      column.runs.push_back({static_cast<std::uint32_t>(source.devices.size()), source.batches});
      column.count += source.devices.size() * source.batches;
    }
  }
  return {};
}

Status Block::read_facts() {
  std::vector<SeriesRun> runs;
  for (const BlockSource& source : map_.sources) {
    first_batches_.push_back(facts_.size());
    runs.push_back({1, source.batches});
    facts_.resize(facts_.size() + source.batches);
  }
  if (map_.facts.size() != 4) return error("Block.facts: found {}, expected 4", map_.facts.size());
  std::vector<std::int64_t> values(facts_.size());
  for (std::size_t fact = 0; fact < 4; ++fact) {
    if (Status status = unpack_column(map_.facts[fact], runs, values); !status) {
      return error("Block.facts[{}]: {}", fact, status.error().message);
    }
    for (std::size_t batch = 0; batch < values.size(); ++batch) {
      BatchHeader& facts = facts_[batch];
      const auto value = static_cast<std::uint64_t>(values[batch]);
      if (fact == 0) facts.ordinal = map_.ordinal + value;
      if (fact == 1) facts.sequence = value;
      if (fact == 2) facts.at = Instant{Duration{values[batch]}};
      if (fact == 3) {
        const auto at = static_cast<std::uint64_t>(facts.at.time_since_epoch().count());
        facts.arrived = Instant{Duration{static_cast<std::int64_t>(at + value)}};
      }
    }
  }
  return {};
}

Status Block::decode() {
  for (std::size_t index = 0; index < columns_.size(); ++index) {
    Decoded& column = columns_[index];
    if (column.done) continue;
    column.values.resize(column.count);
    if (Status status = unpack_column(map_.columns[index], column.runs, column.values); !status) {
      column.values.clear();
      return error("Block.columns: metric {}: {}", map_.columns[index].metric,
                   status.error().message);
    }
    column.done = true;
  }
  return {};
}

std::string Block::gather(std::size_t source, std::size_t tick, std::size_t column,
                          std::uint8_t width) const {
  const BlockSource& from = map_.sources[source];
  const std::int64_t* values = columns_[column].values.data() + columns_[column].starts[source];
  std::string bytes(from.devices.size() * width, '\0');
  char* out = bytes.data();
  for (std::size_t row = 0; row < from.devices.size(); ++row) {
    const auto bits = static_cast<std::uint64_t>(values[row * from.batches + tick]);
    for (std::uint8_t i = 0; i < width; ++i) *out++ = static_cast<char>(bits >> (8 * i));
  }
  return bytes;
}

RecordedMessage Block::batch(std::size_t number) const {
  const auto next = std::upper_bound(first_batches_.begin(), first_batches_.end(), number);
  const auto source = static_cast<std::size_t>(next - first_batches_.begin()) - 1;
  const std::size_t tick = number - first_batches_[source];
  const BlockSource& from = map_.sources[source];
  const BatchHeader& facts = facts_[number];
  SampleBatch batch{from.host, from.devices, {}};
  const std::vector<ColumnFormat>& forms = map_.forms[from.form].columns;
  batch.columns.reserve(forms.size());
  for (const ColumnFormat& form : forms) {
    batch.columns.push_back({form.metric, form.width, form.scale,
                             gather(source, tick, column_of_.at(form.metric), form.width)});
  }
  return {facts.arrived, {from.sender, facts.sequence, facts.at, std::move(batch)}, facts.ordinal};
}

std::size_t Block::weight() const {
  std::size_t bytes = facts_.size() * sizeof(BatchHeader);
  for (const Decoded& column : columns_) bytes += column.values.size() * sizeof(std::int64_t);
  for (const PackedColumn& column : map_.columns) bytes += column.bytes.size();
  return bytes;
}

}  // namespace drover::recording
