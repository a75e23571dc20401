// One optimiser step of a decoder:
//
//   step = micro-batches * stage * (1 + bubble) + sends + exposed gradient exchange + optimiser
//   stage = compute and exposed collectives of one micro-batch on one device, or the host's work
//           for it if that is longer
//   bubble = (p - 1) / (micro-batches * virtual stages)         (arXiv:2104.04473)
//
// multiplied by a straggler factor that grows with the number of nodes.
#pragma once

#include "devices/training/layout.h"

namespace drover::devices {

Step training_step(const TrainingJob& job, const Layout& layout, double clock_share);

/// One data-parallel optimiser step. States are sharded if they do not fit on one device.
Step training_step(const Placement&, const ModelSpec&, const TrainingShape&, double clock_share);

/// Bytes of states, gradients and activations on one device of a training gang.
double training_bytes(const Placement&, const ModelSpec&, const TrainingShape&);
bool fits_training(const Placement&, const ModelSpec&, const TrainingShape&);

}  // namespace drover::devices
