// Scorers.
#include <algorithm>
#include <array>

#include "router/criteria.h"

namespace drover::router {
namespace {

double unit(double value) { return std::clamp(value, 0.0, 1.0); }

/// Free share of the batch limit (with overprovision); a gang or new replica has no queue: 1.
double queue_value(const Standing& row) { return unit(1 - row.load / row.bound); }
double start_value(const Standing& row) { return row.start_s; }
double finish_value(const Standing& row) { return row.finish_s; }
/// Until the first token; work without tokens: until the end.
double latency_value(const Standing& row) {
  return row.first_token_s > 0 ? row.first_token_s : row.finish_s;
}
double cost_value(const Standing& row) { return row.cost_usd; }
double energy_value(const Standing& row) { return row.energy_j; }
/// How near the model's weights are: loaded here 1, on this host 2/3, in this rack 1/3, else 0.
double locality_value(const Standing& row) { return row.near_weights; }
/// Best fit: the fewer devices of the group stay free, the better; a request leaves them alone: 1.
double fragmentation_value(const Standing& row) { return unit(1 - row.free_after); }
/// How far the hottest device is below its limit.
double temperature_value(const Standing& row) { return unit(1 - row.hottest_share); }
/// How far the device nearest to its power cap is below it.
double headroom_value(const Standing& row) { return unit(1 - row.power_share); }
/// Until a new replica is warm: weights, then TPU compilation; 0 where it is loaded.
double switch_value(const Standing& row) { return row.warmup_s; }

// Scales (assumed) are differences that a person would not care about: a tenth of a second of
// waiting or latency, a hundredth of a cent, one joule, a second of warm-up.
template <double (*value)(const Standing&)>
void fill(std::span<const Standing> rows, std::span<const std::uint32_t> chosen,
          std::span<double> values) {
  for (std::size_t index = 0; index < chosen.size(); ++index) {
    values[index] = value(rows[chosen[index]]);
  }
}

constexpr std::array<ScorerRow, scorer_count> table = {{
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
}};

}  // namespace

std::span<const ScorerRow> scorers() { return table; }

void apply_scorers(const Question& question, DecisionScratch& scratch) {
  // Rows are read in blocks that stay in the fastest cache while every scorer looks at them.
  constexpr std::size_t block_rows = 64;
  const std::span<const std::uint32_t> feasible = scratch.feasible;
  const std::size_t count = feasible.size();
  scratch.values.resize(scorer_count);
  double weights = 0;
  for (const ScorerRow& row : table) {
    const auto number = static_cast<std::size_t>(row.scorer);
    weights += question.rule.weights[number];
    if (question.rule.weights[number] > 0) scratch.values[number].resize(count);
  }
  for (std::size_t begin = 0; begin < count; begin += block_rows) {
    const std::size_t size = std::min(block_rows, count - begin);
    for (const ScorerRow& row : table) {
      const auto number = static_cast<std::size_t>(row.scorer);
      if (question.rule.weights[number] <= 0) continue;
      row.fill(scratch.rows, feasible.subspan(begin, size),
               std::span<double>(scratch.values[number]).subspan(begin, size));
    }
  }
  scratch.scores.assign(count, 0);
  for (const ScorerRow& row : table) {
    const auto number = static_cast<std::size_t>(row.scorer);
    const double weight = question.rule.weights[number];
    if (weight <= 0) continue;
    std::vector<double>& values = scratch.values[number];
    if (row.sense == Sense::least) {
      double least = 1e300;
      for (const double value : values) least = std::min(least, value);
      for (double& value : values) value = (least + row.scale) / (value + row.scale);
    }
    const double part = weight / weights;
    for (std::size_t index = 0; index < count; ++index) {
      scratch.scores[index] += part * values[index];
    }
  }
}

}  // namespace drover::router
