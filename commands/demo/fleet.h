// The processes of the demo's fleet, as command lines.
#pragma once

#include <string>
#include <vector>

#include "commands/shell/supervisor.h"
#include "commands/submit/trace_options.h"

namespace drover::commands {

struct DemoOptions {
  double speed = 1;
  bool story = false;
  std::string keys;   // the folder of keys; empty: the demo stays on this machine and needs none
  TraceOptions work;  // with load and seed; without a file: synthetic work
};

/// The name of the key of the demo's own clients: its dashboard, feeder and story. They change the
/// fleet.
inline constexpr const char* demo_key = "demo";

/// `listen`: the control endpoint; port 0 for free ports.
ChildCommand demo_router(const DemoOptions& options, const std::string& listen,
                         const std::string& folder);
/// Five hosts in two racks: eight H100, two times four A100, three slices of eight TPU v5e.
std::vector<ChildCommand> demo_agents(const DemoOptions& options, const std::string& endpoint);
ChildCommand demo_feeder(const DemoOptions& options, const std::string& endpoint);
ChildCommand demo_story(const DemoOptions& options, const std::string& endpoint);

/// The control endpoint in the router's line "router ready: control E samples E publish E".
Result<std::string> control_endpoint_in(const std::string& ready_line);

}  // namespace drover::commands
