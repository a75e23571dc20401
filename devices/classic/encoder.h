// Layers of encoders (BERT) and of nets that run like them, with sequences of equal length.
#pragma once

#include "devices/catalogue/model.h"
#include "devices/classic/layer_rates.h"

namespace drover::devices {

struct EncoderShape {
  double items = 1;   // sequences at once
  double tokens = 1;  // of each
  bool training = false;
  double passes = 0;        // over tokens x hidden, per layer, for norms, activations, dropout
  double score_passes = 0;  // over the attention scores, per layer
};

/// All layers, forward or forward and backward; in training the output matrix too.
void add_encoder(StepSum& sum, const LayerRates& layer, const ModelSpec& model,
                 const EncoderShape& shape);

}  // namespace drover::devices
