// Options and texts shared by `drover record` and `drover router --record`.
#pragma once

#include "commands/record/recorder.h"
#include "commands/shell/options.h"

namespace drover::commands {

Option min_free_option();
/// Reads `--min-free`. `path` and `force` are from other options.
RecorderOptions read_recorder(Arguments& arguments, std::string path, bool force);

/// The start record of a recording that begins now.
RecordingStart recording_start(Instant now, double speed);

/// One line about lost and dropped messages; "" if there are none.
std::string missing_text(const Recorder& recorder);

}  // namespace drover::commands
