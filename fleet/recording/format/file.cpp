#include "fleet/recording/format/file.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::recording {
namespace {

constexpr std::string_view schema_encoding = "drover.msgpack";
// The text of each schema in the file: where its fields are described.
constexpr std::array<std::array<std::string_view, 2>, 4> schema_texts{{
    {"drover.Envelope", "MessagePack array, see docs/protocol.md of Drover: Envelope"},
    {"drover.Block", "MessagePack map, see docs/recording.md of Drover: Sample blocks"},
    {"drover.Dictionary", "MessagePack map, see docs/recording.md of Drover: Dictionary"},
    {"drover.Drops", "MessagePack map, see docs/recording.md of Drover: Drops"},
}};

std::uint16_t schema_of(RecordingChannel channel) {
  if (channel == RecordingChannel::samples) return 2;
  if (channel == RecordingChannel::dictionary) return 3;
  return channel == RecordingChannel::drops ? 4 : 1;
}

std::string joined(const std::vector<std::string>& records) {
  std::string out;
  for (const std::string& one : records) out += one;
  return out;
}

}  // namespace

FileForm recording_form(std::string_view software) {
  FileForm form{"drover", std::string(software), {}, {}};
  std::uint16_t id = 0;
  for (const auto& [name, text] : schema_texts) {
    Bytes content;
    content.u16(++id).text(name).text(schema_encoding).text(text);
    form.schemas.push_back(record(Opcode::schema, content.view()));
  }
  for (int number = 1; number <= recording_channel_count; ++number) {
    const auto channel = static_cast<RecordingChannel>(number);
    Bytes content;
    content.u16(static_cast<std::uint16_t>(number)).u16(schema_of(channel));
    content.text(to_text(channel)).text("msgpack").text("");
    form.channels.push_back(record(Opcode::channel, content.view()));
  }
  return form;
}

void ChunkBuilder::add(RecordingChannel channel, std::uint64_t ordinal, Instant arrived,
                       Instant published, std::string_view data) {
  const auto number = static_cast<std::uint16_t>(channel);
  start_ = empty() ? arrived : std::min(start_, arrived);
  end_ = empty() ? arrived : std::max(end_, arrived);
  index_[number].emplace_back(bits_of(arrived), records_.size());
  ++counts_[number];
  records_.u8(static_cast<std::uint8_t>(Opcode::message)).u64(22 + data.size());
  records_.u16(number).u32(static_cast<std::uint32_t>(ordinal));
  records_.u64(bits_of(arrived)).u64(bits_of(published)).raw(data);
}

void FileBuilder::put(std::string& out, std::string_view bytes) {
  crc_ = crc32_of(bytes, crc_);
  size_ += bytes.size();
  out += bytes;
}

void FileBuilder::put_metadata(std::string& out, std::string_view name, const TextMap& map) {
  if (map.empty()) return;
  const std::string metadata = metadata_record(name, map);
  metadata_.push_back({size_, metadata.size(), std::string(name)});
  put(out, metadata);
}

std::string FileBuilder::begin(FileForm form, const TextMap& start) {
  form_ = std::move(form);
  start_ = start;
  std::string out;
  put(out, magic);
  put(out, record(Opcode::header, Bytes().text(form_.profile).text(form_.software).view()));
  put_metadata(out, start_name, start);
  put(out, joined(form_.schemas));
  put(out, joined(form_.channels));
  return out;
}

std::string FileBuilder::chunk(const ChunkBuilder& chunk, int zstd_level) {
  const std::string_view records = chunk.records_.view();
  const std::string packed =
      zstd_level > 0 ? compressed(records, zstd_level) : std::string(records);
  ChunkIndex entry;
  entry.start = chunk.start_;
  entry.end = chunk.end_;
  entry.offset = size_;
  entry.compression = zstd_level > 0 ? "zstd" : "";
  entry.packed_bytes = packed.size();
  entry.records_bytes = records.size();
  Bytes content;
  content.u64(bits_of(entry.start)).u64(bits_of(entry.end)).u64(records.size());
  content.u32(crc32_of(records)).text(entry.compression).u64(packed.size()).raw(packed);
  entry.length = head_bytes + content.size();
  std::string out;
  put(out, record(Opcode::chunk, content.view()));
  index(out, chunk, std::move(entry));
  return out;
}

void FileBuilder::index(std::string& out, const ChunkBuilder& chunk, ChunkIndex entry) {
  const std::uint64_t behind = size_;
  for (const auto& [channel, messages] : chunk.index_) {
    entry.message_indexes[channel] = size_;
    Bytes entries;
    for (const auto& [log_time, offset] : messages) entries.u64(log_time).u64(offset);
    put(out, record(Opcode::message_index, Bytes().u16(channel).text(entries.view()).view()));
  }
  entry.message_index_bytes = size_ - behind;
  for (const auto& [channel, count] : chunk.counts_) {
    statistics_.by_channel[channel] += count;
    statistics_.messages += count;
  }
  const bool first = chunks_.empty();
  statistics_.start = first ? entry.start : std::min(statistics_.start, entry.start);
  statistics_.end = first ? entry.end : std::max(statistics_.end, entry.end);
  chunks_.push_back(std::move(entry));
}

std::string FileBuilder::copy(std::string_view chunk_record,
                              const std::vector<MessageView>& messages) {
  ChunkBuilder chunk;
  for (const MessageView& message : messages) {
    chunk.start_ = chunk.empty() ? message.log_time : std::min(chunk.start_, message.log_time);
    chunk.end_ = chunk.empty() ? message.log_time : std::max(chunk.end_, message.log_time);
    chunk.index_[message.channel].emplace_back(bits_of(message.log_time), message.offset);
    ++chunk.counts_[message.channel];
  }
  Cursor cursor(chunk_record.substr(head_bytes));
  const Result<ChunkHead> head = parse_chunk_head(cursor);
  DROVER_REQUIRE(head.ok());
  ChunkIndex entry;
  entry.start = chunk.start_;
  entry.end = chunk.end_;
  entry.offset = size_;
  entry.length = chunk_record.size();
  entry.compression = head->compression;
  entry.packed_bytes = head->packed_bytes;
  entry.records_bytes = head->records_bytes;
  Bytes times;
  times.u64(bits_of(entry.start)).u64(bits_of(entry.end));
  std::string out;
  put(out, chunk_record.substr(0, head_bytes));
  put(out, times.view());
  put(out, chunk_record.substr(head_bytes + times.size()));
  index(out, chunk, std::move(entry));
  return out;
}

std::string FileBuilder::end(const TextMap& totals) {
  std::string out;
  put_metadata(out, start_name, start_);
  put_metadata(out, totals_name, totals);
  put(out, record(Opcode::data_end, Bytes().u32(crc_).view()));
  const std::uint64_t summary_start = size_;
  const std::string whole = summary(summary_start);
  put(out, whole);
  put(out, magic);
  return out;
}

std::string FileBuilder::summary(std::uint64_t start) const {
  std::string out;
  Bytes offsets;
  const auto group = [&](Opcode opcode, const std::string& records) {
    if (records.empty()) return;
    Bytes content;
    content.u8(static_cast<std::uint8_t>(opcode)).u64(start + out.size()).u64(records.size());
    offsets.raw(record(Opcode::summary_offset, content.view()));
    out += records;
  };
  group(Opcode::schema, joined(form_.schemas));
  group(Opcode::channel, joined(form_.channels));
  std::string indexes;
  for (const ChunkIndex& chunk : chunks_) indexes += chunk_index_record(chunk);
  group(Opcode::chunk_index, indexes);
  Bytes counts;
  for (const auto& [channel, count] : statistics_.by_channel) counts.u16(channel).u64(count);
  Bytes content;
  content.u64(statistics_.messages).u16(static_cast<std::uint16_t>(form_.schemas.size()));
  content.u32(static_cast<std::uint32_t>(form_.channels.size())).u32(0);
  content.u32(static_cast<std::uint32_t>(metadata_.size()));
  content.u32(static_cast<std::uint32_t>(chunks_.size()));
  content.u64(bits_of(statistics_.start)).u64(bits_of(statistics_.end)).text(counts.view());
  group(Opcode::statistics, record(Opcode::statistics, content.view()));
  std::string metadata;
  for (const MetadataPlace& one : metadata_) {
    Bytes entry;
    entry.u64(one.offset).u64(one.length).text(one.name);
    metadata += record(Opcode::metadata_index, entry.view());
  }
  group(Opcode::metadata_index, metadata);
  const std::uint64_t offsets_start = start + out.size();
  out += offsets.view();
  Bytes footer;
  footer.u8(static_cast<std::uint8_t>(Opcode::footer)).u64(20).u64(start).u64(offsets_start);
  out += footer.view();
  return out + Bytes().u32(crc32_of(out)).take();
}

TextMap to_map(const RecordingStart& start) {
  TextMap map = {
      {"format", std::string(format_version)},
      {"fleet_time_ns", fmt::format("{}", start.fleet_time.time_since_epoch().count())},
      {"software", start.software},
      {"identity", fmt::format("{:016x}{:016x}", start.identity.high, start.identity.low)}};
  if (start.speed_known) map["speed"] = fmt::format("{}", start.speed);
  if (start.seed) map["seed"] = fmt::format("{}", static_cast<std::int64_t>(*start.seed));
  return map;
}

namespace {

Result<std::uint64_t> number_in(const TextMap& map, std::string_view key) {
  const auto found = map.find(std::string(key));
  if (found == map.end()) return error("metadata {}: missing", key);
  DROVER_ASSIGN(const auto number, parse_integer(found->second, fmt::format("metadata {}", key)));
  return static_cast<std::uint64_t>(number);
}

// 32 hexadecimal digits, like a job's id.
Result<Incarnation> identity_in(const TextMap& map) {
  const auto found = map.find("identity");
  if (found == map.end()) return error("metadata identity: missing");
  const Result<JobId> id = parse_job_id(found->second);
  if (!id) return error("metadata identity: {}", id.error().message);
  return Incarnation{id->high, id->low};
}

}  // namespace

// A wider range than any router accepts (0.01 to 10,000). Beyond it fleet time overflows.
constexpr double speed_least = 1e-3;
constexpr double speed_most = 1e6;

Result<RecordingStart> start_of(const TextMap& map) {
  const auto format = map.find("format");
  if (format == map.end() || format->second != format_version) {
    return error("metadata format: found {}, expected {}",
                 format == map.end() ? "none" : excerpt(format->second), format_version);
  }
  DROVER_ASSIGN(const auto time, number_in(map, "fleet_time_ns"));
  DROVER_ASSIGN(const auto identity, identity_in(map));
  RecordingStart start;
  start.fleet_time = instant_of(time);
  start.identity = identity;
  const auto speed = map.find("speed");
  start.speed_known = speed != map.end();
  if (start.speed_known) {
    DROVER_ASSIGN(const auto number, parse_number(speed->second, "metadata speed"));
    if (number < speed_least || number > speed_most) {
      return error("metadata speed: found {}, expected {:g} to {:g}", excerpt(speed->second),
                   speed_least, speed_most);
    }
    start.speed = number;
  }
  if (const auto software = map.find("software"); software != map.end()) {
    start.software = software->second;
  }
  if (map.contains("seed")) {
    DROVER_ASSIGN(start.seed, number_in(map, "seed"));
  }
  return start;
}

namespace {

struct CountKey {
  std::string_view key;
  std::uint64_t Totals::*count;
};
constexpr std::array<CountKey, 6> count_keys{{{"places", &Totals::ordinals},
                                              {"sample_batches", &Totals::batches},
                                              {"sample_values", &Totals::values},
                                              {"keyframes", &Totals::keyframes},
                                              {"dropped", &Totals::dropped},
                                              {"fell_back", &Totals::out_of_order}}};

}  // namespace

TextMap to_map(const Totals& totals) {
  TextMap map;
  for (const CountKey& row : count_keys) {
    map.emplace(row.key, fmt::format("{}", totals.*row.count));
  }
  const auto arrival = [&](Instant at) {
    return fmt::format("{}", totals.ordinals == 0 ? 0 : at.time_since_epoch().count());
  };
  map["longest_block_ns"] = fmt::format("{}", totals.longest_block.count());
  map["first_arrival_ns"] = arrival(totals.first);
  map["last_arrival_ns"] = arrival(totals.last);
  return map;
}

Status take_totals(const TextMap& map, Totals& totals) {
  for (const CountKey& row : count_keys) {
    DROVER_ASSIGN(const auto count, number_in(map, row.key));
    totals.*row.count = count;
  }
  DROVER_ASSIGN(const auto longest, number_in(map, "longest_block_ns"));
  DROVER_ASSIGN(const auto first, number_in(map, "first_arrival_ns"));
  DROVER_ASSIGN(const auto last, number_in(map, "last_arrival_ns"));
  totals.longest_block = std::max(Duration{0}, Duration{static_cast<std::int64_t>(longest)});
  totals.first = instant_of(first);
  totals.last = instant_of(last);
  return {};
}

}  // namespace drover::recording
