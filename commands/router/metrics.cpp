#include "commands/router/metrics.h"

#include "commands/shell/host_name.h"
#include "fleet/base/version.h"

namespace drover::commands {

RouterMetrics::RouterMetrics(const GpuLabelNames& gpu_labels, const FleetAnchor& clock)
    : pages_({wall_span(1, clock.speed), gpu_labels}), stream_(pages_, wall_span(1, clock.speed)) {
  pages_.set_clock(clock);
}

Result<std::unique_ptr<RouterMetrics>> RouterMetrics::open(const MetricsOptions& options,
                                                           const FleetAnchor& clock) {
  std::unique_ptr<RouterMetrics> metrics(new RouterMetrics(options.gpu_labels, clock));
  // The labels that Prometheus adds when it scrapes.
  DROVER_ASSIGN(metrics->outputs_,
                PageOutputs::open(options, metrics->pages_, "drover router",
                                  {{"instance", own_host_name()}, {"job", "drover"}}));
  return metrics;
}

std::vector<Envelope> RouterMetrics::take_messages(Instant now) {
  std::vector<Envelope> messages;
  if (!stream_.take_snapshot_request(now)) return messages;
  messages.push_back({"metrics", ++sequence_, now, Join{Role::viewer, "metrics", software_name}});
  messages.push_back({"metrics", ++sequence_, now, SnapshotRequest{}});
  return messages;
}

}  // namespace drover::commands
