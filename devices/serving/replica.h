// A replica: the rates and sizes of device and model that a pass needs, computed once.
#pragma once

#include "devices/catalogue/spec.h"
#include "devices/operation/step.h"
#include "devices/serving/saturation.h"

namespace drover::devices {

struct ServingReplica {
  ServingReplica(const DeviceSpec& device, const ModelSpec& model, Precision weights,
                 const ServingPlan& plan, ServingEngine engine, double clock_share,
                 double links = 1);

  ServingChip chip;
  ServingShape shape;
  ServingPlan plan;
  ServingBytes bytes;
  ServingEngine engine;
};

/// The pass as a step, with activities relative to the datasheet peaks of the device.
Step step_of(const ServingReplica& replica, const DeviceSpec& device, const ServingPass& pass);

/// The plan for saturation: the smallest replicas that leave memory for caches besides the weights.
ServingPlan plan_for_saturation(const DeviceSpec& device, const ModelSpec& model, Precision weights,
                                int devices, ServingEngine);

}  // namespace drover::devices
