#include "commands/json_mcap.h"

#include <algorithm>

#include "commands/recording_rows.h"
#include "commands/session.h"

namespace drover::commands {

namespace {

using recording::Bytes;
using recording::Opcode;
using recording::record;

constexpr std::size_t chunk_bytes = 1U << 20;

std::uint16_t number_of(RecordingChannel channel) { return static_cast<std::uint16_t>(channel); }

std::uint64_t nanoseconds(Instant at) {
  return static_cast<std::uint64_t>(at.time_since_epoch().count());
}

}  // namespace

std::string JsonMcap::begin() {
  Bytes header;
  header.text("").text(software_name);
  std::string bytes(recording::magic);
  bytes += record(Opcode::header, header.view());
  bytes += describe();
  size_ = bytes.size();
  return bytes;
}

/// Schemas and channels: before the messages, and again in the summary.
std::string JsonMcap::describe() const {
  std::string bytes;
  for (const RecordingChannel channel : channels_) {
    const std::string name(to_text(channel));
    Bytes schema;
    schema.u16(number_of(channel)).text("drover." + name).text("jsonschema");
    schema.text(schema_of(channel).dump());
    Bytes described;
    described.u16(number_of(channel)).u16(number_of(channel)).text(name).text("json").u32(0);
    bytes += record(Opcode::schema, schema.view()) + record(Opcode::channel, described.view());
  }
  return bytes;
}

std::string JsonMcap::add(RecordingChannel channel, Instant arrived, Instant published,
                          std::string_view json) {
  if (index_.empty()) chunk_start_ = chunk_end_ = arrived;
  if (counts_.empty()) start_ = end_ = arrived;
  chunk_start_ = std::min(chunk_start_, arrived);
  chunk_end_ = std::max(chunk_end_, arrived);
  start_ = std::min(start_, arrived);
  end_ = std::max(end_, arrived);
  index_[number_of(channel)].emplace_back(arrived, records_.size());
  ++counts_[number_of(channel)];
  Bytes message;
  message.u16(number_of(channel)).u32(++sequence_).u64(nanoseconds(arrived));
  message.u64(nanoseconds(published)).raw(json);
  records_.raw(record(Opcode::message, message.view()));
  return records_.size() < chunk_bytes ? std::string() : close_chunk();
}

std::string JsonMcap::close_chunk() {
  if (index_.empty()) return {};
  const std::string records = std::exchange(records_, Bytes()).take();
  Bytes chunk;
  chunk.u64(nanoseconds(chunk_start_)).u64(nanoseconds(chunk_end_)).u64(records.size());
  chunk.u32(recording::crc32_of(records)).text("").u64(records.size()).raw(records);
  recording::ChunkIndex entry;
  entry.start = chunk_start_;
  entry.end = chunk_end_;
  entry.offset = size_;
  entry.packed_bytes = entry.records_bytes = records.size();
  std::string bytes = record(Opcode::chunk, chunk.view());
  entry.length = bytes.size();
  for (const auto& [channel, messages] : index_) {
    Bytes places;
    for (const auto& [at, offset] : messages) places.u64(nanoseconds(at)).u64(offset);
    Bytes index;
    index.u16(channel).text(places.view());
    entry.message_indexes[channel] = size_ + bytes.size();
    bytes += record(Opcode::message_index, index.view());
  }
  entry.message_index_bytes = bytes.size() - entry.length;
  index_.clear();
  chunks_.push_back(std::move(entry));
  size_ += bytes.size();
  return bytes;
}

std::string JsonMcap::statistics() const {
  Bytes counts;
  std::uint64_t messages = 0;
  for (const auto& [channel, count] : counts_) {
    counts.u16(channel).u64(count);
    messages += count;
  }
  const auto channels = static_cast<std::uint16_t>(channels_.size());
  Bytes content;
  content.u64(messages).u16(channels).u32(channels).u32(0).u32(0);
  content.u32(static_cast<std::uint32_t>(chunks_.size()));
  content.u64(nanoseconds(start_)).u64(nanoseconds(end_)).text(counts.view());
  return record(Opcode::statistics, content.view());
}

std::string JsonMcap::end() {
  std::string bytes = close_chunk();
  Bytes data_end;
  data_end.u32(0);  // no checksum of the whole: every chunk has its own
  const std::string closing = record(Opcode::data_end, data_end.view());
  const std::uint64_t summary_start = size_ + closing.size();
  bytes += closing + describe() + statistics();
  for (const recording::ChunkIndex& chunk : chunks_) {
    bytes += recording::chunk_index_record(chunk);
  }
  Bytes footer;
  footer.u64(summary_start).u64(0).u32(0);
  bytes += record(Opcode::footer, footer.view());
  return bytes.append(recording::magic);
}

}  // namespace drover::commands
