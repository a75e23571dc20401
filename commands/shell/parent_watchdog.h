// Ends a child process when its parent ends, however the parent ends.
//
// Two mechanisms: the kernel's parent-death signal, which the supervisor sets between fork and
// exec, and a pipe whose write end only the parent holds. The pipe closes when the parent is gone,
// kill -9 included, and also covers a process that was re-parented before the signal was set.
#pragma once

#include "commands/shell/options.h"
#include "fleet/base/result.h"

namespace drover::commands {

/// The hidden option with which a parent passes the descriptor of the pipe.
Option parent_pipe_option();

/// If the option is given: ends this process at once when the pipe closes. A thread watches the
/// pipe, so that a busy loop cannot delay the end.
Status watch_parent(Arguments& arguments);

}  // namespace drover::commands
