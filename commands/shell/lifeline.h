// A child must not outlive its parent, however the parent ends.
//
// Two nets: the kernel's parent-death signal, set by the supervisor between fork and exec, and a
// pipe whose write end only the parent holds: it closes when the parent is gone, kill -9 included,
// and also reaches a process that was re-parented before the signal was armed.
#pragma once

#include "commands/shell/options.h"
#include "fleet/base/result.h"

namespace drover::commands {

/// Ends this process at once when the pipe behind `descriptor` closes. Watches from a thread of its
/// own, so that a busy loop cannot delay it.
Status hold_lifeline(int descriptor);

/// The hidden option by which a parent names the descriptor, and arming it where it was given.
Option lifeline_option();
Status hold_lifeline(Arguments& arguments);

}  // namespace drover::commands
