// Verifies, repairs and cuts recordings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/recording/format/recording.h"

namespace drover {

/// The result of a verification. `problems` name the offset; empty: the recording is intact.
struct VerifyReport {
  std::uint64_t chunks = 0;
  std::uint64_t messages = 0;  // a sample batch counts as one
  std::uint64_t sample_values = 0;
  std::uint64_t out_of_order = 0;  // messages with an earlier time than the one before
  std::vector<std::string> problems;
};
/// Checks every CRC-32, block, envelope and index entry. An error only when the source cannot be
/// read.
Result<VerifyReport> verify_recording(ByteSource& file);

struct RecoverReport {
  std::uint64_t chunks = 0;             // kept; wrong times in their heads are corrected
  std::uint64_t journaled = 0;          // messages taken from the journal
  std::vector<LostRange> lost;          // of the file
  std::vector<LostRange> journal_lost;  // of the journal
  bool journal_absent = false;          // the file was not closed, and its journal is missing
  bool journal_rejected = false;        // the journal belongs to another recording
  bool speed_known = true;              // as in the new file's RecordingStart
  std::uint64_t missing = 0;            // messages lost for good, at least
  std::vector<std::string> notes;       // corrections
  bool whole() const {
    return lost.empty() && journal_lost.empty() && !journal_absent && missing == 0;
  }
};
/// Writes all intact parts to `sink` as a closed recording, with missing messages marked as dropped
/// where they were. An error when the file is not a recording. `journal`: nothing when there is no
/// such file. Callers check the new file with verify_recording before they rely on it.
Result<RecoverReport> recover_recording(ByteSource& file, std::optional<std::string_view> journal,
                                        const ByteSink& sink);

struct CutReport {
  Instant from{};  // of the first message in the cut
  Instant to{};
  std::uint64_t messages = 0;
};
/// Writes the messages that arrived in [from, to) to `sink` as a closed recording. It begins with
/// the last keyframe at or before `from` and the rows between the two, so that its state is
/// complete.
Result<CutReport> cut_recording(ByteSource& file, std::optional<std::string_view> journal,
                                Instant from, Instant to, const ByteSink& sink);

}  // namespace drover
