// Costs of a candidate besides its hourly price: distance, energy, and work lost to reclaims.
//
// A spot device is reclaimed at random, `reclaim_per_h` times an hour on average. Work of length T
// that restarts from zero after each reclaim takes (e^(rT) - 1) / r on average; with a checkpoint
// every c it takes T / c times that of c (Daly, Future Generation Computer Systems 22, 2006,
// equation 1, without the time to save and to restart).
#include <algorithm>
#include <cmath>

#include "router/decision/candidates.h"

namespace drover::router {
namespace {

/// With more reclaims than this in one piece of work, nobody would wait for it.
constexpr double reclaims_max = 20;

const HostEntry& host_of(const PlacementQuery& query, const CandidateTable& rows, std::size_t row) {
  const FleetState& fleet_state = query.fleet_state;
  return fleet_state.host_of_group(rows.group[row]);
}

/// Expected duration of work of `run_s` seconds, in pieces of `piece_s`.
double repeated(double run_s, double piece_s, double reclaim_per_h) {
  const double expected = reclaim_per_h * piece_s / seconds_per_hour;
  if (run_s <= 0 || expected <= 0) return 1;
  return std::expm1(std::min(expected, reclaims_max)) / std::min(expected, reclaims_max);
}

/// Seconds of work between two checkpoints; all of it without checkpoints.
double piece_seconds(const PlacementRequest& request, double run_s) {
  const Workload& work = request.job->work;
  const std::uint32_t left = work.steps - std::min(request.from_step, work.steps);
  const bool saves = work.checkpoint_steps > 0 && work.checkpoint_steps < left;
  return saves ? run_s * work.checkpoint_steps / left : run_s;
}

}  // namespace

void add_distance(const PlacementQuery& query, CandidateTable& rows, std::size_t begin) {
  if (!query.far) {
    if (!query.rule.scores(Scorer::distance)) return;
    // The rows are those of an earlier decision.
    for (std::size_t row = begin; row < rows.size; ++row) {
      rows.transfer_s[row] = rows.rtt_s[row] = 0;
    }
    return;
  }
  const Network& network = query.policy.network;
  for (std::size_t row = begin; row < rows.size; ++row) {
    const std::string& site = host_of(query, rows, row).registration.site;
    rows.rtt_s[row] =
        network.clients.empty() ? 0 : path_between(network, network.clients, site).rtt_s;
    const bool reads = !query.needs.data_set.empty();
    const auto transfer = query.needs.located != nullptr
                              ? transfer_of(network, *query.needs.located, site)
                              : std::nullopt;
    rows.reachable[row] = !reads || transfer ? 1 : 0;
    rows.transfer_s[row] = transfer ? transfer->seconds : 0;
    rows.start_s[row] += rows.transfer_s[row];
    if (query.purpose == Purpose::request) rows.first_token_s[row] += rows.rtt_s[row];
  }
}

void add_prices(const PlacementQuery& query, CandidateTable& rows, std::size_t begin) {
  const Prices& prices = query.pool->prices;
  const double usd_per_j = prices.energy_usd_per_kwh * prices.pue / joules_per_kwh;
  for (std::size_t row = begin; row < rows.size && usd_per_j > 0; ++row) {
    rows.cost_usd[row] += rows.energy_j[row] * usd_per_j;
  }
  for (std::size_t row = begin; row < rows.size && prices.reclaim_per_h > 0; ++row) {
    if (!is_spot(prices, host_of(query, rows, row).term)) continue;
    const double piece_s = piece_seconds(query.request, rows.run_s[row]);
    const double longer = repeated(rows.run_s[row], piece_s, prices.reclaim_per_h);
    rows.finish_s[row] = rows.start_s[row] + rows.run_s[row] * longer;
    rows.energy_j[row] *= longer;
    rows.cost_usd[row] *= longer;
  }
  if (!query.far || query.needs.located == nullptr) return;
  for (std::size_t row = begin; row < rows.size; ++row) {
    const auto transfer = transfer_of(query.policy.network, *query.needs.located,
                                      host_of(query, rows, row).registration.site);
    if (transfer) rows.cost_usd[row] += transfer->usd;
  }
}

}  // namespace drover::router
