// What a host's answer, or its silence, means to the person who asked.
#pragma once

#include <string>
#include <vector>

#include "agents/launch/order.h"
#include "commands/launch/launch_crew.h"

namespace drover::commands {

struct HostResult {
  std::string host;
  bool well = false;
  std::string state;   // what was done or found there (launch::Answer::did); or what failed
  std::string detail;  // printable
  launch::Answer answer;
  std::vector<std::string> also;  // agents there that the fleet file does not name
  double took_s = 0;
};

HostResult judge(const launch::LaunchHost& host, const Returned& returned, double limit_s);

/// The table of up, status and down; the log of each host for logs.
std::string results_text(launch::Action action, const std::vector<HostResult>& results);
std::string results_json(launch::Action action, const std::vector<HostResult>& results);

/// Names of those that failed, folded.
std::string failed_hosts(const std::vector<HostResult>& results);

}  // namespace drover::commands
