// What `drover router` is told on its command line, and what is taken where it is not told.
#pragma once

#include <optional>
#include <string>

#include "commands/connection/router_start.h"
#include "commands/connection/session.h"
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
  RouterStart start;
};

/// Reads them, the policy's file too; none: all are right. Beyond loopback a router asks for keys,
/// unless somebody takes it upon himself.
std::optional<CommandOutcome> read_router_options(Arguments& arguments, RouterOptions& options);

}  // namespace drover::commands
