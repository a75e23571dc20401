// The parallel layout of a decoder's training job: how it is split over its devices.
#pragma once

#include <optional>

#include "devices/case/case.h"
#include "devices/operation/step.h"

namespace drover::devices {

/// The layout that a job requests. Missing degrees are chosen: the first layout that fits, with the
/// least splitting.
struct LayoutRequest {
  std::optional<int> tensor, pipeline, data, context, expert;
  std::optional<int> devices_per_node;
  std::optional<bool> sharded;        // ZeRO-3, FSDP: weights gathered layer by layer
  std::optional<double> micro_batch;  // samples
  std::optional<Recompute> recompute;
};

struct TrainingJob {
  Placement placement;  // all devices of the job, and the precision of the matrix products
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
  int stages = 1;  // virtual stages per device: interleaved schedule
  int slices = 1;  // TPU: slices connected by the data-centre network
  int domain = 1;  // devices connected by the fast links
  bool sharded = false;
  double micro_batch = 1;    // samples of one pipeline at a time; below 1 when a sample is split
  double micro_batches = 1;  // per optimiser step, one after the other
  double recomputed = 0;     // share of the forward pass that is recomputed
};

/// REQUIRES a decoder. Degrees that do not divide the number of devices are reduced.
Layout choose_layout(const TrainingJob& job);

/// Tokens of one micro-batch on a device, before sequence parallelism divides them by `tensor`.
double micro_batch_tokens(const TrainingJob& job, const Layout& layout);

}  // namespace drover::devices
