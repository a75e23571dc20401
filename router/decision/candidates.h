// The candidates of one decision in one pool, as rows for filters and scorers.
//
// Facts about kinds of placements (device spec, precision, number of devices) are computed once
// per kind; facts about each candidate once per row. A request's candidates are the replicas of
// its model; a gang's are groups with their lowest free devices; a new replica's are groups
// likewise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "router/decision/decide.h"
#include "router/fleet_state/fleet_state.h"
#include "router/fleet_state/multi_host_gang.h"
#include "router/policy/work_class.h"

namespace drover::router {

enum class Purpose : std::uint8_t { request, gang, replica };

/// What the candidates of one pool are checked against.
struct PlacementQuery {
  const FleetState& fleet_state;
  const Policy& policy;
  const Rule& rule;
  const PlacementRequest& request;
  Needs needs{};
  Instant now{};
  Purpose purpose = Purpose::request;
  double waited_s = 0;                  // since submission
  std::uint64_t need_tokens = 0;        // KV of one request: input and output
  bool avoid = true;                    // enforce `request.avoid`
  bool slo = true;                      // enforce the rule's slo
  bool healthy = true;                  // enforce silence and ejection, even in panic mode
  std::vector<Precision> precisions{};  // accepted, best first; empty: any
  bool none_accepted = false;           // job, rule and fallback have no precision in common
  bool degraded = false;                // `precisions` are a fallback's change
  // Per pool.
  const Pool* pool = nullptr;
  std::uint32_t pool_number = 0;
  double site_power_w = 0;  // estimated, reservations included
  double pool_power_w = 0;
  double pool_cap_w = 0;  // 0: none
  double pool_jobs = 0;   // reserved, when the pool has a largest share
  std::map<std::string, double, std::less<>> rack_power_w{};  // estimated, when racks have a limit
  bool far = false;  // the network or the prices add to a candidate's cost

  /// Sizes of the slices that a gang or replica may take on these devices; empty: any.
  const std::vector<int>& slices_of(const devices::DeviceSpec& spec) const {
    return pool->slices.empty() ? spec.slice_sizes : pool->slices;
  }
  /// Whether the job may be trained in this precision without verification.
  bool trains_unverified(Precision precision) const {
    return purpose != Purpose::gang || precision != Precision::fp16 ||
           request.job->work.loss_scaling;
  }
};

struct PlacementKind {
  const devices::DeviceSpec* spec = nullptr;
  int devices = 1;                     // per replica or gang; 0: nothing fits
  bool of_groups = false;              // of new replicas; else of existing ones
  int group_devices = 0;               // in the group, if it matters
  int per_host = 0;                    // a multi-host gang: devices of its largest part; else 0
  std::optional<Precision> precision;  // nothing: no accepted precision runs there
  std::uint32_t failed = 0;            // bits by filter
  double price_usd_per_h = 0;          // one device
  double warmup_s = 0;
  ServingMemo* serving = nullptr;
  std::uint32_t known_runs = 0;  // bits by batch exponent
  std::array<Estimator::Run, batch_exponents> runs;
};

/// The candidates of a pool: one column per fact, one row per candidate, so that filters and
/// scorers run down columns. `hottest_share`, `power_share` and `prefix_share` are each for one
/// scorer. Their rows may be undefined if the rule gives it no weight.
struct CandidateTable {
  std::size_t size = 0;  // rows in use; columns may be longer, which avoids reallocation

  std::vector<std::uint32_t> failed;  // bits by filter
  std::vector<std::uint32_t>
      condition;  // bits of PlacementCondition, of all its devices and its own
  std::vector<std::uint16_t> kind;
  std::vector<std::uint16_t> devices;  // number that a gang or new replica would take
  std::vector<std::uint16_t>
      spread;  // a multi-host gang: 1 + its index; 0: none; unset for replicas
  std::vector<ReplicaIndex> replica;
  std::vector<GroupIndex> group;
  std::vector<Instant> sampled;  // time of the oldest sample of its devices
  std::vector<double> load;      // requests reserved or reported
  std::vector<double> bound;     // limit of `load`: the batch limit with the pool's overprovision
  std::vector<double> tokens, tokens_max;
  // Estimates for the job there, in fleet seconds from now.
  std::vector<double> start_s, run_s, first_token_s, finish_s, warmup_s;
  std::vector<double> ratio;      // learnt ratio in run_s
  std::vector<double> power_w;    // added while it runs, over the candidate's devices
  std::vector<double> prompt_w;   // a request's during prefill, over the whole replica
  std::vector<double> usd_per_h;  // its share of the devices' price while it runs
  std::vector<double> energy_j, cost_usd;
  std::vector<double> free_after;  // share of the group's devices left free
  // How near the model's weights are: loaded here 1, on this host 2/3, in this rack 1/3, else 0.
  std::vector<double> near_weights;
  std::vector<double> prefix_share;  // share of the prompt's blocks that it has read before
  // Costs of distance, if PlacementQuery::far: data to be moved, a round trip to the clients.
  std::vector<double> transfer_s, rtt_s;
  std::vector<std::uint8_t> reachable;  // 0: the data cannot be reached
  std::vector<float> hottest_share;     // temperature over the limit of the spec
  std::vector<float> power_share;       // estimated power over cap, worst device

  std::vector<MultiHostGang> multi_host_gangs;  // named by rows

  /// The row's multi-host gang; null: it is not one.
  const MultiHostGang* multi_host_gang_of(std::size_t row) const {
    const bool one_place = replica[row] != no_index || spread[row] == 0;  // unset for replicas
    return one_place ? nullptr : &multi_host_gangs[spread[row] - 1];
  }

  /// Makes the columns hold at least this many rows. A row is undefined until it is filled.
  void resize(std::size_t rows);

  /// Computes, for the rows from `begin` on, what follows from start, run time, power and price.
  void derive_totals(std::size_t begin);
};

/// Calls `visit(device)` for each device of the row: those of its replica, or all of its groups.
template <typename Visit>
void each_device(const FleetState& fleet_state, const CandidateTable& rows, std::size_t row,
                 Visit visit) {
  const ReplicaIndex replica = rows.replica[row];
  if (replica != no_index) return fleet_state.each_device(fleet_state.replicas()[replica], visit);
  const auto visit_group = [&](GroupIndex index) {
    for (const DeviceIndex device : fleet_state.groups()[index].devices()) visit(device);
  };
  const MultiHostGang* spread = rows.multi_host_gang_of(row);
  if (spread == nullptr) return visit_group(rows.group[row]);
  for (const MultiHostGang::Part& part : spread->parts) visit_group(part.group);
}

/// One candidate in 16 bytes: enough to describe its status later.
struct RecordRow {
  std::uint32_t place = no_index;  // a replica, or a group
  std::uint32_t failed = 0;        // bits by filter
  float score = 0;                 // if nothing failed
  std::uint16_t pool = 0;
  bool is_replica = false;
  std::uint8_t hosts = 1;  // hosts of a multi-host gang; `place` is its first group
};

/// Reused from one decision to the next.
struct DecisionScratch {
  std::vector<PlacementKind> kinds;
  CandidateTable rows;
  std::vector<std::uint32_t> feasible;                // rows that no filter rejects
  std::vector<std::vector<double>> values;            // by scorer, in the order of `feasible`
  std::vector<double> scores;                         // in the order of `feasible`
  std::vector<std::array<std::uint32_t, 32>> counts;  // by kind and filter
  std::vector<std::int64_t> waits;                    // of a group's busy devices
  std::vector<RecordRow> record;                      // all candidates of the last decision
};

PlacementQuery make_query(const FleetState& fleet_state, const Policy& policy, const Rule& rule,
                          const PlacementRequest& request, const WorkClass* work_class, Instant now,
                          Purpose purpose);

/// Precisions that job and rule both accept, in the job's order.
void accept_precisions(PlacementQuery& query, const std::vector<Precision>& of_rule);

/// Fills in what depends on the pool: power totals, cap, running jobs.
void set_pool(PlacementQuery& query, std::uint32_t pool_number);

/// Gathers all candidates of the pool into scratch.rows, estimated and filtered.
void gather(const PlacementQuery& query, Estimator& estimator, DecisionScratch& scratch);

/// For power-of-two-choices picks: gathers two replicas of the model that pass the filters, drawn
/// at random in a few tries. Rows of other pools are not kept.
void gather_drawn(const PlacementQuery& query, Estimator& estimator, DecisionScratch& scratch,
                  RandomStream& random);

/// The load of a replica that a request would share: the batch, itself included, and the factor on
/// decode time for the prefill of others.
struct ReplicaLoad {
  double batch = 1;
  double disturbance = 1;
};
ReplicaLoad load_of(const FleetState& fleet_state,
                    ReplicaIndex replica);  // `no_index`: unshared

/// Estimate of the row, with energy and cost at this load (up to the row's batch limit), so that
/// candidates with different loads are comparable. Times are for the row's own load.
Estimate estimate_at(const PlacementQuery& query, DecisionScratch& scratch, std::size_t row,
                     ReplicaLoad load);

/// Adds distance to the rows from `begin` on, once their start and run time are known: data that
/// must be moved first, a round trip to the clients.
void add_distance(const PlacementQuery& query, CandidateTable& rows, std::size_t begin);
/// Adds the pool's prices beyond hourly cost, after derive_totals: energy of owned devices,
/// egress, work that a reclaimed spot device will repeat.
void add_prices(const PlacementQuery& query, CandidateTable& rows, std::size_t begin);

/// The best accepted precision that the device and the pool support.
std::optional<Precision> choose_precision(const PlacementQuery& query,
                                          const devices::DeviceSpec& spec);

/// The fewest devices on which weights and a useful KV cache fit; else the most on which weights
/// and one request fit; else 0.
int replica_devices(const PlacementQuery& query, const PlacementKind& kind);

/// Seconds until a new replica is ready: weights loaded, every warm shape compiled.
double warmup_seconds(const PlacementQuery& query, const PlacementKind& kind);

/// Whether no gang will get the device when the present one ends: a replica holds it, or it gets no
/// new work.
bool is_closed(const DeviceColumns& columns, DeviceIndex device);
/// Whether neither a gang nor a replica holds the device and it is usable.
bool is_free(const DeviceColumns& columns, DeviceIndex device);
/// How many devices of the group are free.
int free_count(const DeviceColumns& columns, const GroupEntry& group);

/// The device indices of a gang or new replica: the lowest free ones of the group, whole aligned
/// slices on TPUs; empty when there are not enough. Hot devices are used only if there are not
/// enough others.
std::vector<std::uint16_t> free_devices(const FleetState& fleet_state, GroupIndex group, int count);

/// The same among devices for which `fits` is true, by index in the group.
std::vector<std::uint16_t> lowest_devices(const GroupEntry& group, int count,
                                          const std::vector<bool>& fits);

/// The PlacementCondition bits of a host's own state.
inline std::uint32_t condition_of(const HostEntry& host) {
  std::uint32_t bits = host.draining ? condition_drained : 0U;
  if (host.health == Health::suspect) bits |= condition_suspect;
  if (is_gone(host.health)) bits |= condition_lost;
  return bits;
}

/// Bits of PlacementCondition for a candidate in the group: those of the `devices` that
/// `free_devices` returned. If that list is empty: those of the unavailable devices, if they alone
/// leave too few devices; else none.
std::uint32_t condition_of(const FleetState& fleet_state, GroupIndex group, int count,
                           const std::vector<std::uint16_t>& devices);

/// "host/r0", "host/0-7", "host/0,2,5"; for a multi-host gang one after the other.
std::string target_text(const FleetState& fleet_state, const CandidateTable& rows, std::size_t row);
std::string target_text(std::string_view host, const std::vector<std::uint16_t>& devices);

}  // namespace drover::router
