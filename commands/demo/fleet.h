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
  TraceOptions work;  // with load and seed; without a file: synthetic work
};

/// `listen`: the control endpoint; port 0 for free ports.
ChildCommand demo_router(const DemoOptions& options, const std::string& listen,
                         const std::string& folder);
/// Four hosts in two racks: eight H100, eight A100, three slices of eight TPU v5e.
std::vector<ChildCommand> demo_agents(const DemoOptions& options, const std::string& endpoint);
ChildCommand demo_feeder(const DemoOptions& options, const std::string& endpoint);
ChildCommand demo_story(const DemoOptions& options, const std::string& endpoint);

/// The control endpoint in the router's line "router ready: control E samples E publish E".
Result<std::string> control_endpoint_in(const std::string& ready_line);

}  // namespace drover::commands
