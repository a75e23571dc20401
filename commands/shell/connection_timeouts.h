// How long a router may be silent before its connection is replaced by a new one.
#pragma once

#include "commands/shell/clock.h"

namespace drover::commands {

/// For a command that waits for an answer. A router answers Join at once, so a connection that is
/// silent for this long is dead.
inline constexpr Wall client_connection_timeout = std::chrono::seconds(5);
/// For an agent. A router answers each of its heartbeats.
inline constexpr Wall agent_connection_timeout = std::chrono::seconds(8);

}  // namespace drover::commands
