// Recordings: everything that a router published, as one file that is valid MCAP.
//
// docs/recording.md describes the file byte by byte. Pure: bytes in, bytes out; commands/ owns the
// file, the clock and the thread. recording_writer.h makes one, recording_reader.h reads one,
// recording_repair.h checks, repairs and cuts.
//
// Every message has a *place*: its number in the order in which it reached the recorder, from 1.
// Arrival times may fall back (a clock was set); places never do.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover {

/// One published envelope as it reached the recorder.
struct Recorded {
  Instant arrived{};  // fleet time
  Envelope envelope;
  std::uint64_t place = 0;  // the writer gives it; what is given to the writer has none
  bool operator==(const Recorded&) const = default;
};

/// A recording holds no more messages: MCAP's numbers of messages have 32 bits.
inline constexpr std::uint64_t recording_places_max = 0xffff'ffff;

/// The file's channels. The number is MCAP's channel id.
enum class RecordingChannel : std::uint8_t {
  samples = 1,  // columnar blocks of SampleBatch
  state,        // HostChanged, HostForgotten, ReplicaChanged, DeviceChanged, PolicyChanged,
                // Summary
  jobs,         // JobChanged
  decisions,    // Decision
  events,       // Event, Caption
  audit,        // Audit
  alerts,       // Alert
  bookmarks,    // Event of the recorder: what somebody marked
  keyframes,    // SnapshotPart of the recorder: what a late reader needs
  dictionary,   // device numbers
  drops,        // messages that the recorder could not keep
};
inline constexpr int recording_channel_count = 11;
/// "samples": also the topic in the file.
std::string_view to_text(RecordingChannel channel);
/// Nothing for messages that no router publishes.
std::optional<RecordingChannel> channel_of(const Message& message);

/// What is known when a recording begins; stands in its first metadata record.
struct RecordingStart {
  Instant fleet_time{};
  double speed = 1;      // fleet seconds per wall second
  std::string software;  // "drover 0.1.0"
  std::optional<std::uint64_t> seed;
  Incarnation identity;  // drawn for each recording: a journal belongs to the file of its identity
  /// False of a recording whose beginning is lost, and of what was made of one: `speed` is a guess.
  bool speed_known = true;
  bool operator==(const RecordingStart&) const = default;
};

/// The state of the fleet as envelopes such as a snapshot carries, at one place of the recording:
/// apply them, and go on with the messages of higher places.
struct Keyframe {
  Instant at{};
  std::uint64_t place = 0;            // of the last message before it
  std::vector<std::string> messages;  // encoded envelopes
};

/// Messages that were published but never reached the file, and between which times.
struct DroppedMessages {
  Instant since{};
  Instant until{};
  std::uint64_t count = 0;
  bool operator==(const DroppedMessages&) const = default;
};

/// Bytes of a file that cannot be used, and the time that they may have covered.
struct LostRange {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::optional<Instant> from;  // unknown: nothing whole stands before them
  std::optional<Instant> to;    // unknown: nothing whole stands behind them
  std::string why;              // printable
  bool operator==(const LostRange&) const = default;
};

/// A file as a reader needs it. Readers never ask beyond `size()`.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills `out` with the bytes from `offset` on.
  virtual Status read(std::uint64_t offset, std::span<char> out) = 0;
};

/// A recording that is in memory. The bytes must outlive it.
class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  Status read(std::uint64_t offset, std::span<char> out) override;

 private:
  std::string_view bytes_;
};

/// Takes the bytes of a new file in their order.
using ByteSink = std::function<Status(std::string_view)>;

}  // namespace drover
