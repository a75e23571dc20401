// The dashboard's model of the fleet, built from messages only. Views read it and never change it;
// what the user chose (view, selection, order) is in ui_state.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/device_state.h"
#include "fleet/messages.h"
#include "tui/model/board_table.h"
#include "tui/model/device_table.h"
#include "tui/model/job_phases.h"
#include "tui/model/receive_stats.h"
#include "tui/model/sliding_window_counter.h"
#include "tui/model/specs.h"
#include "tui/model/trend.h"

namespace drover::tui {

// Limits: a broken or hostile router must not fill this process's memory.
inline constexpr std::size_t shown_hosts_max = 20'000;
inline constexpr std::uint32_t shown_devices_max = 200'000;  // about 35 MB of columns
inline constexpr std::size_t replicas_max = 20'000;
inline constexpr std::size_t open_jobs_max = 20'000;  // Summary still counts all of them
inline constexpr std::size_t ended_jobs_max = 300;
inline constexpr std::size_t decisions_max = 500;
inline constexpr std::size_t events_max = 200;
inline constexpr std::size_t flows_max = 200;
inline constexpr std::size_t conditions_max = 20'000;  // devices with a ConditionRow
inline constexpr std::size_t alerts_max = 10'000;      // raised ones
inline constexpr std::size_t alert_history_max = 200;  // raised and cleared ones
inline constexpr std::size_t audits_max = 200;
inline constexpr std::size_t pool_curves_max = 64;  // with a curve of their own

struct HostRow {
  HostChanged reported;        // without its specs: thousands of hosts share those in specs()
  std::size_t specs_hash = 0;  // to detect a change of its specs
  DeviceTable::Row first = 0;
  DeviceTable::Row count = 0;
  DeviceTable::Row end() const { return first + count; }  // of its devices' rows
  /// Whether the predicate holds for a row of its devices.
  template <typename Predicate>
  bool has_row(const Predicate& such_that) const {
    for (DeviceTable::Row row = first; row < end(); ++row) {
      if (such_that(row)) return true;
    }
    return false;
  }
  Duration stale_age{};  // of its devices' values
  // When its last batch arrived here; before the first, when one arrived at the router.
  Instant last_sample_at = Instant::min();
  std::uint64_t sequence = 0;    // of its last batch in the stream; 0 before the first
  std::uint64_t gaps = 0;        // batches that never arrived here
  std::uint64_t snapshot = 0;    // the last snapshot that contained it
  ReceiveStats receive_stats{};  // of its samples
};

struct JobRow {
  JobChanged reported;
  Instant received_at{};  // when it arrived
  std::uint64_t snapshot = 0;
  std::vector<JobPhase> phases{};  // oldest first, as far as they were reported here
};

/// Whether a job has devices: it runs, or is assigned and about to.
inline bool is_placed(JobState state) {
  return state == JobState::running || state == JobState::leased;
}

struct ReplicaRow {
  ReplicaChanged reported;
  std::uint64_t snapshot = 0;
};

struct EventRow {
  Instant at{};
  Event event;
  bool operator==(const EventRow&) const = default;
};

/// A device that is unusable, drained, or has an injected fault.
struct ConditionRow {
  DeviceChanged reported;
  std::uint64_t snapshot = 0;
};

struct AlertRow {
  Instant at{};  // when it was reported
  Alert alert;
  std::uint64_t snapshot = 0;
};

/// Identifies an alert: at most one alert per key is raised at a time.
struct AlertKey {
  std::string rule;
  std::string subject;
  auto operator<=>(const AlertKey&) const = default;
};

struct AuditRow {
  Instant at{};
  Audit audit;
  bool operator==(const AuditRow&) const = default;
};

/// Placements of jobs with one preferred pool in another pool (or the same), and the reason.
struct PoolFlowKey {
  std::string wanted;
  std::string got;
  std::optional<Reason> reason;
  bool fell_back = false;  // as drover::fell_back: a fallback may be in the same pool
  bool stayed() const { return reason && !fell_back; }  // in its pool in spite of the reason
  auto operator<=>(const PoolFlowKey&) const = default;
};

struct PoolFlowCount {
  std::uint64_t all = 0;
  SlidingWindowCounter recent;
};

/// The age in fleet time at which values are stale, until a policy sets it. Samples come once in a
/// fleet second, and at most about twenty times in a wall second.
inline Duration stale_after(Duration wall) {
  return std::max<Duration>(std::chrono::seconds(5), 3 * wall);
}

class Model {
 public:
  /// `wall` is one wall second in fleet time; curves get one point for each.
  explicit Model(Duration wall, std::size_t boards_bytes = boards_bytes_max)
      : wall_(wall), stale_after_(stale_after(wall)), boards_(boards_bytes), curves_(wall) {}

  /// Whether `apply` uses messages of this type.
  static bool handles(const Message& body);
  /// Applies a published or snapshot message and ignores others. Returns whether something visible
  /// changed.
  bool apply(Instant now, const Envelope& envelope);
  /// Called before the first and after the last part of a snapshot. The end removes everything that
  /// the snapshot did not contain.
  void begin_snapshot();
  void end_snapshot(Instant now);
  /// A restarted router numbers its decisions from 1 again.
  void forget_decision_numbers();
  /// Adds the due points to the curves: one for each wall second on the grid of fleet time, from
  /// what was known before that instant. So the curves do not depend on when frames are drawn.
  void tick(Instant now);

  const DeviceTable& devices() const { return devices_; }
  const std::vector<HostRow>& hosts() const { return hosts_; }
  const HostRow& host_of(DeviceTable::Row row) const { return hosts_[devices_.host(row)]; }
  const std::vector<SpecRow>& specs() const { return specs_; }
  const SpecRow& spec_of(DeviceTable::Row row) const { return specs_[devices_.spec(row)]; }
  const std::map<JobId, JobRow>& jobs() const { return jobs_; }
  const std::map<ReplicaId, ReplicaRow>& replicas() const { return replicas_; }
  const std::deque<Decision>& decisions() const { return decisions_; }  // by number
  const std::deque<EventRow>& events() const { return events_; }        // oldest first
  const std::map<PoolFlowKey, PoolFlowCount>& flows() const { return flows_; }
  Instant flows_since() const { return flows_since_; }  // when the first was counted
  /// Placements per minute of fleet time, over rate_span() or since the first was counted. NaN if
  /// that is too short a time, or if the router is silent.
  double per_min(const PoolFlowCount& count, Instant now) const;
  Duration rate_span() const { return rate_bin() * (SlidingWindowCounter::bins - 1); }
  const std::optional<Summary>& summary() const { return summary_; }
  /// Open jobs that the router's last summary counts and that were not known when it came.
  std::uint64_t unknown_open_jobs() const { return unknown_open_jobs_; }
  const Trend& fleet_trend() const { return curves_; }
  const std::deque<TrendPoint>& trend() const { return curves_.seconds(); }  // of the last minutes
  /// The throttle time of all devices over rate_span(), or since the first point of the trend.
  /// Nothing if that is too short a time.
  std::optional<ThrottleTimes> recent_throttle_times(Instant now) const;
  /// Devices that are unusable, drained or have a fault; others have no row.
  const std::map<DeviceId, ConditionRow>& conditions() const { return conditions_; }
  const ConditionRow* condition_of(DeviceTable::Row row) const;
  /// What a real device says about itself; null for an emulated one, and until it has said so.
  const Board* board_of(DeviceTable::Row row) const;
  /// Whether some of them had no room.
  bool boards_are_full() const { return boards_.is_full(); }
  const std::map<AlertKey, AlertRow>& alerts() const { return alerts_; }        // raised
  const std::deque<AlertRow>& alert_history() const { return alert_history_; }  // oldest first
  const std::deque<AuditRow>& audits() const { return audits_; }                // oldest first
  const std::optional<Caption>& caption() const { return caption_; }
  const std::optional<PolicyChanged>& policy() const { return policy_; }
  /// Power caps of the policy, W; 0 if there is none or the policy is unknown.
  double site_cap_w() const { return policy_ ? policy_->site_power_cap_w : 0; }
  double pool_cap_w(std::string_view pool) const;
  /// In the order in which they first appeared; at most pool_curves_max.
  const std::vector<std::string>& pools() const { return pools_; }
  /// The pools that a device is in, in the policy's order: their numbers; the first one's name, or
  /// "" if there is none; all names, "fast,spot".
  std::span<const std::uint16_t> pool_numbers_of(DeviceTable::Row row) const;
  std::string_view first_pool_of(DeviceTable::Row row) const;
  std::string pools_text(DeviceTable::Row row) const;
  bool is_in_pool(DeviceTable::Row row, std::string_view pool) const;
  /// Sets of pools that devices are or were in, numbered as DeviceTable::pools; the first is empty.
  std::size_t pool_sets() const { return pool_sets_.size(); }
  std::string pool_set_text(std::size_t set) const;

  /// Approximate memory of a copy, bytes.
  std::size_t bytes() const;

  std::uint64_t left_out() const { return left_out_; }  // rows beyond the limits

  /// All devices ordered by rack, host and index; all hosts ordered by rack and name.
  const std::vector<DeviceTable::Row>& device_order() const;
  const std::vector<std::uint32_t>& host_order() const;
  /// Changes whenever hosts or their devices change.
  std::uint64_t structure() const { return structure_; }

  std::optional<DeviceTable::Row> find(const DeviceId& id) const;
  DeviceId id_of(DeviceTable::Row row) const;
  /// The device's group; null if its host does not report it.
  const Group* group_of(DeviceTable::Row row) const;
  /// The device's price from the policy, or from its spec until the router reports it; NaN if
  /// unknown.
  double price_usd_per_h(DeviceTable::Row row) const;
  const HostRow* find_host(const std::string& name) const;
  /// Whether its host is lost or has left.
  bool is_gone(DeviceTable::Row row) const { return drover::is_gone(host_of(row).reported.health); }
  /// The last value and share, if they were fresh when the last message arrived. NaN for a host
  /// that is gone and for a device that its host's samples no longer include.
  double reading(DeviceTable::Row row, Metric metric) const;
  double share(DeviceTable::Row row, GaugeMetric gauge_metric) const;
  /// Whether it was not: readings are NaN.
  bool is_past(DeviceTable::Row row) const;
  /// Whether the device's last value is older than its host's stale_age(), or its host does not
  /// respond.
  bool is_stale(Instant now, DeviceTable::Row row) const;
  /// Whether none of the host's devices has a fresh value.
  bool is_stale(Instant now, const HostRow& host) const;
  Duration stale_age() const { return stale_after_; }
  /// The same for devices of this host, whose samples may come rarely.
  static Duration stale_age(const HostRow& host) { return host.stale_age; }
  /// Whether every host that is not gone and has devices has sent a sample.
  bool all_hosts_sampled() const;
  /// Whether no message at all arrived within stale_age().
  bool is_silent(Instant now) const;

 private:
  // One for each type of message that `apply` uses.
  bool take(Instant now, const Envelope& envelope, const Alert& alert);
  bool take(Instant now, const Envelope& envelope, const Audit& audit);
  bool take(Instant now, const Envelope& envelope, const BoardChanged& changed);
  bool take(Instant now, const Envelope& envelope, const Caption& caption);
  bool take(Instant now, const Envelope& envelope, const Decision& decision);
  bool take(Instant now, const Envelope& envelope, const DeviceChanged& changed);
  bool take(Instant now, const Envelope& envelope, const Event& event);
  bool take(Instant now, const Envelope& envelope, const HostChanged& changed);
  bool take(Instant now, const Envelope& envelope, const HostForgotten& forgotten);
  bool take(Instant now, const Envelope& envelope, const HistoryReply& reply);
  bool take(Instant now, const Envelope& envelope, const JobChanged& changed);
  bool take(Instant now, const Envelope& envelope, const PolicyChanged& policy);
  bool take(Instant now, const Envelope& envelope, const ReplicaChanged& changed);
  bool take(Instant now, const Envelope& envelope, const SampleBatch& batch);
  bool take(Instant now, const Envelope& envelope, const Summary& summary);
  void count_flow(Instant at, const Decision& decision);
  void forget_life(HostRow& host);
  void set_stale_age(HostRow& host) const;
  void place_devices(std::uint32_t number, const HostChanged& reported);
  std::vector<std::uint16_t> pool_sets_of(const HostChanged& host);
  std::uint16_t pool_set(std::vector<std::uint16_t> pools);
  std::optional<std::uint16_t> pool_number(const std::string& name);
  Duration rate_bin() const { return 5 * wall_; }
  void add_point(Instant at);
  void add_sums(TrendPoint& point);
  void add_caps(TrendPoint& point) const;
  void remove_hosts(const std::function<bool(const HostRow&)>& which);
  void remove_devices(HostRow& host);
  bool is_old(Instant now, Instant at, Duration stale_after) const;
  std::uint16_t spec_number(const std::string& id, const std::vector<SpecText>& texts,
                            const std::vector<std::uint16_t>& taken);
  std::optional<std::uint16_t> unused_spec(const std::vector<std::uint16_t>& taken) const;
  void refresh_order() const;

  Duration wall_;
  Duration stale_after_;
  Instant last_received_ = Instant::min();  // when the last message of any kind arrived
  DeviceTable devices_;
  std::vector<HostRow> hosts_;
  std::map<std::string, std::uint32_t> host_numbers_;
  std::vector<SpecRow> specs_;
  std::map<JobId, JobRow> jobs_;
  std::size_t open_jobs_ = 0;
  std::deque<JobId> ended_;
  std::map<ReplicaId, ReplicaRow> replicas_;
  std::deque<Decision> decisions_;
  std::deque<EventRow> events_;
  std::map<PoolFlowKey, PoolFlowCount> flows_;
  Instant flows_since_ = never;
  std::optional<Summary> summary_;
  std::uint64_t unknown_open_jobs_ = 0;
  std::map<DeviceId, ConditionRow> conditions_;
  BoardTable boards_;
  std::map<AlertKey, AlertRow> alerts_;
  std::deque<AlertRow> alert_history_;
  std::deque<AuditRow> audits_;
  std::optional<Caption> caption_;
  std::uint64_t caption_snapshot_ = 0;
  std::optional<PolicyChanged> policy_;
  std::vector<std::string> pools_;
  std::vector<std::vector<std::uint16_t>> pool_sets_{{}};
  Trend curves_;
  ThrottleTimeTracker throttle_time_;
  Instant trend_due_ = never;  // the first point is added when the first message arrives
  std::optional<std::uint64_t> trend_finished_;
  std::uint64_t snapshot_ = 0;
  bool in_snapshot_ = false;  // messages describe the time of the snapshot, not now
  std::uint64_t left_out_ = 0;
  std::uint64_t structure_ = 1;
  mutable std::uint64_t ordered_structure_ = 0;  // the orders below are computed on first use
  mutable std::vector<DeviceTable::Row> device_order_;
  mutable std::vector<std::uint32_t> host_order_;
};

/// The device's condition apart from its samples.
DeviceCondition standing_of(const Model& model, Instant now, DeviceTable::Row row);

/// A device with a higher load is in use, whether or not work runs there.
inline constexpr double idle_share = 0.05;

/// Sums over the fleet, computed in one pass over the devices.
struct Totals {
  std::uint32_t hosts_ok = 0, hosts_suspect = 0, hosts_lost = 0, hosts_left = 0;
  // Devices of hosts that left are not counted. The sums are over hosts that are not lost.
  std::uint32_t devices = 0, reporting = 0, busy = 0, stale = 0, lost = 0, throttled = 0;
  std::uint32_t real = 0;  // of all devices

  double utilization = absent;  // mean of those that report
  double power_w = absent;      // of those that report it
  double power_limit_w = 0;
  double memory_bytes = 0, memory_total_bytes = 0;
  double usd_per_h = 0;
  bool price_known = true;  // of every device
  double hottest_c = absent;
};
/// Whether a row counts; null: all rows do.
using RowPredicate = std::function<bool(DeviceTable::Row)>;
Totals totals_of(const Model& model, Instant now, const RowPredicate& counts = nullptr);

/// Sums over the devices of each pool that are not lost, in the order of Model::pools(). One more
/// element at the end is for devices of no pool. A device of several pools counts in each.
struct PoolTotals {
  std::uint32_t devices = 0, reporting = 0;
  double power_w = absent;  // of those that report it
  double own_w = absent;    // of those that name it as their first pool: these add up
  double usd_per_h = 0;
};
std::vector<PoolTotals> pool_totals_of(const Model& model, Instant now,
                                       const RowPredicate& counts = nullptr);

}  // namespace drover::tui
