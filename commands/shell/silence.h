// How long nothing may be heard of a router before its connection is given up for a new one.
#pragma once

#include "commands/shell/clock.h"

namespace drover::commands {

/// Of a command that waits for an answer. A router answers Join at once, so what is silent for so
/// long only looks alive.
inline constexpr Wall client_connection_silence_max = std::chrono::seconds(5);
/// Of an agent, which a router answers at every heartbeat.
inline constexpr Wall agent_connection_silence_max = std::chrono::seconds(8);

}  // namespace drover::commands
