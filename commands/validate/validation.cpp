#include "commands/validate/validation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

namespace drover::commands {

namespace {

/// The quantile of sorted values, interpolated linearly.
double quantile(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::vector<Group> grouped(const std::vector<Comparison>& comparisons,
                           const std::function<std::string(const Comparison&)>& name_of) {
  std::vector<Group> groups;
  for (const ErrorClass& error_class : error_classes()) {
    std::map<std::string, std::vector<double>> distances;
    for (const Comparison& comparison : comparisons) {
      if (comparison.class_id != error_class.id) continue;
      distances[name_of(comparison)].push_back(distance(comparison, error_class.distance));
    }
    for (const auto& [name, values] : distances) {
      groups.push_back({std::string(error_class.id), name, statistics_of(values)});
    }
  }
  return groups;
}

/// The error of a comparison in units of its class's goal.
double goals_away(const Comparison& comparison) {
  const ErrorClass* error_class = find_class(comparison.class_id);
  if (error_class == nullptr || error_class->goal <= 0) return 0;
  return std::fabs(distance(comparison, error_class->distance)) / error_class->goal;
}

}  // namespace

const std::vector<ErrorClass>& error_classes() {
  constexpr DistanceKind share = DistanceKind::relative;
  static const std::vector<ErrorClass> classes = {
      {"gemm", "GEMM above 1 GFLOP, GPUs with tensor cores", share, 0.08,
       "LLMCompass 10.9 %; small fits 3 % on 20 points"},
      {"kernel", "attention and small kernels", share, 0.15, ""},
      {"collective", "collectives from 1 MiB", share, 0.10, "two-parameter fits 1.5 %"},
      {"train-gpu", "LLM training step, GPUs", share, 0.08,
       "Calculon 3.7 % on one system; NeuSight 3.8 % on H100 GPT-3; vTrain 8.4 to 14.7 %"},
      {"train-tpu", "LLM training step, TPUs v4 to v7", share, 0.08, "none found"},
      {"decode", "decode inter-token time", share, 0.07,
       "5 to 6 % leave-one-model-out; LLMServingSim 1.7 %, Vidur under 9 %, both profiled"},
      {"prefill", "prefill", share, 0.15, "Vidur under 9 %, profiled"},
      {"serve", "serving throughput", share, 0.15, "Vidur under 9 %, profiled"},
      {"classic", "CNN, BERT, other training and inference", share, 0.15, ""},
      {"power", "board power under load", share, 0.07,
       "AccelWattch 32 %; Wattchmen 11 to 14 %; fits 4 to 8 %"},
      {"power-cap", "relative throughput under a power cap", DistanceKind::absolute, 0.03, "0.03"},
      {"temperature", "temperature after a load step", DistanceKind::absolute, 2.0, "none found",
       "C", GoalStatistic::root_mean_square},
      {"other", "outside the goals: small messages, no matrix units, ..", share, 0, ""},
  };
  return classes;
}

const ErrorClass* find_class(std::string_view id) {
  for (const ErrorClass& error_class : error_classes()) {
    if (error_class.id == id) return &error_class;
  }
  return nullptr;
}

double distance(const Comparison& comparison, DistanceKind kind) {
  const double difference = comparison.predicted - comparison.measured;
  return kind == DistanceKind::relative ? difference / comparison.measured : difference;
}

Statistics statistics_of(const std::vector<double>& distances) {
  Statistics statistics;
  statistics.rows = distances.size();
  if (distances.empty()) return statistics;
  std::vector<double> sizes;
  sizes.reserve(distances.size());
  for (const double value : distances) {
    sizes.push_back(std::fabs(value));
    statistics.mean += std::fabs(value);
    statistics.bias += value;
    statistics.root_mean_square += value * value;
  }
  statistics.mean /= static_cast<double>(distances.size());
  statistics.bias /= static_cast<double>(distances.size());
  statistics.root_mean_square =
      std::sqrt(statistics.root_mean_square / static_cast<double>(distances.size()));
  std::ranges::sort(sizes);
  statistics.median = quantile(sizes, 0.5);
  statistics.p90 = quantile(sizes, 0.9);
  return statistics;
}

double goal_value(const ErrorClass& error_class, const Statistics& statistics) {
  return error_class.goal_statistic == GoalStatistic::mean ? statistics.mean
                                                           : statistics.root_mean_square;
}

std::vector<Group> by_class(const std::vector<Comparison>& comparisons) {
  return grouped(comparisons, [](const Comparison&) { return std::string(); });
}

std::vector<Group> by_device(const std::vector<Comparison>& comparisons) {
  return grouped(comparisons, [](const Comparison& comparison) { return comparison.device; });
}

std::vector<Group> by_source(const std::vector<Comparison>& comparisons) {
  return grouped(comparisons, [](const Comparison& comparison) { return comparison.source; });
}

std::vector<const Comparison*> worst_cases(const std::vector<Comparison>& comparisons,
                                           std::size_t count) {
  std::vector<std::pair<double, const Comparison*>> ranked;
  ranked.reserve(comparisons.size());
  for (const Comparison& comparison : comparisons) {
    ranked.emplace_back(goals_away(comparison), &comparison);
  }
  std::ranges::stable_sort(ranked, std::greater<>(), [](const auto& entry) { return entry.first; });
  ranked.resize(std::min(count, ranked.size()));
  std::vector<const Comparison*> worst;
  worst.reserve(ranked.size());
  for (const auto& [away, comparison] : ranked) worst.push_back(comparison);
  return worst;
}

std::vector<Contradiction> contradictions(const std::vector<Comparison>& comparisons) {
  constexpr double share = 0.15;
  std::map<std::string, Contradiction> cases;
  for (const Comparison& comparison : comparisons) {
    if (!(comparison.measured > 0)) continue;
    const std::string& device = comparison.device;
    const std::string key =
        comparison.class_id + '\n' + device + '\n' + comparison.unit + '\n' + comparison.given;
    Contradiction& found = cases[key];
    ++found.rows;
    if (found.low == nullptr || comparison.measured < found.low->measured) found.low = &comparison;
    if (found.high == nullptr || comparison.measured > found.high->measured) {
      found.high = &comparison;
    }
    found.ratio = found.high->measured / found.low->measured;
  }
  std::vector<Contradiction> wide;
  for (const auto& [key, found] : cases) {
    if (found.ratio > 1 + share) wide.push_back(found);
  }
  std::ranges::stable_sort(wide, std::greater<>(), &Contradiction::ratio);
  return wide;
}

}  // namespace drover::commands
