// Reads recordings by time and by keyframe.
//
// A recording is opened by its footer, with a fixed number of reads. A file without footer (its
// writer was killed) is scanned record by record, and damaged parts are listed in `info().lost`.
// Messages that only the journal has are read too.
//
// Files are untrusted: lengths are compared with the bytes available before memory is allocated,
// chunks are checked by their CRC-32 before they are decoded, and errors name the offset. A closed
// file can be opened *surveyed*: every chunk is read once, damaged chunks are left out as in a
// scan, and the reader knows the times of missing messages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/recording/chunks.h"
#include "fleet/recording/format/journal.h"
#include "fleet/recording/format/recording.h"

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

struct ChannelFacts {
  RecordingChannel channel = RecordingChannel::samples;
  std::uint64_t messages = 0;  // samples: blocks
};

struct RecordingInfo {
  RecordingStart start;
  std::uint64_t file_bytes = 0;
  bool closed = false;                 // has its footer
  bool ended = false;                  // was written to its end, with or without footer
  std::vector<ChannelFacts> channels;  // those with messages
  std::uint64_t chunks = 0;
  std::uint64_t sample_batches = 0;  // in blocks
  std::uint64_t sample_values = 0;   // in blocks
  std::uint64_t sample_bytes = 0;    // of the chunks with samples
  std::uint64_t keyframes = 0;
  std::uint64_t dropped = 0;            // messages that the recorder counted as dropped
  std::uint64_t journaled = 0;          // messages that only the journal has
  std::uint64_t out_of_order = 0;       // messages with an earlier arrival time than the one before
  std::vector<LostRange> lost;          // of the file
  std::vector<LostRange> journal_lost;  // of the journal
  bool journal_absent = false;          // the file was not closed, and its journal is missing
  bool journal_rejected = false;        // the journal does not belong to the recording
  std::vector<std::string> notes;       // further remarks for users

  /// Whether the recording covers any time.
  bool has_messages() const { return chunks > 0 || journaled > 0; }
  /// Whether further messages may be missing at the end: file and journal are both truncated.
  bool is_end_unknown() const {
    return journal_absent || (!journal_lost.empty() && !journal_lost.back().to);
  }
};

/// A time with missing messages. At `end` the state is complete again; `never`: it never is.
struct RecordingGap {
  Instant from{};
  Instant end{};
  bool operator==(const RecordingGap&) const = default;
};

class RecordingReader {
 public:
  /// Whether to survey a file only when necessary, or always.
  enum class Survey : std::uint8_t { where_needed, always };
  /// The source must outlive the reader; the journal's bytes need not. `journal`: nothing when
  /// there is no such file.
  static Result<RecordingReader> open(ByteSource& file,
                                      std::optional<std::string_view> journal = {},
                                      Survey survey = Survey::where_needed);

  const RecordingInfo& info() const { return info_; }
  /// The entries that only the journal has, in its order.
  const std::vector<JournalEntry>& journaled() const { return entries_; }
  /// Arrival of the first and the last message. Both are the recording's start when it has none.
  Instant first() const { return first_; }
  Instant last() const { return last_; }

  /// All messages that arrived in [from, to), in order of their ordinals, SampleBatches included.
  /// Decoded blocks are cached, so that reading on in small steps is not slower.
  Result<std::vector<RecordedMessage>> read(Instant from, Instant to);
  /// The same without samples, and samples only.
  Result<std::vector<RecordedMessage>> read_rows(Instant from, Instant to);
  Result<std::vector<RecordedMessage>> read_samples(Instant from, Instant to);
  /// The last complete keyframe at or before `at`.
  Result<std::optional<Keyframe>> keyframe_before(Instant at);
  /// All messages of these channels, in order. Events include Captions; bookmarks are Events.
  Result<std::vector<RecordedMessage>> alerts();
  Result<std::vector<RecordedMessage>> events();
  Result<std::vector<RecordedMessage>> bookmarks();
  Result<std::vector<DroppedMessages>> drops();
  /// The times with missing messages, damaged or never written. In order and disjoint. REQUIRES a
  /// surveyed reader.
  Result<std::vector<RecordingGap>> gaps();
  /// The messages lost in damaged parts, and their times, in order. A possibly truncated end counts
  /// as one message. REQUIRES a surveyed reader.
  std::vector<DroppedMessages> missing();
  /// All complete keyframes in order, without their messages. REQUIRES a surveyed reader.
  const std::vector<recording::SurveyedKeyframe>& keyframes() const;
  Result<Keyframe> read(const recording::SurveyedKeyframe& keyframe);
  const recording::FileIndex& index() const { return index_; }
  /// Bytes of the file per channel. The bytes of a chunk with several channels are divided in
  /// proportion to their messages, for which its message indexes are read.
  std::map<RecordingChannel, std::uint64_t> channel_bytes();

 private:
  explicit RecordingReader(ByteSource& file) : source_(file), cache_(file) {}

  void take_journal(std::string_view bytes);
  void reject_journal(std::string why);
  void take_entry(const JournalEntry& entry);
  // Whether a journal belongs to this file, when its identity does not show it: continued.cpp.
  bool is_continued_by(const std::vector<JournalEntry>& journaled);
  bool has(const std::vector<RecordedMessage>& messages);
  bool ends_before(const std::vector<JournalEntry>& journaled);
  void set_info();
  bool may_hold(const recording::ChunkIndex& chunk, Instant from, Instant to) const;
  enum class Kinds : std::uint8_t { all, rows, samples };
  Result<std::vector<RecordedMessage>> read(Instant from, Instant to, Kinds kinds);
  Status add_parts(const recording::ChunkIndex& chunk, Instant at, recording::Snapshots& parts);
  Status add_rows(Instant from, Instant to, std::vector<RecordedMessage>& out);
  Status add_samples(Instant from, Instant to, std::vector<RecordedMessage>& out);
  void add_journaled(Instant from, Instant to, Kinds kinds, std::vector<RecordedMessage>& out);
  Result<std::vector<RecordedMessage>> all_of(RecordingChannel channel);

  ByteSource& source_;
  recording::ChunkCache cache_;
  recording::FileIndex index_;
  RecordingInfo info_;
  std::vector<recording::JournaledMessage> journal_;
  std::vector<JournalEntry> entries_;  // the sources of `journal_` and `journaled_drops_`
  std::vector<DroppedMessages> journaled_drops_;
  Instant first_{};
  Instant last_{};
};

}  // namespace drover
