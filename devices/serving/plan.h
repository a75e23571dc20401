// How the replicas of a model are split over devices.
#pragma once

namespace drover::devices {

struct ServingPlan {
  int tensor = 1;    // devices that share each matrix of attention and dense layers
  int pipeline = 1;  // groups of layers
  int data = 1;      // attention on separate batches, experts shared
  int expert = 1;    // devices that share the experts; 1: experts are split like other matrices
  int replicas = 1;  // independent copies

  int devices() const { return tensor * pipeline * data; }
};

/// The plan for the degrees of a case; 0: not given. Expert parallelism with one tensor rank means
/// an engine that splits attention over the same devices: `tp 1, ep 8, dp 1` on 8 devices is one
/// replica whose attention is split in 8. Remaining devices form further replicas.
ServingPlan serving_plan(int devices, int tensor, int pipeline, int data, int expert);

}  // namespace drover::devices
