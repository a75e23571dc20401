// The options of `drover agent`, and the inputs from which its core is made.
#pragma once

#include <optional>
#include <string>

#include "agents/agent.h"
#include "commands/agent/metrics.h"
#include "commands/agent/watched_agent.h"
#include "commands/connection/router_address.h"
#include "commands/shell/options.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover::commands {

struct AgentOptions {
  RouterAddress endpoint;
  std::string journal;
  std::string log;
  std::string state;
  double rate_hz = 1;
  Duration exit_after_silence{0};        // wall time; 0: never
  std::optional<std::string> fake_nvml;  // the file for NVML's readers; empty: the usual place
  MetricsOptions metrics;
  agents::AgentSettings settings;
};

/// 128 random bits from the kernel, not from the seed: unique to this run of the agent.
Incarnation fresh_incarnation();

/// Options of emulated devices are problems here.
Result<WatchedAgentOptions> read_watched_options(Arguments& arguments,
                                                 const SourceOptions& sources);

Result<AgentOptions> read_agent_options(Arguments& arguments, const devices::Catalogue& catalogue);

struct AgentStart {
  agents::AgentSettings settings;
  Instant start{};
};
/// The text of the journal's first record, as JSON.
std::string to_text(const AgentStart& start);

}  // namespace drover::commands
