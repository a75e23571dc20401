// How one training job of a decoder is cut over its devices, and how much of it runs at once.
#pragma once

#include <optional>

#include "devices/case/case.h"
#include "devices/operation/step.h"

namespace drover::devices {

/// What a job says of its layout. What is not given is chosen as an expert would: the first that
/// fits, with the fewest cuts.
struct LayoutRequest {
  std::optional<int> tensor, pipeline, data, context, expert;
  std::optional<int> devices_per_node;
  std::optional<bool> sharded;        // ZeRO-3, FSDP: weights gathered layer by layer
  std::optional<double> micro_batch;  // samples
  std::optional<Recompute> recompute;
};

struct TrainingJob {
  Placement placement;  // all devices of the job, and the precision of the products
  const ModelSpec* model = nullptr;
  double samples = 1;   // per optimiser step, over all devices
  double sequence = 1;  // tokens per sample
  LayoutRequest request;
  bool adapters = false;  // LoRA: the weights are frozen, small adapters are trained
};

inline bool is_tpu(const TrainingJob& job) {
  return job.placement.device->device_class == DeviceClass::tpu;
}

struct Layout {
  int data = 1, tensor = 1, pipeline = 1, context = 1, expert = 1;
  int stages = 1;  // virtual ones per device: interleaved schedule
  int slices = 1;  // TPU: joined by the data-centre network
  int domain = 1;  // devices that the fast links join
  bool sharded = false;
  double micro_batch = 1;    // samples of one pipeline at once; below 1 where a sample is cut
  double micro_batches = 1;  // one after the other per optimiser step
  double recomputed = 0;     // share of a forward pass that runs twice
};

/// REQUIRES a decoder. Degrees that do not divide the devices are cut to what fits.
Layout choose_layout(const TrainingJob& job);

/// Tokens that one device works on at once, before sequence parallelism cuts them by `tensor`.
double tokens_at_once(const TrainingJob& job, const Layout& layout);

}  // namespace drover::devices
