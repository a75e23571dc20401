// Published messages to the bytes of a recording.
//
// Sample batches wait until one source has gathered `ticks` of them; then all that waits is folded
// into columnar blocks at once, and the journal starts anew. Until then it stands in the journal,
// so that a crash loses what the disk had not got, and nothing more.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/recording/format/recording.h"
#include "fleet/recording/format/recording_journal.h"

namespace drover {

struct RecordingOptions {
  std::uint32_t ticks = 60;             // batches of one source in a block, up to `many_devices`
  std::uint32_t ticks_of_many = 10;     // above
  std::uint32_t many_devices = 10'000;  // in the whole fleet
  std::uint32_t block_devices = 1024;   // in one block
  std::uint64_t row_chunk_bytes = 1 << 20;         // of rows that wait, before they are compressed
  std::uint64_t pending_bytes = 256ull << 20;      // of samples that wait
  Duration fold_every = std::chrono::minutes(10);  // at the latest, in fleet time
  int zstd_level = 3;
};

/// What to do with the two files: append `file` to the recording; when `folded`, bring the
/// recording to the disk, then make the journal empty; append `journal` to the journal.
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

  /// First, and once.
  RecordingBytes begin(const RecordingStart& start);
  /// REQUIRES place() below recording_places_max, as all that adds a message: begin a new file in
  /// time. An envelope as it was received. Refused: what does not decode, and what no router
  /// publishes.
  Result<RecordingBytes> add(Instant arrived, std::string_view envelope_bytes);
  /// REQUIRES a message that the router publishes, and that decodes when it is encoded.
  RecordingBytes add(const Recorded& recorded);
  /// The state after all that was added: envelopes as a SnapshotPart carries them. One at the
  /// start and every minute or so make seeking cheap.
  RecordingBytes keyframe(Instant at, const std::vector<std::string>& messages);
  /// A bookmark that somebody set.
  RecordingBytes mark(Instant at, std::string_view text);
  RecordingBytes dropped(const DroppedMessages& messages);
  /// All that waits, now: before a rotation, or for those who read along.
  RecordingBytes fold();
  /// Folds, and closes the file. Nothing may be added after it.
  RecordingBytes end();

  /// For repair: a whole chunk record of another recording, with the places it has; and a message
  /// of its journal. REQUIRES a chunk that was opened without an error.
  RecordingBytes copy_chunk(std::string_view chunk_record);
  Result<RecordingBytes> restore(const JournalEntry& entry);

  /// Of the last message added; 0 before the first.
  std::uint64_t place() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace drover
