// How an agent core is made. The same value starts the live core and, from a journal, its replay.
#pragma once

#include <string>
#include <string_view>

#include "agents/agent.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover::commands {

struct AgentStart {
  agents::AgentSettings settings;
  Instant start{};
};

/// For the journal's first record, and back.
std::string to_text(const AgentStart& start);
Result<AgentStart> parse_agent_start(std::string_view text);

}  // namespace drover::commands
