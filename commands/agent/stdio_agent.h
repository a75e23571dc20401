// `drover agent --real --stdio`: reads this machine's devices for a program at the other end of a
// pipe, such as `drover watch --ssh`.
#pragma once

#include "commands/shell/outcome.h"

namespace drover::commands {

/// For each line on standard input, writes one reading to standard output
/// (agents/watch/reading_frames.h). Runs until standard input closes, or until a signal.
CommandOutcome run_stdio_agent();

}  // namespace drover::commands
