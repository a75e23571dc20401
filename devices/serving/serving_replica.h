// A model on a replica of a device: what the pass needs of both, put together once.
#pragma once

#include "devices/catalogue/spec.h"
#include "devices/operation/step.h"
#include "devices/serving/serving_saturation.h"

namespace drover::devices {

struct ServingReplica {
  ServingReplica(const DeviceSpec& device, const ModelSpec& model, Precision weights,
                 const ServingPlan& plan, Engine engine, double clock_share, double links = 1);

  ServingChip chip;
  ServingShape shape;
  ServingPlan plan;
  ServingBytes bytes;
  Engine engine;
};

/// The pass with activities over the datasheet peaks of the device.
Step step_of(const ServingReplica& replica, const DeviceSpec& device, const ServingPass& pass);

/// Whether a replica on so few devices leaves room for caches beside the weights.
ServingPlan plan_for_saturation(const DeviceSpec& device, const ModelSpec& model, Precision weights,
                                int devices, Engine);

}  // namespace drover::devices
