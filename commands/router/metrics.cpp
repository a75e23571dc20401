#include "commands/router/metrics.h"

#include <unistd.h>

#include <utility>

#include "commands/shell/output.h"
#include "fleet/base/version.h"

namespace drover::commands {

namespace {

/// What Prometheus adds when it scrapes.
AddedLabels added_labels() {
  char host[256] = "";
  (void)::gethostname(host, sizeof host - 1);
  return {{"instance", host}, {"job", "drover"}};
}

}  // namespace

RouterMetrics::RouterMetrics(const GpuLabelNames& gpu_labels, const FleetAnchor& clock)
    : pages_({wall_span(1, clock.speed), gpu_labels}), stream_(pages_, wall_span(1, clock.speed)) {
  pages_.set_clock(clock);
}

Result<std::unique_ptr<RouterMetrics>> RouterMetrics::open(const RouterOptions& options,
                                                           const FleetAnchor& clock) {
  std::unique_ptr<RouterMetrics> metrics(new RouterMetrics(options.gpu_labels, clock));
  LivePages& pages = metrics->pages_;
  if (options.metrics) {
    DROVER_ASSIGN(metrics->server_, PageServer::open(*options.metrics, pages));
  }
  if (!options.remote_write.empty()) {
    DROVER_ASSIGN(metrics->writer_,
                  RemoteWriter::open(options.remote_write, pages, added_labels(),
                                     [](const std::string& text) {
                                       write_stderr("drover router: --remote-write: {}\n", text);
                                     }));
  }
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
