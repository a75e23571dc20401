// `drover agent --real` and `--scrape`: publishes real devices to a router. One process speaks for
// all hosts that it reads, each on a line of its own (fleet/socket/socket.h).
#pragma once

#include <optional>
#include <string>

#include "agents/watch/watched_host.h"
#include "commands/agent/metrics.h"
#include "commands/connection/router_address.h"
#include "commands/readings/source_options.h"
#include "commands/shell/outcome.h"

namespace drover::commands {

struct WatchedAgentOptions {
  RouterAddress endpoint;
  SourceOptions sources;
  std::string log;
  std::string state;
  Duration exit_after_silence{0};  // wall time; 0: never
  MetricsOptions metrics;
  agents::WatchedHostSettings settings;  // `host`: this machine
};

/// Runs until a signal. The catalogue must outlive the call.
CommandOutcome run_watched_agent(const WatchedAgentOptions& options,
                                 const devices::Catalogue& catalogue);

}  // namespace drover::commands
