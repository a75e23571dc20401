// A recording checked, repaired, or cut.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/recording/format/recording.h"

namespace drover {

/// What is wrong with a recording, in words that name the offset; empty: nothing.
struct VerifyReport {
  std::uint64_t chunks = 0;
  std::uint64_t messages = 0;  // sample batches count one each
  std::uint64_t sample_values = 0;
  std::uint64_t fell_back = 0;  // in time, against the message before
  std::vector<std::string> problems;
};
/// Every CRC-32, every block, every envelope, every index entry. An error only where the source
/// itself cannot be read.
Result<VerifyReport> verify_recording(ByteSource& file);

struct RecoverReport {
  std::uint64_t chunks = 0;             // kept; those whose heads were wrong are set right
  std::uint64_t journaled = 0;          // messages taken from the journal
  std::vector<LostRange> lost;          // of the file; empty: nothing
  std::vector<LostRange> journal_lost;  // of the journal
  bool journal_absent = false;          // and the file was not closed
  bool journal_aside = false;           // there is one, and it was not believed
  bool speed_known = true;              // the new file says so as well
  std::uint64_t missing = 0;            // messages that are nowhere else; at least so many
  std::vector<std::string> notes;       // what was set right
  bool whole() const {
    return lost.empty() && journal_lost.empty() && !journal_absent && missing == 0;
  }
};
/// Writes all that is whole to `sink` as a closed recording, and that messages are missing as
/// dropped ones, where they are. Refused: what is no recording at all. No journal: there is no such
/// file.
/// The caller reads the new file again with verify_recording before it trusts it.
Result<RecoverReport> recover_recording(ByteSource& file, std::optional<std::string_view> journal,
                                        const ByteSink& sink);

struct CutReport {
  Instant from{};  // of the first message kept
  Instant to{};
  std::uint64_t messages = 0;
};
/// Writes what arrived in [from, to) to `sink` as a closed recording. It begins with the last
/// keyframe at or before `from` and the rows between the two, so that its state is whole.
Result<CutReport> cut_recording(ByteSource& file, std::optional<std::string_view> journal,
                                Instant from, Instant to, const ByteSink& sink);

}  // namespace drover
