// The cost of an expert layer: the experts used by a batch, and the busiest device.
#pragma once

#include "devices/serving/step.h"

namespace drover::devices {

/// The cost of one layer on its busiest device.
struct ExpertCost {
  double memory_s = 0, matrix_s = 0, launches_s = 0;
  double flops = 0;
  double memory_bytes = 0;
};

ExpertCost expert_layer_cost(const ServingChip&, const ServingShape&, const ServingPlan&,
                             const ServingBytes&, double rows, ServingEngine);

}  // namespace drover::devices
