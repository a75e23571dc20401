// One optimiser step of a decoder:
//
//   step = micro-batches * stage * (1 + bubble) + sends + exposed gradient exchange + optimiser
//   stage = computing and exposed collectives of one micro-batch on one device, or the host's
//           work for it where that is longer
//   bubble = (p - 1) / (micro-batches * virtual stages)         (arXiv:2104.04473)
//
// and all of it a little longer the more nodes have to wait for each other.
#pragma once

#include "devices/training/layout.h"

namespace drover::devices {

Step training_step(const TrainingJob& job, const Layout& layout, double clock_share);

/// One optimiser step, data parallel with sharded states where the states do not fit whole.
Step training_step(const Placement&, const ModelSpec&, const TrainingShape&, double clock_share);

/// States, gradients and activations of a training gang.
double training_bytes(const Placement&, const ModelSpec&, const TrainingShape&);
bool fits_training(const Placement&, const ModelSpec&, const TrainingShape&);

}  // namespace drover::devices
