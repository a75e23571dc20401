// One optimiser step of nets that are no language models of the decoder kind: convolution nets,
// encoders, diffusion, recurrent nets; data parallel.
#pragma once

#include "devices/catalogue/model.h"
#include "devices/catalogue/software.h"
#include "devices/operation/step.h"

namespace drover::devices {

struct ClassicShape {
  double items = 1;   // of the whole gang per optimiser step
  double tokens = 0;  // of a sequence; 0: what is typical of the model
  Software software = Software::framework;
};

Step classic_training_step(const Placement& placement, const ModelSpec& model,
                           const ClassicShape& shape, double clock_share);

/// Items per device that keep it busy and fit.
double usual_items_each(const Placement& placement, const ModelSpec& model, double tokens);

/// Of one device: weights, gradients, optimiser; and activations of the items at once.
double classic_state_bytes(const ModelSpec& model);
double classic_item_bytes(const Placement& placement, const ModelSpec& model, double tokens);

}  // namespace drover::devices
