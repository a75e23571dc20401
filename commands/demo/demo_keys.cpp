#include "commands/demo/demo_keys.h"

#include "commands/connection/keys.h"

namespace drover::commands {

Status make_demo_keys(const DemoOptions& options) {
  if (options.keys.empty()) return {};
  DROVER_TRY(make_key(options.keys, "router", KeyRole::router));
  for (const ChildCommand& agent : demo_agents(options, "")) {
    DROVER_TRY(make_allowed_key(options.keys, agent.name));
  }
  DROVER_ASSIGN(const auto own, make_key(options.keys, std::string(demo_key), KeyRole::admin));
  // One that was revoked since it was made stays revoked.
  if (own.fresh) DROVER_TRY(allow_file(options.keys, own.public_file));
  return {};
}

}  // namespace drover::commands
