// The messages that wait for the next fold, beside the file: appended at once, read after a crash
// or by those who read along.
//
//   8 bytes "DRVJRN02", 16 bytes the recording's identity (two words, little-endian), then records:
//   4 bytes length of what follows the CRC, 4 bytes CRC-32 of the identity and of it, then
//   8 bytes place, 8 bytes arrival (ns), 1 byte channel, the message's bytes; all little-endian.
//
// The CRC of each entry covers the identity too, so that entries behind a damaged head, or behind a
// damaged entry, still prove whose they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/recording/format/recording.h"

namespace drover {

struct JournalEntry {
  std::uint64_t place = 0;
  Instant arrived{};
  RecordingChannel channel = RecordingChannel::events;
  std::string bytes;  // an envelope; on channel drops that message's map
};

class RecordingJournal {
 public:
  static std::string begin(const Incarnation& identity);
  static std::string entry(const Incarnation& identity, std::uint64_t place, Instant arrived,
                           RecordingChannel channel, std::string_view bytes);
  /// All whole entries; what is damaged is passed over up to the next one. `identity`: that of the
  /// file beside it, if it is known; else that which the journal names.
  static RecordingJournal read(std::string_view bytes, const std::optional<Incarnation>& identity);

  Incarnation identity;  // as the journal names it
  std::vector<JournalEntry> entries;
  std::vector<LostRange> lost;  // in the journal
  bool other = false;           // it belongs to another recording: it has no entry of this one
};

}  // namespace drover
