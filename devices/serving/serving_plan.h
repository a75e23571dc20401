// How one replica of a model is spread over devices.
#pragma once

namespace drover::devices {

struct ServingPlan {
  int tensor = 1;    // devices that share each matrix of attention and dense layers
  int pipeline = 1;  // groups of layers
  int data = 1;      // attention on whole batches of its own, experts in common
  int expert = 1;    // devices that share the experts; 1: experts are cut like other matrices
  int replicas = 1;  // independent copies side by side

  int devices() const { return tensor * pipeline * data; }
};

/// The degrees a case states, 0 where it does not. Expert parallelism with one tensor rank stands
/// for engines that cut attention over the same devices: `tp 1, ep 8, dp 1` on 8 devices is one
/// replica whose attention is cut in 8. Degrees that leave devices over make replicas.
ServingPlan serving_plan(int devices, int tensor, int pipeline, int data, int expert);

}  // namespace drover::devices
