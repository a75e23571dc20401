// What a place costs beside its hours: the way there, energy, and work lost to reclaims.
//
// A spot device is taken back at random, `reclaim_per_h` times an hour in the mean. Work of length
// T that begins anew after each reclaim takes (e^(rT) - 1) / r in the mean; saved every c, it takes
// T / c times that of c (Daly, Future Generation Computer Systems 22, 2006, equation 1, without
// the time to save and to restart).
#include <algorithm>
#include <cmath>

#include "router/decision/decide_candidates.h"

namespace drover::router {
namespace {

constexpr double seconds_per_hour = 3600;
constexpr double joules_per_kwh = 3.6e6;
/// Beyond this many reclaims in one piece of work nobody would wait for it.
constexpr double reclaims_max = 20;

const HostEntry& host_of(const Question& question, const Standings& rows, std::size_t row) {
  const Roster& roster = question.roster;
  return roster.hosts()[roster.groups()[rows.group[row]].host];
}

/// How much longer work of so many seconds takes.
double repeated(double run_s, double piece_s, double reclaim_per_h) {
  const double expected = reclaim_per_h * piece_s / seconds_per_hour;
  if (run_s <= 0 || expected <= 0) return 1;
  return std::expm1(std::min(expected, reclaims_max)) / std::min(expected, reclaims_max);
}

/// Seconds of work between two savings; all of it when nothing is saved.
double piece_seconds(const Ask& ask, double run_s) {
  const Workload& work = ask.job->work;
  const std::uint32_t left = work.steps - std::min(ask.from_step, work.steps);
  const bool saves = work.checkpoint_steps > 0 && work.checkpoint_steps < left;
  return saves ? run_s * work.checkpoint_steps / left : run_s;
}

}  // namespace

void add_distance(const Question& question, Standings& rows, std::size_t begin) {
  if (!question.far) return;
  const Network& network = question.policy.network;
  for (std::size_t row = begin; row < rows.size; ++row) {
    const std::string& site = host_of(question, rows, row).hello.site;
    rows.rtt_s[row] =
        network.clients.empty() ? 0 : path_between(network, network.clients, site).rtt_s;
    const bool reads = !question.needs.data_set.empty();
    const auto transfer = question.needs.located != nullptr
                              ? transfer_of(network, *question.needs.located, site)
                              : std::nullopt;
    rows.reachable[row] = !reads || transfer ? 1 : 0;
    rows.transfer_s[row] = transfer ? transfer->seconds : 0;
    rows.start_s[row] += rows.transfer_s[row];
    if (question.purpose == Purpose::request) rows.first_token_s[row] += rows.rtt_s[row];
  }
}

void add_prices(const Question& question, Standings& rows, std::size_t begin) {
  const Prices& prices = question.pool->prices;
  const double usd_per_j = prices.energy_usd_per_kwh * prices.pue / joules_per_kwh;
  for (std::size_t row = begin; row < rows.size && usd_per_j > 0; ++row) {
    rows.cost_usd[row] += rows.energy_j[row] * usd_per_j;
  }
  for (std::size_t row = begin; row < rows.size && prices.reclaim_per_h > 0; ++row) {
    if (!is_spot(prices, host_of(question, rows, row).term)) continue;
    const double piece_s = piece_seconds(question.ask, rows.run_s[row]);
    const double longer = repeated(rows.run_s[row], piece_s, prices.reclaim_per_h);
    rows.finish_s[row] = rows.start_s[row] + rows.run_s[row] * longer;
    rows.energy_j[row] *= longer;
    rows.cost_usd[row] *= longer;
  }
  if (!question.far || question.needs.located == nullptr) return;
  for (std::size_t row = begin; row < rows.size; ++row) {
    const auto transfer = transfer_of(question.policy.network, *question.needs.located,
                                      host_of(question, rows, row).hello.site);
    if (transfer) rows.cost_usd[row] += transfer->usd;
  }
}

}  // namespace drover::router
