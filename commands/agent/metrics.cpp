#include "commands/agent/metrics.h"

#include <utility>

#include "commands/shell/output.h"
#include "fleet/base/overloaded.h"

namespace drover::commands {

Result<std::unique_ptr<AgentMetrics>> AgentMetrics::open(const MetricsOptions& options,
                                                         const std::string& host) {
  std::unique_ptr<AgentMetrics> metrics;
  if (!options.any()) return metrics;
  metrics.reset(new AgentMetrics(options.gpu_labels));
  // Not the router's labels: a router may push the series of the same devices.
  DROVER_ASSIGN(metrics->outputs_,
                PageOutputs::open(options, metrics->pages_, "drover agent",
                                  {{"instance", host}, {"job", "drover-agent"}}));
  if (options.server) write_stderr("drover agent: metrics: {}\n", metrics->outputs_->url());
  return metrics;
}

void AgentMetrics::add(const Envelope& sent, Message published) {
  (void)pages_.add(sent.at, {sent.sender, sent.sequence, sent.at, std::move(published)});
}

/// What a router would publish of it.
void AgentMetrics::receive(const Envelope& sent) {
  std::visit(Overloaded{[&](const Register& registration) {
                          HostChanged host;
                          host.registration = registration;
                          add(sent, std::move(host));
                        },
                        [&](const ReplicaReport& report) {
                          add(sent, ReplicaChanged{report.replica, ""});
                        },
                        [&](const DeviceReport& report) {
                          DeviceChanged device;
                          device.host = sent.sender;
                          device.device = report.device;
                          device.usable = report.usable;
                          device.detail = report.detail;
                          add(sent, std::move(device));
                        },
                        [&](const BoardReport& report) {
                          add(sent, BoardChanged{sent.sender, report.board});
                        },
                        [&](const SampleBatch& batch) { add(sent, batch); }, [](const auto&) {}},
             sent.body);
}

}  // namespace drover::commands
