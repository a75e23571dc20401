// The results of a launch for each host, as text and JSON.
#pragma once

#include <string>
#include <vector>

#include "agents/launch/order.h"
#include "commands/launch/task_runner.h"

namespace drover::commands {

struct HostResult {
  std::string host;
  bool ok = false;
  std::string state;   // what was done or found (launch::Answer::did), or what failed
  std::string detail;  // printable
  launch::Answer answer;
  std::vector<std::string> unlisted_agents;  // agents there that are not in the fleet file
  double took_s = 0;
};

HostResult host_result(const launch::LaunchHost& host, const RemoteTaskResult& task_result,
                       double limit_s);

/// The state as shown to people: "already" is "running, unchanged", "absent" is "not running";
/// empty for "shown".
std::string state_text(const HostResult& result);

/// The table of up, status and down, or the log of each host.
std::string results_text(launch::LaunchAction action, const std::vector<HostResult>& results);
std::string results_json(launch::LaunchAction action, const std::vector<HostResult>& results);

/// The names of the failed hosts, as a nodeset.
std::string failed_hosts(const std::vector<HostResult>& results);

}  // namespace drover::commands
