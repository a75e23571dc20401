// What `drover record` and `drover router --record` are told about the file alike.
#pragma once

#include "commands/record/recorder.h"
#include "commands/shell/options.h"

namespace drover::commands {

Option min_free_option();
/// With a `path` from another option: `--force` and `--min-free`.
RecorderOptions read_recorder(Arguments& arguments, std::string path, bool force);

/// What a recording that begins now says of itself.
RecordingStart recording_start(Instant now, double speed);

/// One line of how it went, "" when all is in the file.
std::string missing_text(const Recorder& recorder);

}  // namespace drover::commands
