// The totals that the router publishes: the summary, and the counters of hosts. No restarted router
// shows less: totals are in the ledger before they are published.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "fleet/messages.h"
#include "router/decision/estimate.h"
#include "router/fleet_state/host_counters.h"
#include "router/health/timing.h"
#include "router/jobs/accounting.h"
#include "router/jobs/queue.h"
#include "router/publishing/rejected_messages.h"

namespace drover::router {

struct FleetTotalsDependencies {
  const RouterTiming& settings;
  const Policy& policy;
  const FleetState& fleet_state;
  const JobTable& jobs;
  const Estimator& estimator;
  const RejectedMessages& rejected;
  JobQueue& queue;
  Accounting& accounting;
  HostCounterTable& host_counts;
  OutboxBuilder& outbox;
  Publisher& publisher;
};

/// Sums up what the tables hold, writes the sums to the ledger, and publishes them after that.
class FleetTotals : FleetTotalsDependencies {
 public:
  FleetTotals(const FleetTotalsDependencies& uses, Instant start);

  Summary summary(Instant now) const;
  /// Without anything that a restart could take back.
  Summary summary_for_snapshot(Instant now) const;
  /// Returns the totals, published once everything in them is on disk.
  Summary publish(Instant now);
  /// Publishes the totals that waited for the disk, if it has them now.
  void publish_committed(Instant now);
  /// Writes the fleet's sums and counters to the ledger every few heartbeats.
  void write_due_counters(Instant now);

  void handle(Instant now, const Caller& caller, const SummaryRequest& request);
  /// The run ends: writes everything, even to a disk that does not keep up, and replies.
  void end_run(Instant now, const Caller& caller);

 private:
  void add_power_and_spend(Summary& summary) const;
  PublishedTotals published_now(Instant now) const;
  void publish_host_counts(Instant now);
  void write_published(Instant now);
  void write_counters(Instant now);

  double cost_written_usd_ = 0;
  std::optional<std::pair<std::uint64_t, Summary>> held_;  // until this write is on disk
  std::optional<Summary> published_;                       // published last
  Instant next_counters_;
  bool run_ended_ = false;
};

}  // namespace drover::router
