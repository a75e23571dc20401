// Everything the dashboard knows of the fleet, built from messages only. Views read it and never
// change it; what a person chose (view, selection, order) stands in update.h.
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
#include "fleet/messages.h"
#include "tui/model/device_table.h"
#include "tui/model/recent_counts.h"
#include "tui/model/traffic.h"
#include "tui/model/trend.h"

namespace drover::tui {

// Limits: a broken or hostile router must not fill this process's memory.
inline constexpr std::size_t hosts_max = 20'000;
inline constexpr std::uint32_t devices_max = 200'000;  // about 35 MB of columns
inline constexpr std::size_t replicas_max = 20'000;
inline constexpr std::size_t open_jobs_max = 20'000;  // Summary still counts all of them
inline constexpr std::size_t ended_jobs_max = 300;
inline constexpr std::size_t decisions_max = 500;
inline constexpr std::size_t events_max = 200;
inline constexpr std::size_t flows_max = 200;
inline constexpr std::size_t conditions_max = 20'000;  // devices that are not as they should be
inline constexpr std::size_t alerts_max = 1'000;       // raised ones
inline constexpr std::size_t alert_news_max = 200;     // what was raised and what ended
inline constexpr std::size_t audits_max = 200;
inline constexpr std::size_t pools_max = 64;  // with a curve of their own
/// Kinds of device. From here on those that no device is of are forgotten: routers let a fleet have
/// half as many.
inline constexpr std::size_t specs_kept_max = 2'048;

/// What the dashboard needs of a device spec's text.
struct SpecRow {
  std::string id;
  std::string text;  // to see a change
  DeviceClass device_class = DeviceClass::gpu;
  double tdp_w = 0;            // 0: not told
  double price_usd_per_h = 0;  // 0: not told
  double slowdown_c = 0;       // where heat begins to slow it; 0: not told
  // The emulated device's watts, degrees rest on assumed constants: shown as ~.
  bool power_assumed = false, temperature_assumed = false;
};

struct HostRow {
  HostChanged said;  // without the specs in it: thousands of hosts tell the same, kept in specs()
  std::size_t specs_told = 0;  // a hash of them, to see a change
  DeviceTable::Row first = 0;
  DeviceTable::Row count = 0;
  Instant sampled = Instant::min();  // when the last batch arrived here or, before that, there
  std::uint64_t sequence = 0;        // of the last batch in the stream; 0 before the first
  std::uint64_t gaps = 0;            // batches that never arrived here
  std::uint64_t snapshot = 0;        // the last snapshot that named it
  Traffic traffic{};                 // of its samples
};

struct JobRow {
  JobChanged said;
  Instant heard{};  // when it arrived
  std::uint64_t snapshot = 0;
};

struct ReplicaRow {
  ReplicaChanged said;
  std::uint64_t snapshot = 0;
};

struct EventRow {
  Instant at{};
  Event event;
};

/// A device that cannot be used, that a fault was injected into, or that is drained.
struct ConditionRow {
  DeviceChanged said;
  std::uint64_t snapshot = 0;
};

struct AlertRow {
  Instant at{};  // when it was said
  Alert alert;
  std::uint64_t snapshot = 0;
};

/// What an alert is about; one of a key is raised at a time.
struct AlertKey {
  std::string rule;
  std::string subject;
  auto operator<=>(const AlertKey&) const = default;
};

struct AuditRow {
  Instant at{};
  Audit audit;
};

/// Jobs that wanted one pool and got another (or the same), and why.
struct FlowKey {
  std::string wanted;
  std::string got;
  std::optional<Reason> reason;
  auto operator<=>(const FlowKey&) const = default;
};

struct FlowCount {
  std::uint64_t all = 0;
  RecentCounts recent;
};

/// Values are older than they may be, in fleet time, as long as no policy says it: samples come
/// once in a second of it, and at most some twenty times in one of the wall.
inline Duration stale_after(Duration wall) {
  return std::max<Duration>(std::chrono::seconds(5), 3 * wall);
}

class Model {
 public:
  /// `wall` is one wall second in fleet time: curves get one point for each.
  explicit Model(Duration wall) : wall_(wall), stale_after_(stale_after(wall)), curves_(wall) {}

  /// Whether `apply` does anything with such a body.
  static bool hears(const Message& body);
  /// Any published or snapshot body; others are ignored. Answers whether something to see changed.
  bool apply(Instant now, const Envelope& envelope);
  /// After the last part of a snapshot: what it did not name is gone.
  void begin_snapshot();
  void end_snapshot(Instant now);
  /// A new life of the router numbers its decisions from 1 again.
  void forget_decision_numbers();
  /// Adds to the curves the points that are due: one for each wall second on the grid of fleet
  /// time, of what was known before that instant, so that they do not depend on when anyone looks.
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
  const std::map<FlowKey, FlowCount>& flows() const { return flows_; }
  Instant flows_since() const { return flows_since_; }  // of the first that was counted
  /// How many came per minute of fleet time, over rate_span(), or as long as flows are counted. NaN
  /// where that is too short to tell, or nothing is heard.
  double per_min(const FlowCount& count, Instant now) const;
  Duration rate_span() const { return rate_bin() * (RecentCounts::bins - 1); }
  const std::optional<Summary>& summary() const { return summary_; }
  const Trend& curves() const { return curves_; }
  const std::deque<TrendPoint>& trend() const { return curves_.seconds(); }  // of the last minutes
  /// By how much the time in which clocks are held down grew over rate_span(), of all devices; less
  /// where nothing was known so long ago, and nothing where that is too short to tell.
  std::optional<HeldTimes> held_lately(Instant now) const;
  /// Devices that are not as they should be; all others have no row.
  const std::map<DeviceId, ConditionRow>& conditions() const { return conditions_; }
  const ConditionRow* condition_of(DeviceTable::Row row) const;
  const std::map<AlertKey, AlertRow>& alerts() const { return alerts_; }  // raised
  const std::deque<AlertRow>& alert_news() const { return alert_news_; }  // oldest first
  const std::deque<AuditRow>& audits() const { return audits_; }          // oldest first
  const std::optional<Caption>& caption() const { return caption_; }
  const std::optional<PolicyChanged>& policy() const { return policy_; }
  /// In the order in which they were first named; at most pools_max.
  const std::vector<std::string>& pools() const { return pools_; }
  /// Of the pools that a device is in, in the policy's order: their numbers; the first one's name,
  /// "" without any; all names, "fast,spot".
  std::span<const std::uint16_t> pool_numbers_of(DeviceTable::Row row) const;
  std::string_view first_pool_of(DeviceTable::Row row) const;
  std::string pools_text(DeviceTable::Row row) const;
  bool is_in_pool(DeviceTable::Row row, std::string_view pool) const;
  /// Sets of pools that devices are or have been in, by DeviceTable::pools; the first is empty.
  std::size_t pool_sets() const { return pool_sets_.size(); }
  std::string pool_set_text(std::size_t set) const;

  /// About as much memory as a copy takes.
  std::size_t bytes() const;

  std::uint64_t left_out() const { return left_out_; }  // rows beyond the limits

  /// All devices by rack, host and index; all hosts by rack and name.
  const std::vector<DeviceTable::Row>& device_order() const;
  const std::vector<std::uint32_t>& host_order() const;
  /// Changes with every change of hosts or their devices.
  std::uint64_t structure() const { return structure_; }

  std::optional<DeviceTable::Row> find(const DeviceId& id) const;
  DeviceId id_of(DeviceTable::Row row) const;
  /// Of the device's group; null where its host does not tell it.
  const Group* group_of(DeviceTable::Row row) const;
  /// Of the device, as the policy prices it, or its spec until the router has told; NaN: not known.
  double price_usd_per_h(DeviceTable::Row row) const;
  const HostRow* find_host(const std::string& name) const;
  /// Its host is lost or has left.
  bool is_gone(DeviceTable::Row row) const { return drover::is_gone(host_of(row).said.health); }
  /// The last value and share, as long as they told how it was when anything was heard last; of a
  /// host that is gone, and of a device that its host's samples no longer name, nothing is known.
  double reading(DeviceTable::Row row, Metric metric) const;
  double share(DeviceTable::Row row, Shade shade) const;
  /// Its last value is too old to be shown as of `now`, or its host does not answer.
  bool is_stale(Instant now, DeviceTable::Row row) const;
  /// The same of a host: none of its devices has told anything of late.
  bool is_stale(Instant now, const HostRow& host) const;
  /// Values older than that are.
  Duration stale_age() const { return stale_after_; }
  /// For so long nothing at all was heard that nothing is known of now.
  bool is_silent(Instant now) const;

 private:
  bool apply_host(const HostChanged& changed);
  bool forget_host(const std::string& name);
  bool apply_samples(Instant now, const Envelope& envelope, const SampleBatch& batch);
  bool apply_replica(const ReplicaChanged& changed);
  bool apply_job(Instant now, const JobChanged& changed);
  bool apply_decision(Instant now, const Decision& decision);
  void count_flow(Instant at, const Decision& decision);
  bool apply_event(Instant at, const Event& event);
  bool apply_news(Instant now, const Envelope& envelope);
  bool apply_condition(const DeviceChanged& changed);
  bool apply_alert(Instant at, const Alert& alert);
  bool apply_audit(Instant at, const Audit& audit);
  bool apply_caption(const Caption& caption);
  void place_devices(std::uint32_t number, const HostChanged& said);
  std::vector<std::uint16_t> pool_sets_of(const HostChanged& host);
  std::uint16_t pool_set(std::vector<std::uint16_t> pools);
  std::optional<std::uint16_t> pool_number(const std::string& name);
  Duration rate_bin() const { return 5 * wall_; }
  void add_point(Instant at);
  void add_sums(TrendPoint& point);
  void add_caps(TrendPoint& point) const;
  void remove_absent_hosts();
  void remove_hosts(const std::function<bool(const HostRow&)>& which);
  void remove_devices(HostRow& host);
  bool is_past(DeviceTable::Row row) const;
  std::uint16_t spec_number(const std::string& id, const std::vector<SpecText>& texts,
                            const std::vector<std::uint16_t>& taken);
  std::optional<std::uint16_t> unused_spec(const std::vector<std::uint16_t>& taken) const;
  void refresh_order() const;

  Duration wall_;
  Duration stale_after_;
  Instant heard_ = Instant::min();  // when anything was heard last
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
  std::map<FlowKey, FlowCount> flows_;
  Instant flows_since_ = never;
  std::optional<Summary> summary_;
  std::map<DeviceId, ConditionRow> conditions_;
  std::map<AlertKey, AlertRow> alerts_;
  std::deque<AlertRow> alert_news_;
  std::deque<AuditRow> audits_;
  std::optional<Caption> caption_;
  std::uint64_t caption_snapshot_ = 0;
  std::optional<PolicyChanged> policy_;
  std::vector<std::string> pools_;
  std::vector<std::vector<std::uint16_t>> pool_sets_{{}};
  Trend curves_;
  HeldGrowth held_;
  Instant trend_due_ = never;  // the first point is added as soon as anything is known
  std::optional<std::uint64_t> trend_finished_;
  std::uint64_t snapshot_ = 0;
  bool in_snapshot_ = false;  // what comes was so when the snapshot was made, not now
  std::uint64_t left_out_ = 0;
  std::uint64_t structure_ = 1;
  mutable std::uint64_t ordered_structure_ = 0;  // the orders below are made when first asked for
  mutable std::vector<DeviceTable::Row> device_order_;
  mutable std::vector<std::uint32_t> host_order_;
};

/// Sums over the fleet as one pass over the devices finds them.
struct Totals {
  std::uint32_t hosts_ok = 0, hosts_suspect = 0, hosts_lost = 0, hosts_left = 0;
  // Those of hosts that have left count nowhere; the sums are over hosts that are not lost.
  std::uint32_t devices = 0, reporting = 0, busy = 0, stale = 0, lost = 0, throttled = 0;
  std::uint32_t gpus = 0, tpus = 0;
  double utilization = absent;  // mean of those that report
  double power_w = absent;      // of those that tell it
  double power_limit_w = 0;
  double memory_bytes = 0, memory_total_bytes = 0;
  double usd_per_h = 0;
  bool price_known = true;  // of every device
  double hottest_c = absent;
};
/// Says of a row whether it counts; null: all do.
using RowTest = std::function<bool(DeviceTable::Row)>;
Totals totals_of(const Model& model, Instant now, const RowTest& counts = nullptr);

/// Sums over the devices of a pool that are not lost, by the numbers of Model::pools(); the last
/// one, behind them, is of the devices of no pool. A device of several pools counts in each.
struct PoolTotals {
  std::uint32_t devices = 0, reporting = 0;
  double power_w = absent;  // of those that tell it
  double usd_per_h = 0;
};
std::vector<PoolTotals> pool_totals_of(const Model& model, Instant now,
                                       const RowTest& counts = nullptr);

}  // namespace drover::tui
