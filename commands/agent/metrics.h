// `drover agent --metrics` and `--remote-write`: pages of the agent's hosts, from the messages that
// it sends.
#pragma once

#include <memory>
#include <string>

#include "commands/metrics/live_pages.h"
#include "commands/metrics/page_outputs.h"
#include "commands/shell/clock.h"
#include "fleet/messages.h"

namespace drover::commands {

class AgentMetrics {
 public:
  /// `host`: the agent's name. Null if its pages are neither served nor pushed.
  static Result<std::unique_ptr<AgentMetrics>> open(const MetricsOptions& options,
                                                    const std::string& host);

  void set_clock(const FleetAnchor& clock) { pages_.set_clock(clock); }
  /// A message that the agent sends to the router.
  void receive(const Envelope& sent);

 private:
  explicit AgentMetrics(const GpuLabelNames& gpu_labels) : pages_({.gpu_labels = gpu_labels}) {}
  void add(const Envelope& sent, Message published);

  LivePages pages_;
  std::unique_ptr<PageOutputs> outputs_;  // ends before the pages
};

}  // namespace drover::commands
