// Rows choose k of E experts. With independent, uniform choices one row misses an expert with
// probability 1 - k/E, so E (1 - (1 - k/E)^rows) experts are used and read. Real routers prefer
// some experts: fewer are used, as with fewer rows (`popularity`).
//
// Spread over n devices, each has E/n experts, and all wait for the device with the most used ones.
// The t used experts are distributed like a draw without replacement, with deviation sqrt(t (1 -
// t/E) / n). The largest of n is about sqrt(2 ln n) deviations above the mean (`imbalance` scales
// that).
#include "devices/serving/experts.h"

#include <algorithm>
#include <cmath>

namespace drover::devices {
namespace {

double touched_on_busiest(const ServingShape& shape, double touched, int devices,
                          double imbalance) {
  const double each = touched / devices;
  if (devices == 1) return each;
  const double deviation =
      std::sqrt(std::max(0.0, touched * (1 - touched / shape.experts) / devices));
  const double lead = imbalance * deviation * std::sqrt(2 * std::log(devices));
  return std::min(each + lead, shape.experts / devices);
}

}  // namespace

double experts_touched(const ServingShape& shape, double rows, double popularity) {
  if (shape.experts <= 0) return 0;
  const double missed = 1 - shape.experts_active / shape.experts;
  return shape.experts * (1 - std::pow(missed, rows * popularity));
}

ExpertCost expert_layer_cost(const ServingChip& chip, const ServingShape& shape,
                             const ServingPlan& plan, const ServingBytes& bytes, double rows,
                             ServingEngine engine) {
  const ServingConstants& serving = *chip.serving;
  const double touched = experts_touched(shape, rows, serving.expert_popularity);
  // Without expert parallelism each expert is split like any matrix.
  const bool spread = plan.expert > 1;
  const int holders = spread ? plan.expert : 1;
  const double cut = spread ? 1 : plan.tensor;
  const double read = touched_on_busiest(shape, touched, holders, serving.expert_imbalance) *
                      shape.expert_weights / cut;
  ExpertCost cost;
  cost.memory_bytes = read * bytes.weight;
  cost.flops = 2 * shape.expert_weights * shape.experts_active * rows / holders / cut;
  cost.memory_s = cost.memory_bytes / (chip.memory_bandwidth * serving.expert_weights_share);
  cost.matrix_s =
      cost.flops / (chip.matrix_flops * serving.expert_product_share * chip.clock_share);
  cost.launches_s = serving.expert_layer_s;
  // Sorting and scattering per row, and blocks of scales per expert, are costs of the engines whose
  // inter-token times were measured; the offline engine fuses them. They are memory traffic and use
  // its power (ML.ENERGY v3: experts use more power with more rows, not less).
  if (engine != ServingEngine::offline) {
    double moving_s = serving.expert_row_s * rows;
    if (bytes.scaled_blocks) moving_s += shape.experts / holders * serving.expert_block_s;
    cost.memory_s += moving_s;
    cost.memory_bytes += moving_s * chip.memory_bandwidth * serving.expert_weights_share;
  }
  return cost;
}

}  // namespace drover::devices
