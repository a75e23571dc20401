// `drover agent --metrics`: pages of this host alone, from the messages that the agent sends.
#pragma once

#include <memory>
#include <string>

#include "commands/agent/options.h"
#include "commands/metrics/live_pages.h"
#include "commands/metrics/page_server.h"
#include "commands/shell/clock.h"
#include "fleet/messages.h"

namespace drover::commands {

class AgentMetrics {
 public:
  /// REQUIRES options.metrics.
  static Result<std::unique_ptr<AgentMetrics>> open(const AgentOptions& options);
  const std::string& url() const { return server_->url(); }

  void set_clock(const FleetAnchor& clock) { pages_.set_clock(clock); }
  /// A message that the agent sends to the router.
  void receive(const Envelope& sent);

 private:
  explicit AgentMetrics(const GpuLabelNames& gpu_labels);
  void add(const Envelope& sent, Message published);

  LivePages pages_;
  std::unique_ptr<PageServer> server_;  // ends before the pages
  std::string host_;
};

}  // namespace drover::commands
