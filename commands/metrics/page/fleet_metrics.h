// Builds the text of `/metrics` from published messages, as a dashboard or a recorder receives
// them. It has no clock, socket or thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/metrics/page/device_series.h"
#include "commands/metrics/page/page.h"
#include "commands/metrics/page/work_counts.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover::commands {

struct FleetMetricsOptions {
  Duration wall = std::chrono::seconds(1);  // one wall second in fleet time
  GpuLabelNames gpu_labels = gpu_label_names[0];
};

/// Samples that were pushed elsewhere.
struct RemoteCounts {
  std::uint64_t sent = 0, dropped = 0;
  std::uint64_t retries = 0;  // of requests
};

/// What the process knows that no message says; nothing: not known.
struct ProcessFacts {
  std::optional<std::uint64_t> ledger_commits;  // rows that are on disk, of this run
  std::optional<bool> ledger_full;
  std::optional<std::uint64_t> dropped;  // messages that the page has missed
  std::optional<RemoteCounts> remote{};
};

/// Replicas of one model in one pool.
struct ReplicaSums {
  std::map<ReplicaState, std::uint64_t> by_state;
  std::uint64_t queued = 0, running = 0, kv_used_tokens = 0, kv_capacity_tokens = 0;
};

class FleetMetrics {
 public:
  explicit FleetMetrics(FleetMetricsOptions options = {});
  FleetMetrics(const FleetMetrics&) = delete;
  FleetMetrics& operator=(const FleetMetrics&) = delete;

  /// Applies a published message or one of a snapshot; others are ignored.
  void apply(Instant now, const Envelope& envelope);
  /// Around the messages of a snapshot. Its end removes what the snapshot did not contain.
  void begin_snapshot();
  void end_snapshot();
  void set_process(const ProcessFacts& facts) { process_ = facts; }

  /// Writes the page of this moment in place of what `page` was; quickly if that was an earlier
  /// page of this object in the same format.
  void write(Instant now, PageFormat format, Page& page);

  // What the families of totals show.
  const DeviceSeries& devices() const { return devices_; }
  const WorkCounts& work() const { return work_; }
  const std::optional<Summary>& summary() const { return summary_; }
  const std::optional<PolicyChanged>& policy() const { return policy_; }
  const ProcessFacts& process() const { return process_; }
  using AlertKey = std::pair<std::string, std::string>;  // rule, subject
  const std::map<AlertKey, Alert>& alerts() const { return alerts_; }
  const std::map<DeviceId, DeviceChanged>& conditions() const { return conditions_; }
  std::map<std::pair<std::string, std::string>, ReplicaSums> replicas() const;  // by model, pool
  const std::map<Severity, std::uint64_t>& events() const { return events_; }
  std::uint64_t samples() const { return samples_; }
  std::uint64_t batches() const { return batches_; }
  Instant now() const { return now_; }  // of the page

 private:
  struct KnownReplica {
    ReplicaChanged reported;
    std::uint64_t snapshot = 0;
  };
  void take(const Envelope& envelope, const HostChanged& changed);
  void take(const Envelope& envelope, const HostForgotten& forgotten);
  /// A real device's labels are those of its maker.
  void take(const Envelope&, const BoardChanged& changed) {
    devices_.take(changed.host, changed.board);
  }
  void take(const Envelope& envelope, const SampleBatch& batch);
  void take(const Envelope& envelope, const DeviceChanged& changed);
  void take(const Envelope& envelope, const ReplicaChanged& changed);
  void take(const Envelope& envelope, const JobChanged& changed);
  void take(const Envelope& envelope, const Decision& decision);
  void take(const Envelope& envelope, const Summary& summary);
  void take(const Envelope& envelope, const PolicyChanged& policy);
  void take(const Envelope& envelope, const Alert& alert);
  void take(const Envelope& envelope, const Event& event);
  template <typename Other>
  void take(const Envelope&, const Other&) {}
  Duration stale_after() const;

  FleetMetricsOptions options_;
  DeviceSeries devices_;
  WorkCounts work_;
  ProcessFacts process_;
  std::optional<Summary> summary_;
  std::optional<PolicyChanged> policy_;
  std::map<AlertKey, Alert> alerts_;
  std::map<DeviceId, DeviceChanged> conditions_;
  std::map<ReplicaId, KnownReplica> replicas_;
  std::map<Severity, std::uint64_t> events_;
  std::uint64_t samples_ = 0, batches_ = 0;
  std::map<std::string, std::uint64_t> seen_;  // hosts, with the last snapshot that had them
  std::uint64_t snapshot_ = 0;
  bool in_snapshot_ = false;
  Instant now_{};
};

}  // namespace drover::commands
