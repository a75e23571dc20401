// What stands in a recording, and what a check of it found, for people and for programs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "commands/record/recording_file.h"
#include "fleet/recording/recording_repair.h"
#include "fleet/text/json.h"

namespace drover::commands {

struct RecordingFacts {
  std::string path;
  std::string state;  // what is unusual about the file; empty: nothing
  RecordingInfo info;
  Instant first{};
  Instant last{};
  std::uint64_t hosts = 0;  // by the last keyframe
  std::uint64_t devices = 0;
  std::vector<DroppedMessages> drops;
  std::map<RecordingChannel, std::uint64_t> channel_bytes;
};
Result<RecordingFacts> facts_of(OpenRecording& recording);

Json to_json(const RecordingFacts& facts);
std::string to_text(const RecordingFacts& facts);

/// `state`: what is unusual about the file besides; `dropped`: messages that never reached it.
Json to_json(const VerifyReport& report, bool whole, const std::string& state,
             std::uint64_t dropped);
std::string to_text(const VerifyReport& report, const std::string& state, std::uint64_t dropped);

/// "lost: 4096 bytes at 1048576, of the time from .. to ..: why".
std::string to_text(const LostRange& lost);

}  // namespace drover::commands
