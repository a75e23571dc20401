// Pages of metrics as readings of hosts and their devices. Understands NVIDIA's dcgm-exporter,
// GKE's TPU device plugin, lablup/all-smi, AMD's device-metrics-exporter and nvidia_gpu_exporter,
// also when several of them, or many hosts, are on one page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/watch/reading.h"
#include "fleet/base/result.h"
#include "fleet/exposition/exposition.h"

namespace drover::agents {

struct HostReadings {
  std::vector<HostReading> hosts;  // in the page's order; boards by their index
  std::vector<std::string> notes;  // what was skipped: "2 lines are malformed: line 7: .."
};

/// `url`: what was read; names the host where the page does not, and the board's `read_by` (without
/// user and password). The error says what the page is instead.
Result<HostReadings> read_hosts(std::string_view page, const std::string& url,
                                PageEnd end = PageEnd::whole);

/// The same of a Prometheus server's answer to a query (/api/v1/query).
Result<HostReadings> read_prometheus_answer(std::string_view json, const std::string& url);

}  // namespace drover::agents
