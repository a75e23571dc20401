// The router's state of the fleet: hosts, devices, groups and replicas, from Register messages,
// samples and reports, plus the work it has reserved, which counts at once. Columnar where
// decisions scan.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/catalogue/model.h"
#include "devices/catalogue/spec.h"
#include "devices/serving/performance.h"
#include "fleet/base/result.h"
#include "fleet/base/search.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/sample/sample.h"
#include "router/fleet_state/free_row_list.h"
#include "router/fleet_state/indices.h"
#include "router/fleet_state/limits.h"
#include "router/fleet_state/prefix_cache_index.h"
#include "router/fleet_state/prices.h"

namespace drover::router {

/// Text of a group, "host/g0", where gangs run; a replica's is "host/r0".
std::string group_place(std::string_view host, std::uint16_t group);

/// A reservation of power counts for at most this long; by then samples show the load.
inline constexpr Duration reserved_power_timeout = std::chrono::seconds(10);
/// A device is hot when it throttles for temperature, or is within `hot_margin_c` of its limit or
/// rises so fast that it will reach it within `hot_horizon_s`. It stays hot until it neither
/// throttles nor is within `hot_release_c` of the limit. (assumed: device controllers release 3 K
/// below the limit.)
inline constexpr float hot_margin_c = 2;
inline constexpr float hot_horizon_s = 5;
inline constexpr float hot_release_c = 6;
/// Serving is estimated at batches that are powers of two: 1 .. 65,536.
inline constexpr std::uint32_t batch_exponents = 17;
/// The exponent of the batch, rounded up to a power of two; `batch` counts as at least 1.
std::uint8_t batch_exponent(double batch);

/// Power of a replica's devices above their context-idle power.
struct ServingPower {
  double decode_w = 0;  // with all its reserved requests; 0: not known
  double prompt_w = 0;  // during prefill
};

/// Outlier state of a replica or group, from the attempts that ran there.
struct OutlierState {
  bool ejected = false;  // no new work for now (router/health/outlier_detector.h)
  Instant returned{};    // end of its last ejection; Instant{}: never ejected
};

struct alignas(64) HostEntry {
  // Scans read these; they share one cache line.
  Health health = Health::ok;
  bool draining = false;
  bool forgotten = false;  // not part of the fleet until it registers again
  PurchaseOption term = PurchaseOption::unspecified;  // from `registration`
  double price_factor = 1;                            // from `registration`
  Instant registered{};
  Instant returned{};  // contact again after it was suspect or lost; Instant{}: never

  Register registration;  // without replicas and held attempts
  Instant health_since{};
  std::string health_why;
  std::vector<GroupIndex> groups;
  std::vector<DeviceIndex> devices;  // by their index in the host
  DeviceIndex first_row = 0;         // its rows, used and unused
  std::size_t rows = 0;
  std::vector<GroupIndex> free_groups;  // reusable entries of groups it no longer has
  std::vector<ReplicaIndex> replicas;   // live ones, in index order
  std::map<std::uint32_t, ReplicaIndex> replica_by_number;  // gone ones included
  std::uint64_t last_sample_sequence = 0;
  std::uint64_t sample_gaps = 0;
  Duration sample_lag{};  // delay of its last sample, from measurement to arrival
};

struct GroupEntry {
  // Scans read these.
  HostIndex host = 0;
  DeviceIndex first = 0;
  const devices::DeviceSpec* spec = nullptr;  // owned by FleetState
  std::uint64_t pool_bits = 0;                // bits of `pools` below 64
  std::int64_t estimated_mw = 0;  // sampled and reserved power of its devices, exact in mW
  OutlierState outlier;           // for gangs on its devices
  bool gone = false;              // its host has registered with other groups since

  Group group;
  std::vector<std::uint32_t> pools;  // indices into the policy's pools, set by `assign_pools`
  /// Its devices, one after the other.
  DeviceRange devices() const { return {first, first + group.count}; }
  bool in_pool(std::uint32_t pool) const {
    return pool < 64 ? (pool_bits >> pool & 1U) != 0 : contains(pools, pool);
  }
};

/// Bits of DeviceColumns::condition and CandidateTable::condition: why a device or candidate gets
/// no new work.
enum PlacementCondition : std::uint32_t {
  condition_hot = 1,
  condition_unusable = 2,  // reported by its agent
  condition_drained =
      4,  // drained by an operator; of a candidate: also its host is drained or leaves
  condition_reserved = 8,  // for a job that preemption or yielding frees devices for
  // Only of candidates.
  condition_ejected = 16,
  condition_busy = 32,     // a replica that accepts no requests, or too few free devices
  condition_suspect = 64,  // its host's health
  condition_lost = 128,
};
/// A device with any of these bits gets no new work; other devices of its group may.
inline constexpr std::uint32_t condition_unavailable =
    condition_unusable | condition_drained | condition_reserved;

/// A prompt reserved on a replica: its prefill time, and the share of the replica's time, in ppm,
/// that goes to the prompts of requests like it. By Little's law that is the prefill time over the
/// request's lifetime, summed over the requests in flight.
struct ReservedPrompt {
  Duration length{};
  std::int64_t share_ppm = 0;
};

/// What scans read of a replica, recomputed whenever its report or its reservations change.
struct ReplicaFacts {
  DeviceIndex first_device = 0;
  std::uint16_t devices = 0;
  bool side_by_side = true;  // its devices are consecutive from `first_device`
  Precision precision = Precision::bf16;
  ReplicaState state = ReplicaState::loading;
  // Of the batch with one more request.
  std::uint8_t batch_exponent = 0;  // rounded up to a power of two; < batch_exponents
  Instant ready_at{};
  double requests = 0;   // the larger of reported and reserved
  double batch_max = 1;  // at least 1
  double tokens = 0;     // KV in use: the larger of reported and reserved
  double tokens_max = 0;
  double batch_share = 1;  // 1 / batch
  double disturbance = 1;  // factor on decode time for the prefill of other requests
};

struct alignas(64) ReplicaEntry {
  // Scans read these; they share two cache lines.
  HostIndex host = 0;
  GroupIndex group = 0;
  std::uint32_t number = 0;  // index in its host
  bool retiring = false;
  ReplicaFacts facts;
  // Prompts are prefilled one after the other: when all reserved so far should be done.
  Instant prompts_until{};
  ReservedPrompt prompts{};  // sums over the requests that have not ended
  OutlierState outlier;

  // Reserved by this router and not yet ended; counts at once.
  std::uint64_t reserved_tokens = 0;  // KV: input + output tokens of each request
  std::uint32_t reserved_requests = 0;
  double serving_w = 0;  // estimated with the reserved requests, above context-idle power
  Replica replica;       // as last reported
  Instant last_used{};   // last time that it had work
  bool has_work() const {
    return reserved_requests > 0 || replica.queued > 0 || replica.running > 0;
  }
};

/// One column per fact, one row per device.
struct DeviceColumns {
  std::vector<HostIndex> host;
  std::vector<GroupIndex> group;
  std::vector<std::uint16_t> number;  // index in its host
  std::vector<Instant> sampled;       // arrival of the last sample; Instant{} before the first
  std::vector<float> utilization, tensor_activity, memory_activity, power_w, power_cap_w,
      temperature_c, clock_mhz, queue, running, memory_temperature_c;
  std::vector<double> memory_used, memory_total, energy_j;
  std::vector<double> power_violation_s, thermal_violation_s, board_violation_s;
  // Only of real devices:
  std::vector<float> memory_clock_mhz, pcie_sent_per_s, pcie_received_per_s, link_sent_per_s,
      link_received_per_s, pcie_generation, pcie_lanes, ecc_corrected, ecc_uncorrected, xid, fan,
      busiest_cpu_core;
  std::vector<std::uint32_t> throttle;   // bits of Throttle
  std::vector<std::uint32_t> reported;   // the metrics that the last sample had, as bits
  std::vector<std::uint32_t> condition;  // bits of PlacementCondition
  // Reservations: a training gang (its job), or replicas.
  std::vector<JobId> gang;              // empty: none
  std::vector<std::uint16_t> replicas;  // number of replicas loaded or loading here
  std::vector<Instant> busy_until;
  std::vector<float> reserved_w;  // watts reserved by decisions, until a sample shows them
  std::vector<float> expected_w;  // level at which a sample shows the whole reservation
  std::vector<double> serving_w;  // of its replicas' reserved requests, above context-idle power
  std::vector<float> prompt_w;    // the same during prefill; 0: no prefill
  std::vector<Instant> prompts_until;
  std::vector<Instant> shown_until;     // until then, sampled power above the reservation may recur
  std::vector<Instant> reserved_until;  // from then on only samples count
  std::size_t size() const { return host.size(); }
};

/// Adds rows up to `size`, unknown or zero.
void grow(DeviceColumns& columns, std::size_t size);
/// Resets these rows to unknown or zero.
void clear(DeviceColumns& columns, DeviceIndex first, std::size_t count);

/// The metric, as users and alert rules see it; NaN if the last sample did not have it. Decisions
/// read the columns, which then keep the value before, or zero.
double reading(const DeviceColumns& columns, DeviceIndex device, Metric metric);

struct RowRun;

class FleetState {
 public:
  explicit FleetState(FleetStateLimits limits = {}) : limits_(limits) {}

  /// Adds a host, or replaces the host of the same name: its replicas are forgotten, and its
  /// devices keep their indices when the groups are unchanged. Parses the specs in the message.
  Result<HostIndex> register_host(Instant now, const Register& registration);
  /// Whether the last `register_host` failed because the fleet's tables are full. It may succeed
  /// later, when other hosts have left.
  bool refused_for_capacity() const { return refused_for_capacity_; }
  /// Groups that have changed since the last call.
  std::vector<GroupIndex> take_renewed_groups() { return std::exchange(renewed_groups_, {}); }
  /// Specs that no host has had since the last call; the caller frees them once nothing refers to
  /// them.
  std::vector<std::unique_ptr<devices::DeviceSpec>> take_unused_specs() {
    return std::exchange(unused_specs_, {});
  }
  std::size_t spec_count() const { return specs_.size(); }
  /// Texts of replicas and groups removed since the last call: gone replicas whose entry was
  /// reused, and groups of hosts whose groups changed. A group may exist again by now.
  std::vector<std::string> take_dropped_places() { return std::exchange(dropped_places_, {}); }
  /// Names of forgotten hosts whose index was reused since the last call: nothing of them is kept.
  std::vector<std::string> take_replaced_hosts() { return std::exchange(replaced_hosts_, {}); }
  std::optional<HostIndex> find_host(std::string_view name) const;
  void set_health(Instant now, HostIndex host, Health health);
  /// Whether its devices are real: they are read, and get no work.
  bool is_real(const HostEntry& host) const {
    return !host.groups.empty() && groups_[host.groups.front()].spec->real;
  }
  /// Removes its devices and replicas and frees their rows. Its index is reused once the table of
  /// hosts is full; the host forgotten longest ago goes first.
  void forget_host(HostIndex host);
  /// Devices that may get work, of hosts that are not forgotten: real ones get none.
  std::size_t emulated_device_count() const { return emulated_device_count_; }
  /// The host (or place) failed and has returned: its slow start begins.
  void set_returned(Instant now, HostIndex host);
  void set_returned(Instant now, OutlierState& outlier);
  /// Time of the last `set_returned`; Instant{}: nothing has failed yet.
  Instant last_return() const { return last_return_; }
  /// Whether the device can run work. REQUIRES that the host has it. An unusable device counts as
  /// idle until samples show otherwise.
  void set_usable(HostIndex host, std::uint16_t number, bool usable);
  /// Stops new work on the device; running work continues. REQUIRES that the host has it.
  void set_drained(HostIndex host, std::uint16_t number, bool drained);
  /// Stops new work on the device, whether or not it is free.
  void set_reserved(DeviceIndex device, bool reserved);
  /// Sets until when this job's gang is expected to hold these devices of the host.
  void set_busy_until(const JobId& job, HostIndex host, const std::vector<std::uint16_t>& devices,
                      Instant until);
  /// The group that holds the replica's devices; nothing: the host has no such devices.
  std::optional<GroupIndex> group_of(HostIndex host, const Replica& replica) const;
  /// Discards the last reading of an unusable device if it came before `heard_before`.
  void discard_stale_readings(HostIndex host, std::uint16_t number, Instant heard_before);

  /// Applies a batch that passed `check`. Rows of unknown devices are ignored.
  void apply(Instant now, HostIndex host, std::uint64_t sequence, const SampleBatch& batch);
  /// Of all hosts, forgotten ones included.
  std::uint64_t sample_gaps() const { return sample_gaps_; }

  /// Applies a replica's report: adds it, updates it, or removes it when it is gone. A replica
  /// keeps its index when its host reports it again. Returns `no_index` and changes nothing for an
  /// invalid report: unknown group or devices, no devices, or an invalid name.
  ReplicaIndex apply(Instant now, HostIndex host, const Replica& replica);
  std::optional<ReplicaIndex> find_replica(HostIndex host, std::uint32_t number) const;
  /// The next free replica number of a host.
  std::uint32_t next_replica_number(HostIndex host) const;
  /// All replicas of a model, in index order.
  const std::vector<ReplicaIndex>& replicas_of(std::string_view model) const;

  /// Reservations count at once, until they are released. `prompt`: estimated prefill time of the
  /// request. `power`: power of the replica including this request. Pass the returned value to
  /// `release_request`.
  ReservedPrompt reserve_request(Instant now, ReplicaIndex replica, std::uint64_t tokens,
                                 Instant busy_until, Duration prompt = Duration{0},
                                 ServingPower power = {});
  void release_request(ReplicaIndex replica, std::uint64_t tokens, ReservedPrompt prompt = {});
  /// Marks replicas with work as used at `now`; called each heartbeat.
  void note_used(Instant now);
  /// Watts that `reserve_request` with this `power` would add to the estimated power.
  double added_w(ReplicaIndex replica, ServingPower power) const;
  /// A replica that will be loaded: its devices get a context.
  void reserve_replica(Instant now, ReplicaIndex replica);
  void reserve_gang(Instant now, const JobId& job, HostIndex host,
                    const std::vector<std::uint16_t>& devices, Instant busy_until,
                    double watts_each);
  void release_gang(const JobId& job, HostIndex host, const std::vector<std::uint16_t>& devices);

  /// How long a prompt reserved now would wait for earlier ones: at most the total prefill time of
  /// requests that have not ended, because a request ends after its prompt.
  static Duration prompt_wait(Instant now, const ReplicaEntry& replica) {
    const Duration estimate = std::max(replica.prompts_until - now, Duration{0});
    if (replica.facts.state != ReplicaState::ready) return estimate;
    return std::min(estimate, replica.prompts.length);
  }

  /// Calls `visit(device)` for each device of a replica; used by scans.
  template <typename Visit>
  void each_device(const ReplicaEntry& replica, Visit visit) const {
    const ReplicaFacts& facts = replica.facts;
    if (facts.side_by_side) {
      for (std::uint32_t n = 0; n < facts.devices; ++n) visit(facts.first_device + n);
      return;
    }
    const std::vector<DeviceIndex>& devices = hosts_[replica.host].devices;
    for (const std::uint16_t number : replica.replica.devices) visit(devices[number]);
  }

  /// Prompt blocks that replicas have read recently.
  const PrefixCacheIndex& prefix_cache() const { return prefixes_; }
  void note_prefix(ReplicaIndex replica, const std::vector<std::uint64_t>& prefix);

  /// Increases with every change that can affect a decision.
  std::uint64_t version() const { return version_; }

  const std::string& host_name(HostIndex host) const { return hosts_[host].registration.host; }
  const HostEntry& host_of_group(GroupIndex group) const { return hosts_[groups_[group].host]; }
  const GroupEntry& group_of_device(DeviceIndex device) const {
    return groups_[devices_.group[device]];
  }
  const std::vector<HostEntry>& hosts() const { return hosts_; }
  const std::vector<GroupEntry>& groups() const { return groups_; }
  const std::vector<ReplicaEntry>& replicas() const { return replicas_; }
  const DeviceColumns& devices() const { return devices_; }
  ReplicaEntry& replica(
      ReplicaIndex index);              // for `retiring`, `outlier`: facts follow from the others
  HostEntry& host(HostIndex index);     // for `draining`
  GroupEntry& group(GroupIndex index);  // for `pools`, `outlier`
  /// Whether any group is in this pool, as `assign_pools` found.
  bool pool_has_groups(std::uint32_t pool) const {
    return pool < pool_groups_.size() && pool_groups_[pool] > 0;
  }
  void set_pool_groups(std::vector<std::uint32_t> counts) { pool_groups_ = std::move(counts); }
  /// Sums over the devices of hosts that are not lost.
  double power_w() const { return sum_of(&DeviceColumns::power_w); }
  double power_w(std::uint32_t pool) const;
  double reserved_w() const { return sum_of(&DeviceColumns::reserved_w); }

 private:
  friend class WhatIfFleet;  // it undoes its own changes (what_if_fleet.h)
  FleetStateLimits limits_;
  std::uint64_t version_ = 1;
  std::uint64_t sample_gaps_ = 0;
  std::size_t emulated_device_count_ = 0;
  Instant last_return_{};
  std::vector<HostEntry> hosts_;
  std::vector<GroupEntry> groups_;
  std::vector<ReplicaEntry> replicas_;
  DeviceColumns devices_;
  std::vector<std::uint32_t> pool_groups_;  // by pool
  PrefixCacheIndex prefixes_;
  std::map<std::string, HostIndex, std::less<>> host_by_name_;
  std::map<std::string, std::vector<ReplicaIndex>, std::less<>> replicas_by_model_;
  std::map<std::string, std::unique_ptr<devices::DeviceSpec>> specs_;
  std::vector<std::unique_ptr<devices::DeviceSpec>> unused_specs_;
  std::vector<std::string> dropped_places_;
  std::vector<std::string> replaced_hosts_;
  std::vector<GroupIndex> renewed_groups_;
  // Freed by forgotten hosts, for any host.
  FreeRowList free_rows_;
  std::vector<GroupIndex> free_groups_;
  std::vector<ReplicaIndex> free_replicas_;
  bool refused_for_capacity_ = false;
  std::vector<double> scratch_;    // one decoded column
  std::vector<DeviceIndex> rows_;  // the device of each row of the batch
  std::vector<float> previous_temperature_c_;

  Status check_capacity(const Register& registration);
  Result<std::vector<const devices::DeviceSpec*>> read_specs(const Register& registration);
  void add_groups(HostIndex host, const std::vector<const devices::DeviceSpec*>& specs);
  /// The host's index: its own, a reused one of a forgotten host, or a new one at the end.
  HostIndex index_for(const std::string& host);
  std::optional<HostIndex> longest_forgotten() const;
  /// First row for `count` devices of the host: its own rows, free rows, or new rows at the end.
  DeviceIndex rows_for(HostIndex host, std::size_t count);
  std::size_t rows_wanted(const HostEntry& host, std::size_t count) const;
  GroupIndex group_slot(HostEntry& host);
  void drop_groups(HostIndex host);
  void drop_unused_specs();
  Error no_capacity(std::string why);
  void forget(ReplicaIndex index);
  ReplicaIndex replica_slot(HostEntry& host);
  void free_replica(ReplicaIndex index);
  double sum_of(std::vector<float> DeviceColumns::*column) const;
  /// Writes the values that the rows have. Returns whether all of them have one.
  bool place_column(const Column& column, const std::vector<RowRun>& runs, Instant now);
  bool place_power(const Column& power, Instant now);
  void set_power(DeviceIndex device, float power_w, float reserved_w);
  void set_condition(DeviceIndex device, std::uint32_t bit, bool holds);
  /// REQUIRES that the host has it.
  DeviceIndex device_of(HostIndex host, std::uint16_t number) const;
  void assume_idle(DeviceIndex device);
  void update_hot_devices(const std::vector<RowRun>& runs, double elapsed_s);
  void expect_serving(ReplicaEntry& row, double serving_w);
  void expect_level(DeviceIndex device);
  void expect_prompt(Instant now, const ReplicaEntry& row, double prompt_w);
  void expect_again(Instant now, DeviceIndex device, float power_w);
  bool prompts_read(Instant now, DeviceIndex device) const;
  void forget_prompts(const ReplicaEntry& row);
  void release_power(DeviceIndex device);
  float missing_w(DeviceIndex device, float power_w) const;
  float capped_w(DeviceIndex device, float level) const;
  float level_w(GroupIndex group, double serving_w) const;
};

}  // namespace drover::router
