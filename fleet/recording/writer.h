// Writes published messages as the bytes of a recording.
//
// Sample batches are buffered until one source has `ticks` of them. Then all buffered messages are
// folded into columnar blocks, and the journal is restarted. Until then they are in the journal, so
// that a crash loses only what was not on disk yet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fleet/recording/format/block.h"
#include "fleet/recording/format/file.h"
#include "fleet/recording/format/journal.h"
#include "fleet/recording/format/recording.h"

namespace drover {

struct RecordingOptions {
  std::uint32_t ticks = 60;                 // batches per source in a block, up to `many_devices`
  std::uint32_t ticks_of_many = 10;         // the same above `many_devices`
  std::uint32_t many_devices = 10'000;      // in the whole fleet
  std::uint32_t block_devices = 1024;       // in one block
  std::uint64_t row_chunk_bytes = 1 << 20;  // maximum of buffered rows, uncompressed
  std::uint64_t pending_bytes = 256ull << 20;      // maximum of buffered samples
  Duration fold_every = std::chrono::minutes(10);  // maximum fleet time between folds
  int zstd_level = 3;
};

/// A published message other than samples, as it came.
struct EncodedMessage {
  RecordingChannel channel = RecordingChannel::state;
  Instant arrived{}, at{};  // fleet time; `at`: as in its envelope
  std::string bytes;
};

/// What the caller must do, in this order: append `file` to the recording; if `folded`, sync the
/// recording to disk and empty the journal; append `journal` to the journal.
struct RecordingBytes {
  std::string file;
  std::string journal;
  bool folded = false;
};

class RecordingWriter {
 public:
  explicit RecordingWriter(RecordingOptions options = {}) : options_(options) {}

  /// Call first and once.
  RecordingBytes begin(const RecordingStart& start);
  /// Adds an envelope as it was received. An error when it does not decode or no router publishes
  /// it. REQUIRES ordinal() below recording_messages_max, as do all functions that add a message:
  /// begin a new file in time.
  Result<RecordingBytes> add(Instant arrived, std::string_view envelope_bytes);
  /// REQUIRES a message that the router publishes and that decodes once encoded.
  RecordingBytes add(const RecordedMessage& recorded);
  /// REQUIRES bytes that decode to such a message.
  RecordingBytes add(const EncodedMessage& message);
  /// Adds the state after all messages so far: envelopes as in SnapshotPart. One at the start and
  /// about every minute make seeking fast.
  RecordingBytes keyframe(Instant at, const std::vector<std::string>& messages);
  /// Adds a bookmark, made at `arrived`, of the moment `at`: that one unless it is given.
  RecordingBytes mark(Instant arrived, std::string_view text, std::optional<Instant> at = {});
  RecordingBytes dropped(const DroppedMessages& messages);
  /// Folds all buffered messages now: before a rotation, or for concurrent readers.
  RecordingBytes fold();
  /// Folds and closes the file. Nothing may be added afterwards.
  RecordingBytes end();

  /// For repair: adds an intact chunk record of another recording with its ordinals, or a message
  /// of its journal. REQUIRES a chunk that was opened without an error.
  RecordingBytes copy_chunk(std::string_view chunk_record);
  Result<RecordingBytes> restore(const JournalEntry& entry);

  /// The ordinal of the last message added; 0 before the first.
  std::uint64_t ordinal() const { return totals_.ordinals; }

 private:
  // Sender, host, columns and devices.
  using SourceKey = std::tuple<std::string, std::string, std::vector<recording::ColumnFormat>,
                               std::vector<std::uint16_t>>;

  void append(Instant arrived, std::string_view bytes, Envelope envelope, RecordingBytes& out);
  void add_row(RecordingChannel channel, Instant arrived, Instant at, std::string_view bytes,
               RecordingBytes& out);
  void gather(Instant arrived, Envelope&& envelope);
  bool full(Instant now) const;
  void fold_into(RecordingBytes& out);
  void write_blocks(std::string& out);
  void write_rows(std::string& out);
  void count_copied(const recording::MessageView& message);
  void take_place(Instant arrived);

  RecordingOptions options_;
  RecordingStart start_;
  recording::FileBuilder file_;
  recording::DeviceNumbers numbers_;
  std::map<SourceKey, recording::Source> sources_;
  recording::ChunkBuilder rows_;
  Instant latest_ = Instant::min();  // arrival of the last message
  std::optional<Instant> oldest_;    // arrival of the first buffered message
  std::uint32_t ticks_ = 0;          // largest number of batches of a source
  std::uint64_t samples_bytes_ = 0;  // buffered
  bool begun_ = false;
  bool ended_ = false;
  recording::Totals totals_{.first = Instant::max(), .last = Instant::min()};
};

}  // namespace drover
