// Recordings: all messages that a router published, in one file that is valid MCAP.
//
// docs/recording.md describes the file byte by byte. Pure: bytes in, bytes out; commands/ owns the
// file, the clock and the thread. writer.h writes recordings, reader.h reads them, repair.h
// verifies, repairs and cuts them.
//
// Every message has an *ordinal*: its number in the order of arrival at the recorder, from 1.
// Arrival times may go backwards (a clock was set); ordinals never do.
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

/// One published envelope as the recorder received it.
struct RecordedMessage {
  Instant arrived{};  // fleet time
  Envelope envelope;
  std::uint64_t ordinal = 0;  // assigned by the writer
  bool operator==(const RecordedMessage&) const = default;
};

/// Maximum number of messages in a recording: MCAP's message numbers have 32 bits.
inline constexpr std::uint64_t recording_messages_max = 0xffff'ffff;

/// The file's channels. The number is MCAP's channel id.
enum class RecordingChannel : std::uint8_t {
  samples = 1,  // columnar blocks of SampleBatch
  state,        // HostChanged, HostForgotten, ReplicaChanged, DeviceChanged, BoardChanged,
                // PolicyChanged, Summary
  jobs,         // JobChanged
  decisions,    // Decision
  events,       // Event, Caption
  audit,        // Audit
  alerts,       // Alert
  bookmarks,    // Event of the recorder: a user's bookmark
  keyframes,    // SnapshotPart of the recorder: the state, for seeking
  dictionary,   // device numbers
  drops,        // messages that the recorder could not keep
};
inline constexpr int recording_channel_count = 11;
/// "samples": also the topic in the file.
std::string_view to_text(RecordingChannel channel);
/// The channel of a message; nothing when no router publishes it.
std::optional<RecordingChannel> channel_of(const Message& message);

/// The content of the first metadata record.
struct RecordingStart {
  Instant fleet_time{};
  double speed = 1;      // fleet seconds per wall second
  std::string software;  // "drover 0.1.0"
  std::optional<std::uint64_t> seed;
  Incarnation identity;  // random; a journal belongs to the recording with its identity
  /// False for a recording whose beginning is lost, and for files made from it: `speed` is a guess.
  bool speed_known = true;
  bool operator==(const RecordingStart&) const = default;
};

/// The state of the fleet at one ordinal, as the envelopes of a snapshot: apply them, then the
/// messages with higher ordinals.
struct Keyframe {
  Instant at{};
  std::uint64_t ordinal = 0;          // of the last message before it
  std::vector<std::string> messages;  // encoded envelopes
};

/// Messages that were published but are not in the file, and the time in which they were.
struct DroppedMessages {
  Instant since{};
  Instant until{};
  std::uint64_t count = 0;
  bool operator==(const DroppedMessages&) const = default;
};

/// Damaged bytes of a file, and the time that they may have covered.
struct LostRange {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::optional<Instant> from;  // none: nothing intact precedes them
  std::optional<Instant> to;    // none: nothing intact follows them
  std::string why;              // printable
  bool operator==(const LostRange&) const = default;
};

/// Random access to a file. Readers never read beyond `size()`.
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

/// Receives the bytes of a new file in order.
using ByteSink = std::function<Status(std::string_view)>;

}  // namespace drover
