// Scorers, and the choice among scored candidates.
#include <algorithm>
#include <array>
#include <numeric>

#include "fleet/base/enum_tables.h"
#include "router/decision/criteria.h"

namespace drover::router {
namespace {

double unit(double value) {
  const double above = value < 0 ? 0 : value;
  return above > 1 ? 1 : above;
}

/// Free share of the batch limit (with overprovision); a gang or new replica has no queue: 1.
double queue_value(const CandidateTable& all, std::size_t row) {
  return unit(1 - all.load[row] / all.bound[row]);
}
/// Time to the first token; for work without tokens, to the end.
double latency_value(const CandidateTable& all, std::size_t row) {
  return all.first_token_s[row] > 0 ? all.first_token_s[row] : all.finish_s[row];
}
/// Best fit: the fewer devices of the group stay free, the better; for a request: 1.
double fragmentation_value(const CandidateTable& all, std::size_t row) {
  return unit(1 - all.free_after[row]);
}
/// Distance of the hottest device from its limit.
double temperature_value(const CandidateTable& all, std::size_t row) {
  return unit(1 - all.hottest_share[row]);
}
/// Distance from the power cap of the device nearest to it.
double power_headroom_value(const CandidateTable& all, std::size_t row) {
  return unit(1 - all.power_share[row]);
}
/// Time to move the data there, and the round trip to the clients.
double distance_value(const CandidateTable& all, std::size_t row) {
  return all.transfer_s[row] + all.rtt_s[row];
}
template <std::vector<double> CandidateTable::*column>
double column_value(const CandidateTable& all, std::size_t row) {
  return (all.*column)[row];
}

template <double (*value)(const CandidateTable&, std::size_t row)>
void fill(const CandidateTable& all, std::span<const std::uint32_t> chosen,
          std::span<double> values) {
  const std::size_t count = chosen.size();
  if (count == all.size) {
    // All rows are chosen, as usual: columns are read sequentially.
    for (std::size_t row = 0; row < count; ++row) values[row] = value(all, row);
  } else {
    for (std::size_t index = 0; index < count; ++index) values[index] = value(all, chosen[index]);
  }
}

// Scales (assumed) are differences that do not matter to users: a tenth of a second of waiting or
// latency, a hundredth of a cent, one joule, a second of warm-up.
constexpr std::array<ScorerRow, scorer_count> scorer_table = {{
    {Scorer::queue, Better::higher, 0, fill<queue_value>},
    {Scorer::start_time, Better::lower, 0.1, fill<column_value<&CandidateTable::start_s>>},
    {Scorer::finish_time, Better::lower, 0.1, fill<column_value<&CandidateTable::finish_s>>},
    {Scorer::latency, Better::lower, 0.1, fill<latency_value>},
    {Scorer::cost, Better::lower, 0.0001, fill<column_value<&CandidateTable::cost_usd>>},
    {Scorer::energy, Better::lower, 1, fill<column_value<&CandidateTable::energy_j>>},
    {Scorer::locality, Better::higher, 0, fill<column_value<&CandidateTable::near_weights>>},
    {Scorer::fragmentation, Better::higher, 0, fill<fragmentation_value>},
    {Scorer::temperature, Better::higher, 0, fill<temperature_value>},
    {Scorer::power_headroom, Better::higher, 0, fill<power_headroom_value>},
    {Scorer::switch_cost, Better::lower, 1, fill<column_value<&CandidateTable::warmup_s>>},
    {Scorer::prefix, Better::higher, 0, fill<column_value<&CandidateTable::prefix_share>>},
    {Scorer::distance, Better::lower, 0.1, fill<distance_value>},
}};

// A missing row has the number of the first scorer.
static_assert(is_in_order(scorer_table, &ScorerRow::scorer));

void add_share(double part, std::span<const double> values, std::span<double> scores) {
  for (std::size_t index = 0; index < values.size(); ++index) scores[index] += part * values[index];
}

void add_least(double best, double scale, double part, std::span<double> values,
               std::span<double> scores) {
  for (std::size_t index = 0; index < values.size(); ++index) {
    const double value = best / (values[index] + scale);
    values[index] = value;
    scores[index] += part * value;
  }
}

/// Nothing is in slow start if nothing has returned within its window.
bool any_starts_slowly(const PlacementQuery& query) {
  const Instant last = query.fleet_state.last_return();
  const Duration window = from_seconds(query.policy.slow_start.window_s);
  return last != Instant{} && query.now - last < window;
}

std::size_t pick_weighted(const std::vector<double>& scores, RandomStream& random) {
  double sum = 0;
  for (const double score : scores) sum += score;
  double left = random.uniform() * sum;
  for (std::size_t index = 0; index + 1 < scores.size(); ++index) {
    left -= scores[index];
    if (left < 0) return index;
  }
  return scores.size() - 1;
}

std::size_t pick_of_two(const std::vector<double>& scores, RandomStream& random) {
  const std::size_t first = random.below(scores.size());
  std::size_t second = random.below(scores.size() - 1);
  if (second >= first) ++second;
  if (scores[first] == scores[second]) return random.below(2) == 0 ? first : second;
  return scores[first] > scores[second] ? first : second;
}

std::size_t pick_best(const std::vector<double>& scores, RandomStream& random) {
  std::size_t best = 0;
  std::uint64_t equals = 1;
  for (std::size_t index = 1; index < scores.size(); ++index) {
    if (scores[index] < scores[best]) continue;
    if (scores[index] > scores[best]) {
      best = index;
      equals = 1;
    } else if (random.below(++equals) == 0) {
      best = index;
    }
  }
  return best;
}

}  // namespace

double slow_start(const PlacementQuery& query, const DecisionScratch& scratch, std::size_t row) {
  if (!any_starts_slowly(query)) return 1;
  const FleetState& fleet_state = query.fleet_state;
  const GroupEntry& group = fleet_state.groups()[scratch.rows.group[row]];
  const ReplicaIndex replica = scratch.rows.replica[row];
  const OutlierState& outlier =
      replica == no_index ? group.outlier : fleet_state.replicas()[replica].outlier;
  const Instant returned = std::max(fleet_state.hosts()[group.host].returned, outlier.returned);
  if (returned == Instant{}) return 1;
  return slow_start_factor(query.policy.slow_start, query.now - returned, scratch.feasible.size());
}

std::span<const ScorerRow> scorers() { return scorer_table; }

void apply_scorers(const PlacementQuery& query, DecisionScratch& scratch) {
  const std::size_t count = scratch.feasible.size();
  scratch.values.resize(scorer_count);
  double weights = 0;
  for (const double weight : query.rule.weights) weights += weight;
  scratch.scores.assign(count, 0);
  for (const ScorerRow& row : scorer_table) {
    const auto number = static_cast<std::size_t>(row.scorer);
    const double weight = query.rule.weights[number];
    if (weight <= 0) continue;
    std::vector<double>& values = scratch.values[number];
    values.resize(count);
    row.fill(scratch.rows, scratch.feasible, values);
    const double part = weight / weights;
    if (row.better == Better::lower) {
      const double least = std::reduce(values.begin(), values.end(), 1e300,
                                       [](double a, double b) { return std::min(a, b); });
      add_least(least + row.scale, row.scale, part, values, scratch.scores);
    } else {
      add_share(part, values, scratch.scores);
    }
  }
  if (!any_starts_slowly(query)) return;
  for (std::size_t index = 0; index < count; ++index) {
    scratch.scores[index] *= slow_start(query, scratch, scratch.feasible[index]);
  }
}

std::size_t pick(Pick how, const std::vector<double>& scores, RandomStream& random) {
  if (how == Pick::weighted) return pick_weighted(scores, random);
  if (how == Pick::p2c && scores.size() > 2) return pick_of_two(scores, random);
  return pick_best(scores, random);
}

}  // namespace drover::router
