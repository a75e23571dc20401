// The kernels of each kind of layer of nets other than decoders.
#pragma once

#include <cstdint>

#include "devices/classic/layer_rates.h"

namespace drover::devices {

/// Forward: out = in * w. Backward: d in = d out * w, and d w = in * d out.
enum class Pass : std::uint8_t { forward, data_gradient, weight_gradient };

/// Adds the kernels of all `times` repetitions of the layer for `items` items. `traffic` is the
/// share of the activations that is read from and written to memory.
void add_convolution(StepAccumulator& sum, const LayerRates& layer, const Convolution& convolution,
                     int dimensions, double items, Pass pass, double traffic);

/// Adds the products of a dense layer; in training also those of its two gradients.
void add_dense(StepAccumulator& sum, const LayerRates& layer, const DenseLayer& dense, double items,
               bool training);

/// Adds the forward pass of all `times` layers over all steps for `items` parallel sequences. The
/// backward pass is twice as much: `passes` = 3 for a training step. `step_s` is the minimum time
/// between two dependent steps.
void add_recurrence(StepAccumulator& sum, const LayerRates& layer, const Recurrence& recurrence,
                    double items, double passes, double step_s);

/// The layers of encoders (BERT) and similar nets, for sequences of equal length.
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
