// A recording in the making: a worker thread owns the file and its journal, behind a bounded queue.
//
// Whoever hands a message over never waits. What does not fit is dropped and counted, and the count
// stands in the file. The journal gets each message at once; both files go to the disk once a
// second. A full disk, a failed write or a full recording ends it, and nothing else.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "commands/record/recording_file.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/recording/format/recording.h"
#include "fleet/recording/recording_writer.h"

namespace drover::commands {

struct RecorderOptions {
  std::string path;
  bool force = false;                              // write over a file that is there
  std::uint64_t disk_free_bytes_min = 256U << 20;  // with less the recording ends
  std::uint64_t queue_bytes_max = 64U << 20;
  std::uint64_t places_max = recording_places_max;  // with so many messages the recording ends
  RecordingOptions layout;
};

class Recorder {
 public:
  /// Makes the file. The error says what is in the way.
  static Result<std::unique_ptr<Recorder>> open(RecorderOptions options,
                                                const RecordingStart& start);
  /// Ends the recording in order, unless that is done.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// False when there was no room: then a keyframe is wanted soon.
  bool take(Instant arrived, Envelope envelope);
  bool take_keyframe(Instant at, std::vector<std::string> messages);
  /// Messages that did not even reach this process.
  void note_lost(Instant at, std::uint64_t count);

  /// Can be read when the recording has ended by itself.
  int ended_descriptor() const { return ended_descriptor_; }
  /// Why it has; fine while it goes on.
  Status failure() const;
  std::uint64_t dropped() const;  // for want of room
  std::uint64_t lost() const;     // before they came here

  /// Brings all that waits to the disk and closes the file.
  Status end();

 private:
  struct NewKeyframe {
    Instant at{};
    std::vector<std::string> messages;
  };
  using Entry = std::variant<Recorded, NewKeyframe, DroppedMessages>;

  Recorder(RecorderOptions options, RecordingOutput output);
  bool push(Entry entry, std::uint64_t bytes);
  void note_missing(Instant at, std::uint64_t count);
  void work();
  void write_entries(std::deque<Entry> entries);
  Status write(const RecordingBytes& bytes);
  void look_after_disk();
  void finish();
  void fail(Error problem);

  RecorderOptions options_;
  // Of the worker alone, once it runs.
  RecordingOutput output_;
  RecordingWriter writer_;
  std::chrono::nanoseconds synced_{0};
  bool broken_ = false;  // nothing more can be written

  int ended_descriptor_ = -1;
  mutable std::mutex mutex_;  // over all that follows
  std::condition_variable filled_;
  std::deque<Entry> queue_;
  std::uint64_t queue_bytes_ = 0;
  std::optional<DroppedMessages> missing_;  // to be told in the file
  Instant latest_{};
  std::uint64_t dropped_ = 0;
  std::uint64_t lost_ = 0;
  bool ending_ = false;
  Status failure_;
  std::thread worker_;
};

}  // namespace drover::commands
