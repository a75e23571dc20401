// The candidates of a pool: one column per fact, one row per candidate, so that filters and
// scorers run down columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "router/fleet_state/fleet_state.h"
#include "router/fleet_state/multi_host_gang.h"

namespace drover::router {

/// The PlacementCondition bits of a host's own state.
inline std::uint32_t condition_of(const HostEntry& host) {
  std::uint32_t bits = host.draining ? condition_drained : 0U;
  if (host.health == Health::suspect) bits |= condition_suspect;
  if (is_gone(host.health)) bits |= condition_lost;
  return bits;
}

/// `hottest_share`, `power_share` and `prefix_share` are each for one scorer. Their rows may be
/// undefined if the rule gives it no weight.
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
  std::vector<double> free_after;    // share of the group's devices left free
  std::vector<double> near_weights;  // see the scorer `locality`
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

}  // namespace drover::router
