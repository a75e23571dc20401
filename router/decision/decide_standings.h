// How the candidates of a pool stand: one column per fact, one row per candidate, so that filters
// and scorers run down columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "router/roster/roster.h"
#include "router/roster/spread.h"

namespace drover::router {

/// The bits of a host's own state.
inline std::uint32_t condition_of(const HostEntry& host) {
  std::uint32_t bits = host.draining ? condition_drained : 0U;
  if (host.health == Health::suspect) bits |= condition_suspect;
  if (is_gone(host.health)) bits |= condition_lost;
  return bits;
}

/// Heat and power are filled in only where a scorer asks for them.
struct Standings {
  std::size_t size = 0;  // rows; the columns are longer, as making them anew would cost more

  std::vector<std::uint32_t> failed;     // bits by filter
  std::vector<std::uint32_t> condition;  // bits of PlaceCondition, of all its devices and its own
  std::vector<std::uint16_t> kind;
  std::vector<std::uint16_t> devices;  // that a gang or new replica would take
  std::vector<std::uint16_t> spread;   // a gang over hosts: 1 + its number; else 0; not of replicas
  std::vector<ReplicaIndex> replica;
  std::vector<GroupIndex> group;
  std::vector<Instant> sampled;  // the oldest sample of its devices
  std::vector<double> load;      // requests promised or reported
  std::vector<double> bound;     // of those: the batch limit, with the pool's overprovision
  std::vector<double> tokens, tokens_max;
  // What the job would find there, in fleet seconds from now.
  std::vector<double> start_s, run_s, first_token_s, finish_s, warmup_s;
  std::vector<double> ratio;      // learnt, in run_s
  std::vector<double> power_w;    // added while it runs, over the devices of the place
  std::vector<double> prompt_w;   // a request's, while its prompt is read: of the whole replica
  std::vector<double> usd_per_h;  // the share of the devices' price that it takes while it runs
  std::vector<double> energy_j, cost_usd;
  std::vector<double> free_after;    // share of the group's devices left free
  std::vector<double> near_weights;  // see the scorer `locality`
  std::vector<double> prefix_share;  // of the prompt's blocks that it has read before
  // What the way there costs, when Question::far: data to be moved, a round trip to the clients.
  std::vector<double> transfer_s, rtt_s;
  std::vector<std::uint8_t> reachable;  // 0: no way to the data
  std::vector<float> hottest_share;     // temperature over the limit of the spec
  std::vector<float> power_share;       // believed power over cap, the worst device

  std::vector<Spread> spreads;  // that rows name

  /// The row's parts, when it is a gang over hosts.
  const Spread* spread_of(std::size_t row) const {
    const bool one_place = replica[row] != nowhere || spread[row] == 0;  // replicas have no spread
    return one_place ? nullptr : &spreads[spread[row] - 1];
  }

  /// Columns for so many rows at least. What a row holds is undefined until it is filled.
  void make_room(std::size_t rows);

  /// What follows from start, length, power and price, in the rows from `begin` on.
  void conclude(std::size_t begin);
};

}  // namespace drover::router
