// Inference of one static batch by a model that does not generate tokens: convolution nets,
// encoders, diffusion, recurrent nets, perceptrons.
#pragma once

#include "devices/catalogue/engine.h"
#include "devices/catalogue/model.h"
#include "devices/operation/step.h"

namespace drover::devices {

struct InferenceShape {
  double items = 1;   // on one device
  double tokens = 0;  // per sequence; 0: the model's typical length
  SoftwareStack software = SoftwareStack::engine;
};

/// One batch on one device.
Step inference_step(const Placement& placement, const ModelSpec& model, const InferenceShape& shape,
                    double clock_share);

/// A batch size near the maximum throughput whose activations fit.
double throughput_batch(const Placement& placement, const ModelSpec& model);

/// The sequence length when none is given, tokens.
double default_sequence_tokens(const ModelSpec& model);

/// Bytes of the weights and of the activations that are live at the same time.
double inference_bytes(const Placement& placement, const ModelSpec& model, double items);

}  // namespace drover::devices
