#include "devices/serving/plan.h"

#include <algorithm>

namespace drover::devices {

ServingPlan serving_plan(int devices, int tensor, int pipeline, int data, int expert) {
  ServingPlan plan;
  plan.pipeline = std::max(1, pipeline);
  plan.data = std::max(1, data);
  plan.expert = std::max(1, expert);
  const int rest = std::max(1, devices / (plan.pipeline * plan.data));
  plan.tensor = std::max(1, tensor);
  if (plan.expert > 1 && plan.tensor * plan.data * plan.pipeline < devices) plan.tensor = rest;
  if (plan.tensor > rest) plan.tensor = rest;
  plan.replicas = std::max(1, devices / plan.devices());
  return plan;
}

}  // namespace drover::devices
