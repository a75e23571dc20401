// What a reader of recordings keeps between calls.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "fleet/recording/format/recording_journal.h"
#include "fleet/recording/recording_chunks.h"
#include "fleet/recording/recording_reader.h"

namespace drover {
namespace recording {

// What only the journal holds.
struct Journaled {
  RecordingChannel channel = RecordingChannel::events;
  Recorded recorded;
};

// Parts of keyframes, by snapshot and number.
using Snapshots = std::map<std::uint64_t, std::map<std::uint32_t, Recorded>>;

inline bool within(Instant time, Instant from, Instant to) { return from <= time && time < to; }
void in_order(std::vector<Recorded>& messages);

}  // namespace recording

struct RecordingReader::State {
  explicit State(ByteSource& file) : source(file), cache(file) {}

  void take_journal(std::string_view bytes);
  void leave_aside(std::string why);
  void take_entry(const JournalEntry& entry);
  // Whether a journal is this file's, where its identity cannot tell: recording_continued.cpp.
  bool is_continued_by(const std::vector<JournalEntry>& journaled);
  bool has(const std::vector<Recorded>& messages);
  bool ends_before(const std::vector<JournalEntry>& journaled);
  void set_info();
  bool may_hold(const recording::ChunkIndex& chunk, Instant from, Instant to) const;
  enum class Kinds { all, rows, samples };
  Result<std::vector<Recorded>> read(Instant from, Instant to, Kinds kinds);
  Status add_parts(const recording::ChunkIndex& chunk, Instant at, recording::Snapshots& parts);
  Status add_rows(Instant from, Instant to, std::vector<Recorded>& out);
  Status add_samples(Instant from, Instant to, std::vector<Recorded>& out);
  void add_journaled(Instant from, Instant to, Kinds kinds, std::vector<Recorded>& out);
  Result<std::vector<Recorded>> all_of(RecordingChannel channel);
  Status add_series(recording::Block& block, const DeviceId& device, std::uint8_t metric,
                    Instant from, Instant to, std::vector<SeriesPoint>& out);

  ByteSource& source;
  recording::ChunkCache cache;
  recording::FileIndex index;
  RecordingInfo info;
  std::vector<recording::Journaled> journal;
  std::vector<JournalEntry> entries;  // those that `journal` and the drops are made of
  std::vector<DroppedMessages> journaled_drops;
  Instant first{};
  Instant last{};
};

}  // namespace drover
