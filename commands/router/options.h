// The options of `drover router` and their defaults.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/connection/router_start.h"
#include "commands/connection/session.h"
#include "commands/metrics/server_options.h"
#include "commands/record/record_options.h"
#include "commands/shell/options.h"
#include "commands/shell/outcome.h"
#include "fleet/base/result.h"

namespace drover::commands {

struct RouterOptions {
  std::string listen = default_endpoint;
  std::string ledger;
  std::string journal;
  std::string on_alert;  // a program; empty: none
  std::string keys;      // the folder; empty: connections are not encrypted
  std::optional<RecorderOptions> record;
  MetricsOptions metrics;
  RouterStart start;
};

/// Of --listen: the endpoints of control, samples and publishing, on a port and the next two, or on
/// free ones.
Result<std::vector<std::string>> endpoints_of(const std::string& listen);

/// Reads the options and the policy's file. Returns the outcome of an error; no value if all are
/// valid. A router beyond loopback requires --keys or --insecure.
std::optional<CommandOutcome> read_router_options(Arguments& arguments, RouterOptions& options);

}  // namespace drover::commands
