// `drover agent --metrics`: pages of the agent's hosts, from the messages that it sends.
#pragma once

#include <memory>
#include <string>

#include "commands/metrics/live_pages.h"
#include "commands/metrics/page_server.h"
#include "commands/metrics/server_options.h"
#include "commands/shell/clock.h"
#include "fleet/messages.h"

namespace drover::commands {

struct AgentMetricsOptions {
  ServerOptions server;
  GpuLabelNames gpu_labels = gpu_label_names[0];
};

class AgentMetrics {
 public:
  static Result<std::unique_ptr<AgentMetrics>> open(const AgentMetricsOptions& options);
  const std::string& url() const { return server_->url(); }

  void set_clock(const FleetAnchor& clock) { pages_.set_clock(clock); }
  /// A message that the agent sends to the router.
  void receive(const Envelope& sent);

 private:
  explicit AgentMetrics(const GpuLabelNames& gpu_labels) : pages_({.gpu_labels = gpu_labels}) {}
  void add(const Envelope& sent, Message published);

  LivePages pages_;
  std::unique_ptr<PageServer> server_;  // ends before the pages
};

}  // namespace drover::commands
