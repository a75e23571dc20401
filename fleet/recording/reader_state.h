// The state of a RecordingReader.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "fleet/recording/chunks.h"
#include "fleet/recording/format/journal.h"
#include "fleet/recording/reader.h"

namespace drover {
namespace recording {

// A message that only the journal has.
struct JournaledMessage {
  RecordingChannel channel = RecordingChannel::events;
  RecordedMessage recorded;
};

// Parts of keyframes, by snapshot and number.
using Snapshots = std::map<std::uint64_t, std::map<std::uint32_t, RecordedMessage>>;

inline bool within(Instant time, Instant from, Instant to) { return from <= time && time < to; }
void in_order(std::vector<RecordedMessage>& messages);

}  // namespace recording

struct RecordingReader::State {
  explicit State(ByteSource& file) : source(file), cache(file) {}

  void take_journal(std::string_view bytes);
  void reject_journal(std::string why);
  void take_entry(const JournalEntry& entry);
  // Whether a journal belongs to this file, when its identity does not show it: continued.cpp.
  bool is_continued_by(const std::vector<JournalEntry>& journaled);
  bool has(const std::vector<RecordedMessage>& messages);
  bool ends_before(const std::vector<JournalEntry>& journaled);
  void set_info();
  bool may_hold(const recording::ChunkIndex& chunk, Instant from, Instant to) const;
  enum class Kinds { all, rows, samples };
  Result<std::vector<RecordedMessage>> read(Instant from, Instant to, Kinds kinds);
  Status add_parts(const recording::ChunkIndex& chunk, Instant at, recording::Snapshots& parts);
  Status add_rows(Instant from, Instant to, std::vector<RecordedMessage>& out);
  Status add_samples(Instant from, Instant to, std::vector<RecordedMessage>& out);
  void add_journaled(Instant from, Instant to, Kinds kinds, std::vector<RecordedMessage>& out);
  Result<std::vector<RecordedMessage>> all_of(RecordingChannel channel);
  Status add_series(recording::Block& block, const DeviceId& device, std::uint8_t metric,
                    Instant from, Instant to, std::vector<SeriesPoint>& out);

  ByteSource& source;
  recording::ChunkCache cache;
  recording::FileIndex index;
  RecordingInfo info;
  std::vector<recording::JournaledMessage> journal;
  std::vector<JournalEntry> entries;  // the sources of `journal` and `journaled_drops`
  std::vector<DroppedMessages> journaled_drops;
  Instant first{};
  Instant last{};
};

}  // namespace drover
