// One static batch of a model that does not generate: convolution nets, encoders, diffusion,
// recurrent nets, perceptrons.
#pragma once

#include "devices/catalogue/model.h"
#include "devices/catalogue/software.h"
#include "devices/operation/step.h"

namespace drover::devices {

struct InferenceShape {
  double items = 1;   // on one device
  double tokens = 0;  // of a sequence; 0: what is typical of the model
  Software software = Software::engine;
};

/// The batch on one device.
Step inference_step(const Placement& placement, const ModelSpec& model, const InferenceShape& shape,
                    double clock_share);

/// A batch at which throughput hardly grows any more and whose activations fit.
double throughput_batch(const Placement& placement, const ModelSpec& model);

/// Tokens of a sequence where none are given.
double usual_tokens(const ModelSpec& model);

/// Bytes of activations alive at once, and of weights.
double inference_bytes(const Placement& placement, const ModelSpec& model, double items);

}  // namespace drover::devices
