// The layer of experts: how many of them a batch touches, and the device that has most of them.
#pragma once

#include "devices/serving/serving_step.h"

namespace drover::devices {

/// Of one layer, on its busiest device.
struct ExpertCost {
  double memory_s = 0, matrix_s = 0, launches_s = 0;
  double flops = 0;
  double memory_bytes = 0;
};

ExpertCost expert_layer_cost(const ServingChip&, const ServingShape&, const ServingPlan&,
                             const ServingBytes&, double rows, Engine);

}  // namespace drover::devices
