// What the router believes of the fleet: hosts, devices, groups and replicas, from Hellos, samples
// and reports, and the work it has promised, which counts at once. Columnar where decisions scan.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/catalogue/model.h"
#include "devices/catalogue/spec.h"
#include "devices/serving/performance.h"
#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/sample/sample.h"
#include "router/roster/prefix_book.h"
#include "router/roster/prices.h"
#include "router/roster/roster_limits.h"
#include "router/roster/spare_rows.h"

namespace drover::router {

using HostIndex = std::uint32_t;
using DeviceIndex = std::uint32_t;  // a host keeps its own until its groups change or it goes
using GroupIndex = std::uint32_t;
using ReplicaIndex = std::uint32_t;
inline constexpr std::uint32_t nowhere = 0xffffffff;

/// The place where gangs run, "host/g0"; a replica's is "host/r0".
std::string group_place(std::string_view host, std::uint16_t group);

/// Samples show a promised load after this span at the latest; then the promise counts no more.
inline constexpr Duration promised_power_span = std::chrono::seconds(10);
/// A device is hot when it throttles for heat, or is so near to its limit and rising so fast that
/// it will within `heat_horizon_s`; and until it neither throttles nor is within `heat_release_c`
/// of the limit. (assumed: the controllers of the devices release 3 K below the limit.)
inline constexpr float heat_near_c = 2;
inline constexpr float heat_horizon_s = 5;
inline constexpr float heat_release_c = 6;
/// Serving is estimated at batches that are powers of two: 1 .. 65,536.
inline constexpr std::uint32_t batch_exponents = 17;
/// Of a batch, at least 1, rounded up.
std::uint8_t batch_exponent(double batch);

/// What a replica's devices draw above their open power.
struct ServingPower {
  double decode_w = 0;  // with all its promised requests; 0: not known
  double prompt_w = 0;  // while it reads a prompt
};

/// What became of earlier attempts at a place.
struct Trust {
  bool ejected = false;  // left alone for now (ejection.h)
  Instant returned{};    // when it was last no longer; Instant{}: it was never ejected
};

struct alignas(64) HostEntry {
  // What scans read stands first, in one cache line.
  Health health = Health::ok;
  bool draining = false;
  bool forgotten = false;              // no part of the fleet until it says Hello again
  PriceTerm term = PriceTerm::unsaid;  // of `hello`
  double price_factor = 1;             // of `hello`
  Instant enrolled{};
  Instant returned{};  // heard again after it was suspect or lost; Instant{}: never

  Hello hello;  // without replicas and held attempts
  Instant health_since{};
  std::vector<GroupIndex> groups;
  std::vector<DeviceIndex> devices;  // by their number in the host
  DeviceIndex first_row = 0;         // its rows, whether in use or not
  std::size_t rows = 0;
  std::vector<GroupIndex> spare_groups;                     // its own that are gone
  std::vector<ReplicaIndex> replicas;                       // live ones, in index order
  std::map<std::uint32_t, ReplicaIndex> replica_by_number;  // all there ever were
  std::uint64_t last_sample_sequence = 0;
  std::uint64_t sample_gaps = 0;
  Duration sample_lag{};  // how much later than it was true its last sample came
};

struct GroupEntry {
  // What scans read stands first.
  HostIndex host = 0;
  DeviceIndex first = 0;
  const devices::DeviceSpec* spec = nullptr;  // owned by the roster
  std::uint64_t pool_bits = 0;                // `pools` below 64
  std::int64_t believed_mw = 0;  // sampled and promised power of its devices, exact in mW
  Trust trust;                   // of gangs on its devices
  bool gone = false;             // its host has enrolled with other groups since

  Group group;
  std::vector<std::uint32_t> pools;  // indices into the policy's pools, set by `assign_pools`
  bool in_pool(std::uint32_t pool) const {
    if (pool < 64) return (pool_bits >> pool & 1U) != 0;
    for (const std::uint32_t own : pools) {
      if (own == pool) return true;
    }
    return false;
  }
};

/// Bits of DeviceColumns::condition and Standings::condition: why new work keeps away from a device
/// or a place.
enum PlaceCondition : std::uint32_t {
  condition_hot = 1,
  condition_unusable = 2,  // its agent says so
  condition_drained = 4,   // somebody has said so; a place: also of its host, or it leaves
  condition_reserved = 8,  // for a job whose way others are making free
  // Of places alone.
  condition_ejected = 16,
  condition_busy = 32,     // a replica that takes no requests; too few free devices
  condition_suspect = 64,  // its host's health
  condition_lost = 128,
};
/// A device with any of these is none for new work; of a group others may be taken.
inline constexpr std::uint32_t condition_barred =
    condition_unusable | condition_drained | condition_reserved;

/// A prompt promised to a replica: how long reading it takes, and the share of the replica's time,
/// in millionths, that goes to reading the prompts of requests like it. By Little's law that is its
/// length over its request's lifetime, summed over the requests in flight.
struct PromisedPrompt {
  Duration length{};
  std::int64_t share_ppm = 0;
};

/// What scans read of a replica, worked out from its report and promises whenever these change.
struct ReplicaFacts {
  DeviceIndex first_device = 0;
  std::uint16_t devices = 0;
  bool side_by_side = true;  // its devices are `first_device` and those after it
  Precision precision = Precision::bf16;
  ReplicaState state = ReplicaState::loading;
  // Of the batch in which one request more would run.
  std::uint8_t batch_exponent = 0;  // rounded up to a power of two; < batch_exponents
  Instant ready_at{};
  double requests = 0;   // reported or promised, whichever is more
  double batch_max = 1;  // at least 1
  double tokens = 0;     // KV in use or promised, whichever is more
  double tokens_max = 0;
  double batch_share = 1;  // 1 / batch
  double disturbance = 1;  // how much longer decoding takes because others' prompts are read
};

struct alignas(64) ReplicaEntry {
  // What scans read stands first, in two cache lines.
  HostIndex host = 0;
  GroupIndex group = 0;
  std::uint32_t number = 0;  // in its host
  bool retiring = false;
  ReplicaFacts facts;
  // Prompts are read one after the other: when those promised so far are believed to be read.
  Instant prompts_until{};
  PromisedPrompt prompts{};  // sums over those whose requests have not ended
  Trust trust;

  // Promised by this router and not yet ended; counts at once.
  std::uint64_t promised_tokens = 0;  // KV: input + output of each
  std::uint32_t promised_requests = 0;
  double serving_w = 0;  // believed with the promised requests, above its devices' open power
  Replica replica;       // as last reported
  Instant heard{};
  Instant last_used{};  // it had work then
  bool has_work() const {
    return promised_requests > 0 || replica.queued > 0 || replica.running > 0;
  }
};

/// One column per fact, one row per device.
struct DeviceColumns {
  std::vector<HostIndex> host;
  std::vector<GroupIndex> group;
  std::vector<std::uint16_t> number;  // in its host
  std::vector<Instant> sampled;       // arrival of the last sample; Instant{} before the first
  std::vector<float> utilization, matrix_activity, memory_activity, power_w, power_cap_w,
      temperature_c, clock_mhz, queue, running, memory_temperature_c;
  std::vector<double> memory_used, memory_total, energy_j;
  std::vector<double> power_violation_s, thermal_violation_s, board_violation_s;
  std::vector<std::uint32_t> throttle;
  std::vector<std::uint32_t> condition;  // bits of PlaceCondition
  // Promised: a training gang (its job), or replicas.
  std::vector<JobId> gang;              // empty: none
  std::vector<std::uint16_t> replicas;  // number of replicas loaded or loading here
  std::vector<Instant> busy_until;
  std::vector<float> promised_w;  // watts reserved at decision time, until a sample shows them
  std::vector<float> expected_w;  // the level at which a sample shows the whole promise
  std::vector<double> serving_w;  // of its replicas' promised requests, above its open power
  std::vector<float> prompt_w;    // the same while a prompt is read; 0: none is
  std::vector<Instant> prompts_until;
  std::vector<Instant> shown_until;     // what a sample showed beyond what was promised comes again
  std::vector<Instant> promised_until;  // from here on samples are the truth
  std::size_t size() const { return host.size(); }
};

/// What the device's last sample told. Of what none has ever told the columns hold zeros, where no
/// device shows a zero (power, temperature, clock) and so that is not known, or say so.
double reading(const DeviceColumns& columns, DeviceIndex device, Metric metric);

struct Run;

class Roster {
 public:
  explicit Roster(RosterLimits limits = {});
  ~Roster();

  /// Adds a host or replaces one of the same name (its replicas are forgotten, its devices keep
  /// their indices when the groups are the same). Parses the specs it carries.
  Result<HostIndex> enrol(Instant now, const Hello& hello);
  /// The last `enrol` was refused for want of room in the fleet's tables, which others may leave.
  bool refused_for_room() const { return refused_for_room_; }
  /// Groups that are others than before, since the last call.
  std::vector<GroupIndex> take_renewed_groups() { return std::exchange(renewed_groups_, {}); }
  /// Specs that no host has any more, to be freed once nobody knows them: since the last call.
  std::vector<std::unique_ptr<devices::DeviceSpec>> take_unused_specs() {
    return std::exchange(unused_specs_, {});
  }
  std::size_t spec_count() const { return specs_.size(); }
  /// Places that are known no more, since the last call: replicas that had gone and made room for
  /// others, and groups of hosts whose groups have changed. A group may be there again by now.
  std::vector<std::string> take_dropped_places() { return std::exchange(dropped_places_, {}); }
  /// Forgotten hosts whose index is another's now, since the last call: nothing of them is known.
  std::vector<std::string> take_replaced_hosts() { return std::exchange(replaced_hosts_, {}); }
  std::optional<HostIndex> find_host(std::string_view name) const;
  void set_health(Instant now, HostIndex host, Health health);
  /// Its devices and replicas are no more, and their rows are for others. Its index is another's
  /// once there are as many hosts as there may be; the host that is away for longest goes first.
  void forget_host(HostIndex host);
  /// Of hosts that are not forgotten. The columns keep places of others, too.
  std::size_t device_count() const { return device_count_; }
  /// It failed and is back from now on: it starts slowly.
  void set_returned(Instant now, HostIndex host);
  void set_returned(Instant now, Trust& trust);
  /// The last of these; Instant{}: nothing has failed yet.
  Instant last_return() const { return last_return_; }
  /// Whether the device may be given work at all. REQUIRES that the host has it.
  /// Until samples of it say otherwise, one that is not usable idles.
  void set_usable(HostIndex host, std::uint16_t number, bool usable);
  /// New work keeps away from it; what runs goes on. REQUIRES that the host has it.
  void set_drained(HostIndex host, std::uint16_t number, bool drained);
  /// New work keeps away from it, whether it is free or not.
  void set_reserved(DeviceIndex device, bool reserved);
  /// The gang of this job is believed to hold these of the host's devices until then.
  void set_busy_until(const JobId& job, HostIndex host, const std::vector<std::uint16_t>& devices,
                      Instant until);
  /// The group of the host on whose devices the replica runs; none: the host has no such devices.
  std::optional<GroupIndex> group_of(HostIndex host, const Replica& replica) const;
  /// One that is not usable: what its last sample said is no more, if that came before then.
  void settle_silent(HostIndex host, std::uint16_t number, Instant heard_before);

  /// Belief corrected by a batch that passed `check`. Rows of unknown devices are counted, not
  /// used.
  void apply(Instant now, HostIndex host, std::uint64_t sequence, const SampleBatch& batch);
  std::uint64_t unknown_rows() const { return unknown_rows_; }
  std::uint64_t sample_gaps() const { return sample_gaps_; }  // of all hosts there ever were

  /// A replica's report: added, changed, or forgotten when it is gone. A replica keeps its index
  /// when its host reports it again. Answers `nowhere`, and changes nothing, for a report that
  /// makes no sense: a group or devices that the host does not have, no devices, a name that is
  /// none.
  ReplicaIndex apply(Instant now, HostIndex host, const Replica& replica);
  std::optional<ReplicaIndex> find_replica(HostIndex host, std::uint32_t number) const;
  /// The next free replica number of a host.
  std::uint32_t next_replica_number(HostIndex host) const;
  /// All replicas of a model, in index order.
  const std::vector<ReplicaIndex>& replicas_of(std::string_view model) const;

  /// Promises count at once and until `release`.
  /// `prompt`: what reading its prompt is believed to take. What is answered goes to `release`.
  /// `power`: of the replica with this request.
  PromisedPrompt promise_request(Instant now, ReplicaIndex replica, std::uint64_t tokens,
                                 Instant busy_until, Duration prompt = Duration{0},
                                 ServingPower power = {});
  void release_request(ReplicaIndex replica, std::uint64_t tokens, PromisedPrompt prompt = {});
  /// Replicas that have work are used now. To be told each heartbeat.
  void note_used(Instant now);
  /// What `promise_request` with this `power` would add to the believed power.
  double added_w(ReplicaIndex replica, ServingPower power) const;
  /// A replica that will be loaded: its devices are opened.
  void promise_replica(Instant now, ReplicaIndex replica);
  void promise_gang(Instant now, const JobId& job, HostIndex host,
                    const std::vector<std::uint16_t>& devices, Instant busy_until,
                    double watts_each);
  void release_gang(const JobId& job, HostIndex host, const std::vector<std::uint16_t>& devices);

  /// How long a prompt promised now would wait for the others: never longer than all prompts of
  /// requests that have not ended, because ends come after prompts.
  static Duration prompt_wait(Instant now, const ReplicaEntry& replica) {
    const Duration believed = std::max(replica.prompts_until - now, Duration{0});
    if (replica.facts.state != ReplicaState::ready) return believed;
    return std::min(believed, replica.prompts.length);
  }

  /// `visit(device)` for each device of a replica: part of scans.
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

  /// What replicas have read lately.
  const PrefixBook& prefixes() const { return prefixes_; }
  void note_prefix(ReplicaIndex replica, const std::vector<std::uint64_t>& prefix);

  /// Grows with every change that a decision could see.
  std::uint64_t version() const { return version_; }

  const std::vector<HostEntry>& hosts() const { return hosts_; }
  const std::vector<GroupEntry>& groups() const { return groups_; }
  const std::vector<ReplicaEntry>& replicas() const { return replicas_; }
  const DeviceColumns& devices() const { return devices_; }
  ReplicaEntry& replica(
      ReplicaIndex index);              // for `retiring`, `trust`: facts follow from the others
  HostEntry& host(HostIndex index);     // for `draining`
  GroupEntry& group(GroupIndex index);  // for `pools`, `trust`
  /// Whether any group of the fleet is in this pool, as `assign_pools` found.
  bool pool_has_groups(std::uint32_t pool) const {
    return pool < pool_groups_.size() && pool_groups_[pool] > 0;
  }
  void set_pool_groups(std::vector<std::uint32_t> counts) { pool_groups_ = std::move(counts); }
  /// Sum over devices of hosts that are not lost.
  double power_w() const;
  double power_w(std::uint32_t pool) const;
  double promised_w() const;
  double energy_j() const;

 private:
  friend class RosterTrial;  // changes that it takes back itself (roster_trial.h)
  RosterLimits limits_;
  std::uint64_t version_ = 1;
  std::uint64_t unknown_rows_ = 0;
  std::uint64_t sample_gaps_ = 0;
  std::size_t device_count_ = 0;
  Instant last_return_{};
  std::vector<HostEntry> hosts_;
  std::vector<GroupEntry> groups_;
  std::vector<ReplicaEntry> replicas_;
  DeviceColumns devices_;
  std::vector<std::uint32_t> pool_groups_;  // by pool
  PrefixBook prefixes_;
  std::map<std::string, HostIndex, std::less<>> host_by_name_;
  std::map<std::string, std::vector<ReplicaIndex>, std::less<>> replicas_by_model_;
  std::map<std::string, std::unique_ptr<devices::DeviceSpec>> specs_;
  std::vector<std::unique_ptr<devices::DeviceSpec>> unused_specs_;
  std::vector<std::string> dropped_places_;
  std::vector<std::string> replaced_hosts_;
  std::vector<GroupIndex> renewed_groups_;
  // Of forgotten hosts, for any host.
  SpareRows spare_rows_;
  std::vector<GroupIndex> spare_groups_;
  std::vector<ReplicaIndex> spare_replicas_;
  bool refused_for_room_ = false;
  std::vector<double> scratch_;    // one decoded column
  std::vector<DeviceIndex> rows_;  // the device of each row of the batch
  std::vector<float> heat_before_c_;

  Status check_room(const Hello& hello);
  Result<std::vector<const devices::DeviceSpec*>> read_specs(const Hello& hello);
  void add_groups(HostIndex host, const std::vector<const devices::DeviceSpec*>& specs);
  /// The host's own, or that of a forgotten one, or a new one at the end.
  HostIndex index_for(const std::string& host);
  std::optional<HostIndex> longest_forgotten() const;
  /// Rows of the host for so many devices: its own, or spare ones, or new ones at the end.
  DeviceIndex rows_for(HostIndex host, std::size_t count);
  std::size_t rows_wanted(const HostEntry& host, std::size_t count) const;
  GroupIndex group_slot(HostEntry& host);
  void drop_groups(HostIndex host);
  void drop_unused_specs();
  Error no_room(std::string why);
  void forget(ReplicaIndex index);
  ReplicaIndex replica_slot(HostEntry& host);
  void spare(ReplicaIndex index);
  void place_power(const Column& power, Instant now);
  void set_power(DeviceIndex device, float power_w, float promised_w);
  void believe_idle(DeviceIndex device);
  void judge_heat(const std::vector<Run>& runs, double elapsed_s);
  void expect_serving(ReplicaEntry& row, double serving_w);
  void expect_level(DeviceIndex device);
  void expect_prompt(Instant now, const ReplicaEntry& row, double prompt_w);
  void expect_again(Instant now, DeviceIndex device, float power_w);
  bool prompts_read(Instant now, DeviceIndex device) const;
  void forget_prompts(const ReplicaEntry& row);
  void give_back(DeviceIndex device);
  float missing_w(DeviceIndex device, float power_w) const;
  float capped_w(DeviceIndex device, float level) const;
  float level_w(GroupIndex group, double serving_w) const;
};

}  // namespace drover::router
