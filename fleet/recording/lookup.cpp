// Look-ups in a recording: keyframes, whole channels, one device.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "fleet/recording/format/layout.h"
#include "fleet/recording/reader_state.h"

namespace drover {
namespace {

using recording::Block;
using recording::ChunkIndex;
using recording::in_order;
using recording::JournaledMessage;
using recording::MessageView;
using recording::OpenChunk;
using recording::Snapshots;
using recording::within;

using Messages = std::vector<RecordedMessage>;

Keyframe joined(std::map<std::uint32_t, RecordedMessage>& parts) {
  Keyframe keyframe{parts.begin()->second.arrived, parts.begin()->second.ordinal, {}};
  for (auto& [number, row] : parts) {
    auto& messages = std::get<SnapshotPart>(row.envelope.body).messages;
    std::move(messages.begin(), messages.end(), std::back_inserter(keyframe.messages));
  }
  return keyframe;
}

}  // namespace

Result<std::optional<Keyframe>> RecordingReader::keyframe_before(Instant at) {
  State& state = *state_;
  if (state.index.surveyed) {
    const auto& all = state.index.keyframes;
    const auto last = std::find_if(all.rbegin(), all.rend(),
                                   [&](const auto& keyframe) { return keyframe.at <= at; });
    if (last == all.rend()) return std::optional<Keyframe>{};
    Result<Keyframe> keyframe = read(*last);
    if (!keyframe) return keyframe.error();
    return std::optional(std::move(*keyframe));
  }
  Snapshots parts;
  for (std::size_t i = state.index.chunks.size(); i > 0; --i) {
    const ChunkIndex& chunk = state.index.chunks[i - 1];
    if (!chunk.holds(RecordingChannel::keyframes) || chunk.start > at) continue;
    if (Status status = state.add_parts(chunk, at, parts); !status) return status.error();
    for (auto whole = parts.rbegin(); whole != parts.rend(); ++whole) {
      const RecordedMessage& any = whole->second.begin()->second;
      if (whole->second.size() != std::get<SnapshotPart>(any.envelope.body).parts) continue;
      return std::optional(joined(whole->second));
    }
  }
  return std::optional<Keyframe>{};
}

// Adds the parts in the chunk that arrived at or before `at`.
Status RecordingReader::State::add_parts(const ChunkIndex& chunk, Instant at, Snapshots& parts) {
  const Result<OpenChunk*> open = cache.get(chunk);
  if (!open) return open.error();
  for (const MessageView& message : (*open)->messages) {
    if (message.channel != static_cast<std::uint16_t>(RecordingChannel::keyframes)) continue;
    Result<RecordedMessage> row = recording::row_of(message, chunk);
    if (!row) return row.error();
    const auto* part = std::get_if<SnapshotPart>(&row->envelope.body);
    if (part == nullptr || row->arrived > at) continue;
    const std::uint64_t snapshot = part->snapshot;
    const std::uint32_t number = part->part;
    parts[snapshot].insert_or_assign(number, std::move(*row));
  }
  return {};
}

const std::vector<recording::SurveyedKeyframe>& RecordingReader::keyframes() const {
  DROVER_REQUIRE(state_->index.surveyed);
  return state_->index.keyframes;
}

Result<Keyframe> RecordingReader::read(const recording::SurveyedKeyframe& keyframe) {
  Snapshots parts;
  for (std::size_t i = keyframe.first_chunk; i <= keyframe.last_chunk; ++i) {
    const ChunkIndex& chunk = state_->index.chunks.at(i);
    if (!chunk.holds(RecordingChannel::keyframes)) continue;
    if (Status status = state_->add_parts(chunk, Instant::max(), parts); !status) {
      return status.error();
    }
  }
  const auto found = parts.find(keyframe.snapshot);
  if (found == parts.end())
    return error("keyframe {}: none of its parts was found", keyframe.snapshot);
  return joined(found->second);
}

Result<Messages> RecordingReader::State::all_of(RecordingChannel channel) {
  Messages messages;
  for (const ChunkIndex& chunk : index.chunks) {
    if (!chunk.holds(channel)) continue;
    const Result<std::unique_ptr<OpenChunk>> open = recording::open_chunk(source, chunk);
    if (!open) return open.error();
    for (const MessageView& message : (*open)->messages) {
      if (message.channel != static_cast<std::uint16_t>(channel)) continue;
      Result<RecordedMessage> row = recording::row_of(message, chunk);
      if (!row) return row.error();
      messages.push_back(std::move(*row));
    }
  }
  for (const JournaledMessage& one : journal) {
    if (one.channel == channel) messages.push_back(one.recorded);
  }
  in_order(messages);
  return messages;
}

Result<Messages> RecordingReader::alerts() { return state_->all_of(RecordingChannel::alerts); }
Result<Messages> RecordingReader::events() { return state_->all_of(RecordingChannel::events); }
Result<Messages> RecordingReader::bookmarks() {
  return state_->all_of(RecordingChannel::bookmarks);
}

Result<std::vector<DroppedMessages>> RecordingReader::drops() {
  std::vector<DroppedMessages> drops;
  for (const ChunkIndex& chunk : state_->index.chunks) {
    if (!chunk.holds(RecordingChannel::drops)) continue;
    const Result<OpenChunk*> open = state_->cache.get(chunk);
    if (!open) return open.error();
    for (const MessageView& message : (*open)->messages) {
      if (message.channel != static_cast<std::uint16_t>(RecordingChannel::drops)) continue;
      const auto one = recording::unpacked_map<DroppedMessages>(message.data);
      if (!one) return error("byte {}: {}", chunk.offset, one.error().message);
      drops.push_back(*one);
    }
  }
  drops.insert(drops.end(), state_->journaled_drops.begin(), state_->journaled_drops.end());
  return drops;
}

namespace {

double value_of(std::int64_t integer, const recording::ColumnFormat& form) {
  Column column{form.metric, form.width, form.scale, {}};
  for (int i = 0; i < form.width; ++i) {
    column.bytes += static_cast<char>(static_cast<std::uint64_t>(integer) >> (8 * i));
  }
  double value = absent;
  decode(column, {&value, 1});
  return value;
}

std::optional<std::size_t> row_of(const std::vector<std::uint16_t>& devices, std::uint16_t device) {
  const auto found = std::find(devices.begin(), devices.end(), device);
  if (found == devices.end()) return {};
  return static_cast<std::size_t>(found - devices.begin());
}

}  // namespace

Status RecordingReader::State::add_series(Block& block, const DeviceId& device, std::uint8_t metric,
                                          Instant from, Instant to, std::vector<SeriesPoint>& out) {
  for (std::size_t number = 0; number < block.sources().size(); ++number) {
    const recording::BlockSource& one = block.sources()[number];
    const auto row = one.host == device.host ? row_of(one.devices, device.index) : std::nullopt;
    if (!row) continue;
    recording::ColumnFormat form;
    const auto integers = block.row(number, *row, metric, form);
    if (!integers) return integers.error();
    for (std::size_t tick = 0; tick < integers->size(); ++tick) {
      const recording::BatchHeader& facts = block.facts(block.first_batch(number) + tick);
      const double value = value_of((*integers)[tick], form);
      const bool wanted = !std::isnan(value) && within(facts.arrived, from, to);
      if (wanted) out.push_back({facts.arrived, facts.at, value});
    }
  }
  return {};
}

Result<std::vector<SeriesPoint>> RecordingReader::series(const DeviceId& device, Metric metric,
                                                         Instant from, Instant to) {
  State& state = *state_;
  const auto number = static_cast<std::uint8_t>(metric);
  std::vector<SeriesPoint> points;
  for (const ChunkIndex& chunk : state.index.chunks) {
    if (!chunk.holds(RecordingChannel::samples) || !state.may_hold(chunk, from, to)) continue;
    const Result<std::unique_ptr<OpenChunk>> open = recording::open_chunk(state.source, chunk);
    if (!open) return open.error();
    for (Block& block : (*open)->blocks) {
      if (Status status = state.add_series(block, device, number, from, to, points); !status) {
        return error("byte {}: {}", chunk.offset, status.error().message);
      }
    }
  }
  for (const JournaledMessage& one : state.journal) {
    const auto* batch = std::get_if<SampleBatch>(&one.recorded.envelope.body);
    if (batch == nullptr || batch->host != device.host) continue;
    const auto row = row_of(batch->devices, device.index);
    if (!row || !within(one.recorded.arrived, from, to)) continue;
    for (const Column& column : batch->columns) {
      double value = absent;
      if (column.metric == number) decode_present(column, *row, {&value, 1});
      if (std::isnan(value)) continue;
      points.push_back({one.recorded.arrived, one.recorded.envelope.at, value});
    }
  }
  std::stable_sort(points.begin(), points.end(), [](const SeriesPoint& a, const SeriesPoint& b) {
    return a.arrived < b.arrived;
  });
  return points;
}

}  // namespace drover
