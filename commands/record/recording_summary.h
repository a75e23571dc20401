// The summary of a recording and the result of a check, as text and JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "commands/record/recording_file.h"
#include "fleet/recording/repair.h"
#include "fleet/text/json.h"

namespace drover::commands {

struct RecordingSummary {
  std::string path;
  std::string state;  // state_text(): what is unusual about the file
  RecordingInfo info;
  Instant first{};
  Instant last{};
  std::uint64_t hosts = 0;  // in the last keyframe
  std::uint64_t devices = 0;
  std::vector<DroppedMessages> drops;
  std::map<RecordingChannel, std::uint64_t> channel_bytes;
};
Result<RecordingSummary> summarize(OpenRecording& recording);

Json to_json(const RecordingSummary& summary);
std::string to_text(const RecordingSummary& summary);

/// `state`: see RecordingSummary. `dropped`: messages that never reached the file.
Json to_json(const VerifyReport& report, bool complete, const std::string& state,
             std::uint64_t dropped);
std::string to_text(const VerifyReport& report, const std::string& state, std::uint64_t dropped);

/// "lost: 4096 bytes at 1048576, from .. to ..: why".
std::string to_text(const LostRange& lost);

}  // namespace drover::commands
