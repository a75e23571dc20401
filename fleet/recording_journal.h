// The messages that wait for the next fold, beside the file: appended at once, read after a crash
// or by those who read along.
//
//   8 bytes "DRVJRN01", 16 bytes the recording's identity (two words, little-endian), then records:
//   4 bytes length of what follows the CRC, 4 bytes CRC-32 of it, then
//   8 bytes place, 8 bytes arrival (ns), 1 byte channel, the message's bytes; all little-endian.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/recording.h"

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
  static std::string entry(std::uint64_t place, Instant arrived, RecordingChannel channel,
                           std::string_view bytes);
  /// All whole entries up to the first that is not.
  static RecordingJournal read(std::string_view bytes);

  Incarnation identity;
  std::vector<JournalEntry> entries;
  std::uint64_t used_bytes = 0;  // up to the end of the last whole entry
  std::string problem;           // why it stopped before the end; empty: it did not
};

}  // namespace drover
