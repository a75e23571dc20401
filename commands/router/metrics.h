// `drover router --metrics` and `--remote-write`: pages of the router's own published stream,
// without a socket, as the recording of `--record` is made.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "commands/metrics/live_pages.h"
#include "commands/metrics/metrics_stream.h"
#include "commands/metrics/page_outputs.h"
#include "commands/shell/clock.h"
#include "fleet/outbox.h"

namespace drover::commands {

class RouterMetrics {
 public:
  /// The peer that requests snapshots from the router; no connection has this number.
  static constexpr Peer peer{Channel::control, std::numeric_limits<std::uint64_t>::max() - 1};

  static Result<std::unique_ptr<RouterMetrics>> open(const MetricsOptions& options,
                                                     const FleetAnchor& clock);
  /// Of the page; empty: it is not served.
  std::string url() const { return outputs_->url(); }

  /// A message that the router publishes or sends to `peer`.
  void receive(Instant now, Peer to, Envelope envelope) {
    stream_.receive(now, to, std::move(envelope));
  }
  /// The messages from `peer` to the router.
  std::vector<Envelope> take_messages(Instant now);
  Instant next_deadline() const { return stream_.next_deadline(); }
  void set_ledger(std::uint64_t commits, bool full) { pages_.set_ledger(commits, full); }

 private:
  RouterMetrics(const GpuLabelNames& gpu_labels, const FleetAnchor& clock);

  LivePages pages_;
  MetricsStream stream_;
  std::unique_ptr<PageOutputs> outputs_;  // ends before the pages
  std::uint64_t sequence_ = 0;
};

}  // namespace drover::commands
