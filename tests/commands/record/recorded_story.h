// A seeded story of the sample fleet, as it reaches a recorder: a whole state, then news.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fleet/recording/format/recording.h"
#include "fleet/recording/writer.h"

namespace drover::commands {

struct RecordedStory {
  Instant start{};
  std::uint64_t at_sequence = 0;      // at which the whole state stands
  std::vector<std::string> state;     // encoded envelopes
  std::vector<RecordedMessage> news;  // in order; one tick of samples a second, and what happens
};
RecordedStory story_of(int seconds);

/// The two files.
struct RecordedFiles {
  std::string file;
  std::string journal;
};
/// Keyframes so often, as a recorder asks for them; without an end as a killed recorder leaves it.
RecordedFiles recording_of(const RecordedStory& story, bool ended = true,
                           RecordingOptions options = {});

}  // namespace drover::commands
