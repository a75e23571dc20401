// Reads recordings by time, by keyframe and by device.
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
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/recording/format/journal.h"
#include "fleet/recording/format/recording.h"

namespace drover {

namespace recording {
struct FileIndex;
struct SurveyedKeyframe;
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

/// A device's metric at one instant.
struct SeriesPoint {
  Instant arrived{};
  Instant at{};
  double value = absent;
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
  RecordingReader(RecordingReader&&) noexcept;
  RecordingReader& operator=(RecordingReader&&) noexcept;
  ~RecordingReader();

  const RecordingInfo& info() const;
  /// The entries that only the journal has, in its order.
  const std::vector<JournalEntry>& journaled() const;
  /// Arrival of the first and the last message. Both are the recording's start when it has none.
  Instant first() const;
  Instant last() const;

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
  const recording::FileIndex& index() const;
  /// Bytes of the file per channel. The bytes of a chunk with several channels are divided in
  /// proportion to their messages, for which its message indexes are read.
  std::map<RecordingChannel, std::uint64_t> channel_bytes();
  /// One metric of one device in [from, to), without absent values. Other metrics are not decoded.
  Result<std::vector<SeriesPoint>> series(const DeviceId& device, Metric metric, Instant from,
                                          Instant to);

 private:
  struct State;
  explicit RecordingReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace drover
