// Scorers.
#include <algorithm>
#include <array>
#include <numeric>

#include "router/decision/criteria.h"

namespace drover::router {
namespace {

double smaller(double a, double b) { return std::min(a, b); }

double unit(double value) {
  const double above = value < 0 ? 0 : value;
  return above > 1 ? 1 : above;
}

/// Free share of the batch limit (with overprovision); a gang or new replica has no queue: 1.
double queue_value(const Standings& all, std::size_t row) {
  return unit(1 - all.load[row] / all.bound[row]);
}
double start_value(const Standings& all, std::size_t row) { return all.start_s[row]; }
double finish_value(const Standings& all, std::size_t row) { return all.finish_s[row]; }
/// Until the first token; work without tokens: until the end.
double latency_value(const Standings& all, std::size_t row) {
  return all.first_token_s[row] > 0 ? all.first_token_s[row] : all.finish_s[row];
}
double cost_value(const Standings& all, std::size_t row) { return all.cost_usd[row]; }
double energy_value(const Standings& all, std::size_t row) { return all.energy_j[row]; }
/// How near the model's weights are: loaded here 1, on this host 2/3, in this rack 1/3, else 0.
double locality_value(const Standings& all, std::size_t row) { return all.near_weights[row]; }
/// Best fit: the fewer devices of the group stay free, the better; a request leaves them alone: 1.
double fragmentation_value(const Standings& all, std::size_t row) {
  return unit(1 - all.free_after[row]);
}
/// How far the hottest device is below its limit.
double temperature_value(const Standings& all, std::size_t row) {
  return unit(1 - all.hottest_share[row]);
}
/// How far the device nearest to its power cap is below it.
double headroom_value(const Standings& all, std::size_t row) {
  return unit(1 - all.power_share[row]);
}
/// Until a new replica is warm: weights, then TPU compilation; 0 where it is loaded.
double switch_value(const Standings& all, std::size_t row) { return all.warmup_s[row]; }
/// Leading blocks of the prompt that the place has read before.
double prefix_value(const Standings& all, std::size_t row) { return all.prefix_share[row]; }
/// Data to be moved there first, and the way to the clients.
double distance_value(const Standings& all, std::size_t row) {
  return all.transfer_s[row] + all.rtt_s[row];
}

// Scales (assumed) are differences that a person would not care about: a tenth of a second of
// waiting or latency, a hundredth of a cent, one joule, a second of warm-up.
template <double (*value)(const Standings&, std::size_t row)>
void fill(const Standings& all, std::span<const std::uint32_t> chosen, std::span<double> values) {
  const std::size_t count = chosen.size();
  if (count == all.size) {
    // All rows are chosen, as they mostly are: columns are read straight down.
    for (std::size_t row = 0; row < count; ++row) values[row] = value(all, row);
  } else {
    for (std::size_t index = 0; index < count; ++index) values[index] = value(all, chosen[index]);
  }
}

constexpr std::array<ScorerRow, scorer_count> scorer_table = {{
    {Scorer::queue, Sense::share, 0, fill<queue_value>},
    {Scorer::start_time, Sense::least, 0.1, fill<start_value>},
    {Scorer::finish_time, Sense::least, 0.1, fill<finish_value>},
    {Scorer::latency, Sense::least, 0.1, fill<latency_value>},
    {Scorer::cost, Sense::least, 0.0001, fill<cost_value>},
    {Scorer::energy, Sense::least, 1, fill<energy_value>},
    {Scorer::locality, Sense::share, 0, fill<locality_value>},
    {Scorer::fragmentation, Sense::share, 0, fill<fragmentation_value>},
    {Scorer::temperature, Sense::share, 0, fill<temperature_value>},
    {Scorer::power_headroom, Sense::share, 0, fill<headroom_value>},
    {Scorer::switch_cost, Sense::least, 1, fill<switch_value>},
    {Scorer::prefix, Sense::share, 0, fill<prefix_value>},
    {Scorer::distance, Sense::least, 0.1, fill<distance_value>},
}};

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

/// Nothing to look for while nothing has come back for longer than slow start lasts.
bool any_starts_slowly(const Question& question) {
  const Instant last = question.roster.last_return();
  const Duration window = from_seconds(question.policy.slow_start.window_s);
  return last != Instant{} && question.now - last < window;
}

}  // namespace

double slow_start(const Question& question, const DecisionScratch& scratch, std::size_t row) {
  if (!any_starts_slowly(question)) return 1;
  const Roster& roster = question.roster;
  const GroupEntry& group = roster.groups()[scratch.rows.group[row]];
  const ReplicaIndex replica = scratch.rows.replica[row];
  const Trust& trust = replica == nowhere ? group.trust : roster.replicas()[replica].trust;
  const Instant returned = std::max(roster.hosts()[group.host].returned, trust.returned);
  if (returned == Instant{}) return 1;
  return slow_start_factor(question.policy.slow_start, question.now - returned,
                           scratch.feasible.size());
}

std::span<const ScorerRow> scorers() { return scorer_table; }

void apply_scorers(const Question& question, DecisionScratch& scratch) {
  const std::size_t count = scratch.feasible.size();
  scratch.values.resize(scorer_count);
  double weights = 0;
  for (const double weight : question.rule.weights) weights += weight;
  scratch.scores.assign(count, 0);
  for (const ScorerRow& row : scorer_table) {
    const auto number = static_cast<std::size_t>(row.scorer);
    const double weight = question.rule.weights[number];
    if (weight <= 0) continue;
    std::vector<double>& values = scratch.values[number];
    values.resize(count);
    row.fill(scratch.rows, scratch.feasible, values);
    const double part = weight / weights;
    if (row.sense == Sense::least) {
      const double least = std::reduce(values.begin(), values.end(), 1e300, smaller);
      add_least(least + row.scale, row.scale, part, values, scratch.scores);
    } else {
      add_share(part, values, scratch.scores);
    }
  }
  if (!any_starts_slowly(question)) return;
  for (std::size_t index = 0; index < count; ++index) {
    scratch.scores[index] *= slow_start(question, scratch, scratch.feasible[index]);
  }
}

}  // namespace drover::router
