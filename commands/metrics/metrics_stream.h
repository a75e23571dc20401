// Feeds pages from a router's published stream: joins messages and snapshots, as a recorder does,
// and asks for a snapshot at the start and after lost messages.
#pragma once

#include "commands/metrics/live_pages.h"
#include "fleet/base/time.h"
#include "fleet/outbox.h"
#include "fleet/socket/published_stream.h"

namespace drover::commands {

class MetricsStream {
 public:
  /// `wall` is one wall second in fleet time. The pages must outlive it.
  MetricsStream(LivePages& pages, Duration wall) : pages_(pages), stream_(wall) {}

  void receive(Instant now, Peer from, Envelope envelope);
  bool take_snapshot_request(Instant now) { return stream_.take_snapshot_request(now); }
  Instant next_deadline() const { return stream_.next_deadline(); }

 private:
  LivePages& pages_;
  PublishedStream stream_;
};

}  // namespace drover::commands
