// The journal beside a recording: the messages that wait for the next fold. It is appended at once
// and read after a crash or by concurrent readers.
//
//   8 bytes "DRVJRN02", 16 bytes the recording's identity (two words, little-endian), then records:
//   4 bytes length of what follows the CRC, 4 bytes CRC-32 of the identity and of it, then
//   8 bytes ordinal, 8 bytes arrival (ns), 1 byte channel, the message's bytes; all little-endian.
//
// The CRC of each entry covers the identity too, so that entries after a damaged head or a damaged
// entry can still be matched to their recording.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/recording/format/recording.h"

namespace drover {

struct JournalEntry {
  std::uint64_t ordinal = 0;
  Instant arrived{};
  RecordingChannel channel = RecordingChannel::events;
  std::string bytes;  // an envelope; on the channel `drops` a DroppedMessages map
};

class RecordingJournal {
 public:
  static std::string begin(const Incarnation& identity);
  static std::string entry(const Incarnation& identity, std::uint64_t ordinal, Instant arrived,
                           RecordingChannel channel, std::string_view bytes);
  /// All intact entries; damaged parts are skipped. `identity`: that of the recording, if known;
  /// else the one in the journal's head is used.
  static RecordingJournal read(std::string_view bytes, const std::optional<Incarnation>& identity);

  Incarnation identity;  // from the journal's head
  std::vector<JournalEntry> entries;
  std::vector<LostRange> lost;  // in the journal
  bool other = false;           // belongs to another recording: it has no entry of this one
};

}  // namespace drover
