// One data-parallel optimiser step of models that are not decoders: convolution nets, encoders,
// diffusion, recurrent nets.
#pragma once

#include "devices/catalogue/engine.h"
#include "devices/catalogue/model.h"
#include "devices/operation/step.h"

namespace drover::devices {

struct NonDecoderTrainingShape {
  double items = 1;   // per optimiser step, over the whole gang
  double tokens = 0;  // per sequence; 0: the model's typical length
  SoftwareStack software = SoftwareStack::framework;
};

Step non_decoder_training_step(const Placement& placement, const ModelSpec& model,
                               const NonDecoderTrainingShape& shape, double clock_share);

/// Items per device that fit and use the device well.
double default_batch_per_device(const Placement& placement, const ModelSpec& model, double tokens);

/// Bytes on one device: weights, gradients and optimiser states; and activations per item.
double non_decoder_state_bytes(const ModelSpec& model);
double non_decoder_item_bytes(const Placement& placement, const ModelSpec& model, double tokens);

}  // namespace drover::devices
