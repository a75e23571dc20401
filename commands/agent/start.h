// The inputs from which an agent core is made.
#pragma once

#include <string>

#include "agents/agent.h"
#include "fleet/base/time.h"

namespace drover::commands {

struct AgentStart {
  agents::AgentSettings settings;
  Instant start{};
};

/// The text of the journal's first record, as JSON.
std::string to_text(const AgentStart& start);

}  // namespace drover::commands
