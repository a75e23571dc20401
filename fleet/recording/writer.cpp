#include "fleet/recording/writer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fleet/codec/codec.h"
#include "fleet/codec/limits.h"
#include "fleet/recording/format/layout.h"
#include "fleet/recording/writer_state.h"

namespace drover {
namespace {

using recording::BatchHeader;
using recording::ChunkBuilder;
using recording::ColumnFormat;
using recording::Source;
using recording::SourceKey;

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

void RecordingWriter::State::take_place(Instant arrived) {
  DROVER_REQUIRE(begun && !ended && ordinal < recording_messages_max);
  ++ordinal;
  if (arrived < latest) ++out_of_order;
  latest = arrived;
  if (!oldest) oldest = arrived;
  first_arrival = std::min(first_arrival, arrived);
  last_arrival = std::max(last_arrival, arrived);
}

void RecordingWriter::State::add(Instant arrived, std::string_view bytes, Envelope envelope,
                                 RecordingBytes& out) {
  const auto channel = channel_of(envelope.body);
  DROVER_REQUIRE(channel.has_value());
  if (*channel != RecordingChannel::samples) {
    return add_row(*channel, arrived, envelope.at, bytes, out);
  }
  take_place(arrived);
  gather(arrived, std::move(envelope));
  if (full(arrived)) return fold(out);
  out.journal += RecordingJournal::entry(start.identity, ordinal, arrived, *channel, bytes);
}

void RecordingWriter::State::add_row(RecordingChannel channel, Instant arrived, Instant at,
                                     std::string_view bytes, RecordingBytes& out) {
  take_place(arrived);
  rows.add(channel, ordinal, arrived, at, bytes);
  if (full(arrived)) return fold(out);
  out.journal += RecordingJournal::entry(start.identity, ordinal, arrived, channel, bytes);
  if (rows.size() >= options.row_chunk_bytes) write_rows(out.file);
}

void RecordingWriter::State::gather(Instant arrived, Envelope&& envelope) {
  auto& batch = std::get<SampleBatch>(envelope.body);
  std::vector<ColumnFormat> forms = forms_of(batch);
  SourceKey key(std::move(envelope.sender), std::move(batch.host), std::move(forms),
                std::move(batch.devices));
  const auto [found, fresh] = sources.try_emplace(std::move(key));
  Source& source = found->second;
  if (fresh) {
    std::tie(source.sender, source.host, source.columns, source.devices) = found->first;
    samples_bytes += 256 + 2 * source.devices.size();
  }
  source.batches.push_back({ordinal, envelope.sequence, envelope.at, arrived});
  samples_bytes += sizeof(BatchHeader);
  for (Column& column : batch.columns) {
    samples_bytes += sizeof(std::string) + column.bytes.size();
    source.bytes.push_back(std::move(column.bytes));
  }
  ticks = std::max(ticks, static_cast<std::uint32_t>(source.batches.size()));
  ++batches;
  values += source.devices.size() * source.columns.size();
}

bool RecordingWriter::State::full(Instant now) const {
  if (samples_bytes >= options.pending_bytes) return true;
  // No subtraction, because instants may be too far apart.
  if (oldest && now > saturating_add(*oldest, options.fold_every)) return true;
  std::size_t devices = 0;
  if (ticks < std::min(options.ticks, options.ticks_of_many)) return false;
  if (ticks >= options.ticks) return true;
  for (const auto& [key, source] : sources) devices += source.devices.size();
  return devices > options.many_devices;
}

void RecordingWriter::State::write_blocks(std::string& out) {
  std::vector<const Source*> block;
  std::uint64_t devices = 0;
  std::uint64_t cells = 0;
  const auto write = [&] {
    if (block.empty()) return;
    const std::string bytes = recording::encode_block(block, numbers, options.zstd_level);
    const auto head = recording::read_block_head(bytes);
    DROVER_REQUIRE(head.has_value());
    ChunkBuilder chunk;
    chunk.add(RecordingChannel::samples, head->ordinal, head->first, head->first, bytes);
    out += file.chunk(chunk, 0);
    longest_block = std::max(longest_block, recording::apart(head->first, head->last));
    block.clear();
    devices = cells = 0;
  };
  const std::uint64_t cells_max = std::uint64_t{options.block_devices} * options.ticks;
  for (const auto& [key, source] : sources) {
    if (block.size() >= options.block_devices ||
        devices + source.devices.size() > options.block_devices ||
        cells + source.cells() > cells_max) {
      write();
    }
    block.push_back(&source);
    devices += source.devices.size();
    cells += source.cells();
  }
  write();
  sources.clear();
  ticks = 0;
  samples_bytes = 0;
}

void RecordingWriter::State::write_rows(std::string& out) {
  if (rows.empty()) return;
  out += file.chunk(rows, options.zstd_level);
  rows.clear();
}

void RecordingWriter::State::fold(RecordingBytes& out) {
  write_blocks(out.file);
  const std::string dictionary = numbers.take_new();
  if (!dictionary.empty()) {
    rows.add(RecordingChannel::dictionary, ordinal, latest, latest, dictionary);
  }
  write_rows(out.file);
  oldest.reset();
  out.folded = true;
  out.journal = RecordingJournal::begin(start.identity);
}

RecordingWriter::RecordingWriter(RecordingOptions options)
    : state_(std::make_unique<State>(options)) {}
RecordingWriter::RecordingWriter(RecordingWriter&&) noexcept = default;
RecordingWriter& RecordingWriter::operator=(RecordingWriter&&) noexcept = default;
RecordingWriter::~RecordingWriter() = default;

RecordingBytes RecordingWriter::begin(const RecordingStart& start) {
  DROVER_REQUIRE(!state_->begun);
  state_->begun = true;
  state_->start = start;
  const recording::FileForm form = recording::recording_form(start.software);
  return {state_->file.begin(form, recording::to_map(start)),
          RecordingJournal::begin(start.identity), true};
}

Result<RecordingBytes> RecordingWriter::add(Instant arrived, std::string_view envelope_bytes) {
  Result<Envelope> envelope = decode(envelope_bytes);
  if (!envelope) return envelope.error();
  if (!channel_of(envelope->body)) {
    return error("found {}, expected a message that a router publishes", kind_name(envelope->body));
  }
  RecordingBytes out;
  state_->add(arrived, envelope_bytes, std::move(*envelope), out);
  return out;
}

RecordingBytes RecordingWriter::add(const RecordedMessage& recorded) {
  RecordingBytes out;
  state_->add(recorded.arrived, encode(recorded.envelope), recorded.envelope, out);
  return out;
}

RecordingBytes RecordingWriter::keyframe(Instant at, const std::vector<std::string>& messages) {
  State& state = *state_;
  DROVER_REQUIRE(state.begun && !state.ended);
  RecordingBytes out;
  std::vector<SnapshotPart> parts = parts_of(messages);
  ++state.keyframes;
  ChunkBuilder chunk;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    SnapshotPart& part = parts[index];
    part.snapshot = state.keyframes;
    part.part = static_cast<std::uint32_t>(index);
    part.parts = static_cast<std::uint32_t>(parts.size());
    part.at_sequence = state.ordinal;
    const std::string bytes = encode({std::string(recorder), state.keyframes, at, std::move(part)});
    chunk.add(RecordingChannel::keyframes, state.ordinal, at, at, bytes);
    if (chunk.size() < keyframe_chunk_bytes && index + 1 < parts.size()) continue;
    out.file += state.file.chunk(chunk, state.options.zstd_level);
    chunk.clear();
  }
  return out;
}

RecordingBytes RecordingWriter::mark(Instant at, std::string_view text) {
  RecordingBytes out;
  const Event event{Severity::info, "bookmark", std::string(text)};
  const std::string bytes = encode({std::string(recorder), state_->ordinal + 1, at, event});
  state_->add_row(RecordingChannel::bookmarks, at, at, bytes, out);
  return out;
}

RecordingBytes RecordingWriter::dropped(const DroppedMessages& messages) {
  RecordingBytes out;
  state_->dropped += messages.count;
  state_->add_row(RecordingChannel::drops, messages.until, messages.since,
                  recording::packed_map(messages), out);
  return out;
}

RecordingBytes RecordingWriter::fold() {
  RecordingBytes out;
  DROVER_REQUIRE(state_->begun && !state_->ended);
  state_->fold(out);
  return out;
}

RecordingBytes RecordingWriter::end() {
  RecordingBytes out = fold();
  State& state = *state_;
  state.ended = true;
  const auto text = [](auto number) { return fmt::format("{}", number); };
  out.file += state.file.end(
      {{"places", text(state.ordinal)},
       {"sample_batches", text(state.batches)},
       {"sample_values", text(state.values)},
       {"keyframes", text(state.keyframes)},
       {"dropped", text(state.dropped)},
       {"fell_back", text(state.out_of_order)},
       {"longest_block_ns", text(state.longest_block.count())},
       {"first_arrival_ns",
        text(state.ordinal == 0 ? 0 : state.first_arrival.time_since_epoch().count())},
       {"last_arrival_ns",
        text(state.ordinal == 0 ? 0 : state.last_arrival.time_since_epoch().count())}});
  return out;
}

std::uint64_t RecordingWriter::ordinal() const { return state_->ordinal; }

}  // namespace drover
