// Writes a recording: a worker thread owns the file and its journal, behind a bounded queue.
//
// The caller never waits. Messages that do not fit into the queue are dropped, and their number is
// recorded in the file. Each message is written to the journal at once; both files are synced once
// a second. The recording ends by itself only if the disk is full, a write fails, or the recording
// is full.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "commands/record/recording_file.h"
#include "commands/shell/clock.h"
#include "fleet/base/mutex.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/recording/format/recording.h"
#include "fleet/recording/writer.h"

namespace drover::commands {

struct RecorderOptions {
  std::string path;
  bool force = false;                              // overwrite an existing file
  std::uint64_t disk_free_bytes_min = 256U << 20;  // with less free space the recording ends
  std::uint64_t queue_bytes_max = 64U << 20;
  std::uint64_t messages_max = recording_messages_max;  // with this many the recording ends
  RecordingOptions layout;
};

class Recorder {
 public:
  /// Makes the file. The error says why it cannot be made.
  static Result<std::unique_ptr<Recorder>> open(RecorderOptions options,
                                                const RecordingStart& start);
  /// Ends the recording, unless it has ended.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Returns false if the queue is full: then request a keyframe soon. `encoded`: the envelope as
  /// it came; empty: it is encoded here.
  bool record(Instant arrived, Envelope envelope, std::string encoded = {});
  bool record_keyframe(Instant at, std::vector<std::string> messages);
  /// Adds a bookmark, made now, of a moment that may be in the past. Returns false if the queue is
  /// full.
  bool mark(Instant now, Instant at, std::string text);
  /// Records that messages were lost before they reached this process.
  void note_lost(Instant at, std::uint64_t count);

  /// Readable once the recording has ended by itself.
  int ended_descriptor() const { return ended_descriptor_.get(); }
  /// Why the recording has ended by itself; no error while it runs.
  Status failure() const;
  std::uint64_t dropped() const;  // messages that did not fit into the queue
  std::uint64_t lost() const;     // messages that did not reach this process

  /// Writes all queued messages to the disk and closes the file.
  Status end();

 private:
  struct NewKeyframe {
    Instant at{};
    std::vector<std::string> messages;
  };
  struct NewBookmark {
    Instant arrived{}, at{};
    std::string text;
  };
  using Entry =
      std::variant<RecordedMessage, EncodedMessage, NewKeyframe, NewBookmark, DroppedMessages>;

  Recorder(RecorderOptions options, RecordingOutput output);
  bool push(Entry entry, std::uint64_t bytes) DROVER_REQUIRES(mutex_);
  void note_missing(Instant at, std::uint64_t count) DROVER_REQUIRES(mutex_);
  void work();
  void write_entries(std::deque<Entry> entries);
  Status write(const RecordingBytes& bytes);
  Status write_journal();
  void sync_and_check_space();
  void finish();
  void fail_to_write(Error problem);
  void fail(Error problem);

  RecorderOptions options_;
  // Only the worker uses these once it runs.
  RecordingOutput output_;
  RecordingWriter writer_;
  std::string journal_;  // bytes that are still to be written there
  WallTime synced_{};
  bool closed_ = false;  // the file is closed, or writing failed

  FileDescriptor ended_descriptor_;
  mutable Mutex mutex_;
  std::condition_variable_any filled_;
  std::deque<Entry> queue_ DROVER_GUARDED_BY(mutex_);
  std::uint64_t queue_bytes_ DROVER_GUARDED_BY(mutex_) = 0;
  std::optional<DroppedMessages> missing_ DROVER_GUARDED_BY(mutex_);  // to be recorded in the file
  Instant latest_ DROVER_GUARDED_BY(mutex_){};
  std::uint64_t dropped_ DROVER_GUARDED_BY(mutex_) = 0;
  std::uint64_t lost_ DROVER_GUARDED_BY(mutex_) = 0;
  bool ending_ DROVER_GUARDED_BY(mutex_) = false;
  Status failure_ DROVER_GUARDED_BY(mutex_);
  std::thread worker_;
};

}  // namespace drover::commands
