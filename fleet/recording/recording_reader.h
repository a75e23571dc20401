// A recording, read: by time, by keyframe, by device.
//
// Opened by its footer in a fixed number of reads. A file without one (its writer was killed) is
// walked record by record, and what is not whole is said in `info().lost`. What the journal holds
// beyond the file's end is part of what a reader gives.
//
// Nothing of a file is believed: lengths are compared with the bytes there are before memory is
// taken, chunks are checked by their CRC-32 before they are decoded, and an error names the offset.
// A closed file can be opened *surveyed*: then every chunk is read once, those that are damaged are
// left out like those of a file that is walked, and the reader knows the times of which not all is
// there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/recording/format/recording.h"
#include "fleet/recording/format/recording_journal.h"

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
  bool closed = false;                 // it has its footer
  bool ended = false;                  // it was written to its end, footer or not
  std::vector<ChannelFacts> channels;  // those that hold something
  std::uint64_t chunks = 0;
  std::uint64_t sample_batches = 0;  // in blocks
  std::uint64_t sample_values = 0;   // in blocks
  std::uint64_t sample_bytes = 0;    // of the chunks that hold them
  std::uint64_t keyframes = 0;
  std::uint64_t dropped = 0;    // messages, as the recorder counted them
  std::uint64_t journaled = 0;  // messages that only the journal holds
  std::uint64_t fell_back = 0;  // messages that arrived at an earlier time than the one before
  std::vector<LostRange> lost;  // of the file
  std::vector<LostRange> journal_lost;  // of the journal
  bool journal_absent = false;          // of a file that was not closed: it should have one
  bool journal_aside = false;           // there is one, and it was not believed
  std::vector<std::string> notes;       // what else is worth knowing, in words

  /// Else there is no time of which it tells.
  bool has_messages() const { return chunks > 0 || journaled > 0; }
  /// More may have followed what is there: the end is torn off, and that of the journal as well.
  bool is_end_unknown() const {
    return journal_absent || (!journal_lost.empty() && !journal_lost.back().to);
  }
};

/// A time of which not all is there. At `end` the state is whole again; `never`: it is not.
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
  /// A file is surveyed where it must be, or always.
  enum class Survey : std::uint8_t { where_needed, always };
  /// The source must outlive the reader; the journal's bytes need not. No journal: there is no such
  /// file.
  static Result<RecordingReader> open(ByteSource& file,
                                      std::optional<std::string_view> journal = {},
                                      Survey survey = Survey::where_needed);
  RecordingReader(RecordingReader&&) noexcept;
  RecordingReader& operator=(RecordingReader&&) noexcept;
  ~RecordingReader();

  const RecordingInfo& info() const;
  /// What only the journal holds, in its order.
  const std::vector<JournalEntry>& journaled() const;
  /// Of the first and last message; equal when there is at most one. When there is none: when the
  /// recording began.
  Instant first() const;
  Instant last() const;

  /// All that arrived in [from, to), in the order of places: SampleBatches among the rest. Decoded
  /// blocks are kept for the next call, so that reading on in small steps costs no more.
  Result<std::vector<Recorded>> read(Instant from, Instant to);
  /// The same without samples, and nothing but samples.
  Result<std::vector<Recorded>> read_rows(Instant from, Instant to);
  Result<std::vector<Recorded>> read_samples(Instant from, Instant to);
  /// The last batch of every source that arrived at `at` or before, but not more than a block
  /// before: what a dashboard shows at that moment.
  Result<std::vector<Recorded>> samples_at(Instant at);
  /// The last whole one at `at` or before.
  Result<std::optional<Keyframe>> keyframe_before(Instant at);
  /// All of them, in order: places to jump to. Among events are captions; bookmarks are Events.
  Result<std::vector<Recorded>> alerts();
  Result<std::vector<Recorded>> events();
  Result<std::vector<Recorded>> bookmarks();
  Result<std::vector<DroppedMessages>> drops();
  /// The times of which messages are missing: damaged, or never in the file. In order, apart from
  /// one another. REQUIRES a surveyed reader.
  Result<std::vector<RecordingGap>> gaps();
  /// What stood in the damaged parts and nowhere else, and when. Behind an end that may be torn off
  /// there is one message at least. In order. REQUIRES a surveyed reader.
  std::vector<DroppedMessages> missing();
  /// All whole ones, in the order of places, without their messages. REQUIRES a surveyed reader.
  const std::vector<recording::SurveyedKeyframe>& keyframes() const;
  Result<Keyframe> read(const recording::SurveyedKeyframe& keyframe);
  const recording::FileIndex& index() const;
  /// How much of the file each channel takes; of a chunk that several share, by what their messages
  /// take in it. Reads the message indexes of those.
  std::map<RecordingChannel, std::uint64_t> channel_bytes();
  /// One metric of one device in [from, to), absent values left out; other metrics stay undecoded.
  Result<std::vector<SeriesPoint>> series(const DeviceId& device, Metric metric, Instant from,
                                          Instant to);

 private:
  struct State;
  explicit RecordingReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace drover
