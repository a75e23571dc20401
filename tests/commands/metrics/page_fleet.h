// A small fleet as a router publishes it, for the pages of the tests.
#pragma once

#include <string>

#include "commands/metrics/page/fleet_metrics.h"
#include "fleet/messages.h"
#include "fleet/sample/sample.h"

namespace drover::commands {

inline Instant page_time(double seconds) {
  return Instant{} + std::chrono::hours(24 * 365 * 50) + from_seconds(seconds);
}

/// Feeds messages at one moment.
class PageFleet {
 public:
  explicit PageFleet(FleetMetricsOptions options = {}) : metrics(options) {}

  void send(Message body, double at_s = 0, const std::string& sender = "router") {
    metrics.apply(page_time(at_s), {sender, 0, page_time(at_s), std::move(body)});
  }
  std::string page(double at_s = 0, PageFormat format = PageFormat::text) {
    Page page;
    metrics.write(page_time(at_s), format, page);
    return page.text();
  }

  FleetMetrics metrics;
};

/// A host with this many devices of one spec, in the pool "fast".
HostChanged page_host(const std::string& name, const std::string& device, std::uint16_t count,
                      const std::string& topology = "");
Sample page_sample(std::uint16_t device);
void send_samples(PageFleet& fleet, const std::string& host, std::uint16_t count, double at_s = 0);
/// Two GPUs on h-1, a TPU on v5e-1, jobs, decisions, alerts and totals.
void fill(PageFleet& fleet);

}  // namespace drover::commands
