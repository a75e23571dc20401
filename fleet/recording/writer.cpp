#include "fleet/recording/writer.h"

#include <algorithm>
#include <utility>

#include "fleet/codec/codec.h"
#include "fleet/codec/limits.h"
#include "fleet/recording/format/layout.h"

namespace drover {
namespace {

using recording::BatchHeader;
using recording::ChunkBuilder;
using recording::ColumnFormat;
using recording::Source;

constexpr std::string_view recorder = "recorder";
// The parts of a keyframe are put into chunks of about this size.
constexpr std::size_t keyframe_chunk_bytes = 4u << 20;

std::vector<ColumnFormat> forms_of(const SampleBatch& batch) {
  std::vector<ColumnFormat> forms;
  forms.reserve(batch.columns.size());
  for (const Column& column : batch.columns) {
    forms.push_back({column.metric, column.width, column.scale});
  }
  return forms;
}

// Parts with at most the number of messages allowed in a SnapshotPart.
std::vector<SnapshotPart> parts_of(const std::vector<std::string>& messages) {
  std::vector<SnapshotPart> parts(1);
  std::size_t bytes = 0;
  for (const std::string& message : messages) {
    const std::size_t count = parts.back().messages.size();
    const bool full =
        bytes + message.size() > snapshot_part_bytes_max || count == codec::part_messages_max;
    if (count > 0 && full) {
      parts.emplace_back();
      bytes = 0;
    }
    parts.back().messages.push_back(message);
    bytes += message.size();
  }
  return parts;
}

}  // namespace

void RecordingWriter::take_place(Instant arrived) {
  DROVER_REQUIRE(begun_ && !ended_ && totals_.ordinals < recording_messages_max);
  ++totals_.ordinals;
  if (arrived < latest_) ++totals_.out_of_order;
  latest_ = arrived;
  if (!oldest_) oldest_ = arrived;
  totals_.first = std::min(totals_.first, arrived);
  totals_.last = std::max(totals_.last, arrived);
}

void RecordingWriter::append(Instant arrived, std::string_view bytes, Envelope envelope,
                             RecordingBytes& out) {
  const auto channel = channel_of(envelope.body);
  DROVER_REQUIRE(channel.has_value());
  if (*channel != RecordingChannel::samples) {
    return add_row(*channel, arrived, envelope.at, bytes, out);
  }
  take_place(arrived);
  gather(arrived, std::move(envelope));
  if (full(arrived)) return fold_into(out);
  out.journal +=
      RecordingJournal::entry(start_.identity, totals_.ordinals, arrived, *channel, bytes);
}

void RecordingWriter::add_row(RecordingChannel channel, Instant arrived, Instant at,
                              std::string_view bytes, RecordingBytes& out) {
  take_place(arrived);
  rows_.add(channel, totals_.ordinals, arrived, at, bytes);
  if (full(arrived)) return fold_into(out);
  out.journal +=
      RecordingJournal::entry(start_.identity, totals_.ordinals, arrived, channel, bytes);
  if (rows_.size() >= options_.row_chunk_bytes) write_rows(out.file);
}

void RecordingWriter::gather(Instant arrived, Envelope&& envelope) {
  auto& batch = std::get<SampleBatch>(envelope.body);
  std::vector<ColumnFormat> forms = forms_of(batch);
  SourceKey key(std::move(envelope.sender), std::move(batch.host), std::move(forms),
                std::move(batch.devices));
  const auto [found, fresh] = sources_.try_emplace(std::move(key));
  Source& source = found->second;
  if (fresh) {
    std::tie(source.sender, source.host, source.columns, source.devices) = found->first;
    samples_bytes_ += 256 + 2 * source.devices.size();
  }
  source.batches.push_back({totals_.ordinals, envelope.sequence, envelope.at, arrived});
  samples_bytes_ += sizeof(BatchHeader);
  for (Column& column : batch.columns) {
    samples_bytes_ += sizeof(std::string) + column.bytes.size();
    source.bytes.push_back(std::move(column.bytes));
  }
  ticks_ = std::max(ticks_, static_cast<std::uint32_t>(source.batches.size()));
  ++totals_.batches;
  totals_.values += source.devices.size() * source.columns.size();
}

bool RecordingWriter::full(Instant now) const {
  if (samples_bytes_ >= options_.pending_bytes) return true;
  // No subtraction, because instants may be too far apart.
  if (oldest_ && now > saturating_add(*oldest_, options_.fold_every)) return true;
  std::size_t devices = 0;
  if (ticks_ < std::min(options_.ticks, options_.ticks_of_many)) return false;
  if (ticks_ >= options_.ticks) return true;
  for (const auto& [key, source] : sources_) devices += source.devices.size();
  return devices > options_.many_devices;
}

void RecordingWriter::write_blocks(std::string& out) {
  std::vector<const Source*> block;
  std::uint64_t devices = 0;
  std::uint64_t cells = 0;
  const auto write = [&] {
    if (block.empty()) return;
    const std::string bytes = recording::encode_block(block, numbers_, options_.zstd_level);
    const auto head = recording::read_block_head(bytes);
    DROVER_REQUIRE(head.has_value());
    ChunkBuilder chunk;
    chunk.add(RecordingChannel::samples, head->ordinal, head->first, head->first, bytes);
    out += file_.chunk(chunk, 0);
    totals_.longest_block =
        std::max(totals_.longest_block, recording::apart(head->first, head->last));
    block.clear();
    devices = cells = 0;
  };
  const std::uint64_t cells_max = std::uint64_t{options_.block_devices} * options_.ticks;
  for (const auto& [key, source] : sources_) {
    if (block.size() >= options_.block_devices ||
        devices + source.devices.size() > options_.block_devices ||
        cells + source.cells() > cells_max) {
      write();
    }
    block.push_back(&source);
    devices += source.devices.size();
    cells += source.cells();
  }
  write();
  sources_.clear();
  ticks_ = 0;
  samples_bytes_ = 0;
}

void RecordingWriter::write_rows(std::string& out) {
  if (rows_.empty()) return;
  out += file_.chunk(rows_, options_.zstd_level);
  rows_.clear();
}

void RecordingWriter::fold_into(RecordingBytes& out) {
  write_blocks(out.file);
  const std::string dictionary = numbers_.take_new();
  if (!dictionary.empty()) {
    rows_.add(RecordingChannel::dictionary, totals_.ordinals, latest_, latest_, dictionary);
  }
  write_rows(out.file);
  oldest_.reset();
  out.folded = true;
  out.journal = RecordingJournal::begin(start_.identity);
}

RecordingBytes RecordingWriter::begin(const RecordingStart& start) {
  DROVER_REQUIRE(!begun_);
  begun_ = true;
  start_ = start;
  const recording::FileForm form = recording::recording_form(start.software);
  return {file_.begin(form, recording::to_map(start)), RecordingJournal::begin(start.identity),
          true};
}

Result<RecordingBytes> RecordingWriter::add(Instant arrived, std::string_view envelope_bytes) {
  DROVER_ASSIGN(auto envelope, decode(envelope_bytes));
  if (!channel_of(envelope.body)) {
    return error("found {}, expected a message that a router publishes", kind_name(envelope.body));
  }
  RecordingBytes out;
  append(arrived, envelope_bytes, std::move(envelope), out);
  return out;
}

RecordingBytes RecordingWriter::add(const RecordedMessage& recorded) {
  RecordingBytes out;
  append(recorded.arrived, encode(recorded.envelope), recorded.envelope, out);
  return out;
}

RecordingBytes RecordingWriter::add(const EncodedMessage& message) {
  DROVER_REQUIRE(message.channel != RecordingChannel::samples);
  RecordingBytes out;
  add_row(message.channel, message.arrived, message.at, message.bytes, out);
  return out;
}

RecordingBytes RecordingWriter::keyframe(Instant at, const std::vector<std::string>& messages) {
  DROVER_REQUIRE(begun_ && !ended_);
  RecordingBytes out;
  std::vector<SnapshotPart> parts = parts_of(messages);
  ++totals_.keyframes;
  ChunkBuilder chunk;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    SnapshotPart& part = parts[index];
    part.snapshot = totals_.keyframes;
    part.part = static_cast<std::uint32_t>(index);
    part.parts = static_cast<std::uint32_t>(parts.size());
    part.at_sequence = totals_.ordinals;
    const std::string bytes =
        encode({std::string(recorder), totals_.keyframes, at, std::move(part)});
    chunk.add(RecordingChannel::keyframes, totals_.ordinals, at, at, bytes);
    if (chunk.size() < keyframe_chunk_bytes && index + 1 < parts.size()) continue;
    out.file += file_.chunk(chunk, options_.zstd_level);
    chunk.clear();
  }
  return out;
}

RecordingBytes RecordingWriter::mark(Instant arrived, std::string_view text,
                                     std::optional<Instant> at) {
  RecordingBytes out;
  const Instant marked = at.value_or(arrived);
  const Event event{Severity::info, "bookmark", std::string(text)};
  const std::string bytes = encode({std::string(recorder), totals_.ordinals + 1, marked, event});
  add_row(RecordingChannel::bookmarks, arrived, marked, bytes, out);
  return out;
}

RecordingBytes RecordingWriter::dropped(const DroppedMessages& messages) {
  RecordingBytes out;
  totals_.dropped += messages.count;
  add_row(RecordingChannel::drops, messages.until, messages.since, recording::packed_map(messages),
          out);
  return out;
}

RecordingBytes RecordingWriter::fold() {
  RecordingBytes out;
  DROVER_REQUIRE(begun_ && !ended_);
  fold_into(out);
  return out;
}

RecordingBytes RecordingWriter::end() {
  RecordingBytes out = fold();
  ended_ = true;
  out.file += file_.end(recording::to_map(totals_));
  return out;
}

}  // namespace drover
