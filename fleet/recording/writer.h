// Writes published messages as the bytes of a recording.
//
// Sample batches are buffered until one source has `ticks` of them. Then all buffered messages are
// folded into columnar blocks, and the journal is restarted. Until then they are in the journal, so
// that a crash loses only what was not on disk yet.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

/// What the caller must do, in this order: append `file` to the recording; if `folded`, sync the
/// recording to disk and empty the journal; append `journal` to the journal.
struct RecordingBytes {
  std::string file;
  std::string journal;
  bool folded = false;
};

class RecordingWriter {
 public:
  explicit RecordingWriter(RecordingOptions options = {});
  RecordingWriter(RecordingWriter&&) noexcept;
  RecordingWriter& operator=(RecordingWriter&&) noexcept;
  ~RecordingWriter();

  /// Call first and once.
  RecordingBytes begin(const RecordingStart& start);
  /// Adds an envelope as it was received. An error when it does not decode or no router publishes
  /// it. REQUIRES ordinal() below recording_messages_max, as do all functions that add a message:
  /// begin a new file in time.
  Result<RecordingBytes> add(Instant arrived, std::string_view envelope_bytes);
  /// REQUIRES a message that the router publishes and that decodes once encoded.
  RecordingBytes add(const RecordedMessage& recorded);
  /// Adds the state after all messages so far: envelopes as in SnapshotPart. One at the start and
  /// about every minute make seeking fast.
  RecordingBytes keyframe(Instant at, const std::vector<std::string>& messages);
  /// Adds a bookmark.
  RecordingBytes mark(Instant at, std::string_view text);
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
  std::uint64_t ordinal() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace drover
