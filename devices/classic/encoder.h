// The layers of encoders (BERT) and similar nets, for sequences of equal length.
#pragma once

#include "devices/catalogue/model.h"
#include "devices/classic/layer_rates.h"

namespace drover::devices {

struct EncoderShape {
  double items = 1;   // sequences in the batch
  double tokens = 1;  // per sequence
  bool training = false;
  double passes = 0;        // over tokens x hidden, per layer, for norms, activations, dropout
  double score_passes = 0;  // over the attention scores, per layer
};

/// Adds the forward pass of all layers; in training also the backward pass and the output matrix.
void add_encoder(StepAccumulator& sum, const LayerRates& layer, const ModelSpec& model,
                 const EncoderShape& shape);

}  // namespace drover::devices
