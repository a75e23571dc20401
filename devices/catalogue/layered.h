// Models described as lists of layers: convolution nets, recurrent nets, perceptrons, diffusion
// nets. One line of a model file is one kind of layer and its number.
#pragma once

#include <cstdint>
#include <vector>

#include "fleet/text/toml.h"

namespace drover::devices {

/// A square (or cubic) convolution over one item.
struct Convolution {
  double inputs = 0, outputs = 0;  // channels
  double kernel = 1, stride = 1;   // edges
  double up = 1;                   // transposed: factor of the edge
  double edge = 1;                 // of the input
  double groups = 1;
  double times = 1;
  bool shared = false;  // uses the weights of an earlier layer
};

/// A matrix times `rows` vectors of one item.
struct DenseLayer {
  double inputs = 0, outputs = 0;
  double rows = 1, times = 1;
};

struct AttentionBlock {
  double queries = 0, keys = 0;
  double width = 0, heads = 1;
  double times = 1;
};

/// Dependent steps, each of which multiplies input and state by the weights of all gates.
struct Recurrence {
  double inputs = 0, outputs = 0;
  double steps = 1;
  double gates = 4;  // LSTM 4, GRU 3
  double times = 1;
  bool feed_forward = false;  // inside the loop, without a state of its own
};

struct Embedding {
  double entries = 0, width = 0;
  double rows = 1;  // read per item
};

/// The normalisation after a convolution, which reads its output again.
enum class Norm : std::uint8_t { none, batch, instance, group };

struct LayeredModel {
  std::vector<Convolution> convolutions;
  std::vector<DenseLayer> products;
  std::vector<AttentionBlock> attentions;
  std::vector<Recurrence> recurrences;
  std::vector<Embedding> embeddings;
  Norm norm = Norm::batch;
  int dimensions = 2;      // of a convolution
  double evaluations = 1;  // of the whole list, one after the other: denoising steps
  double windows = 1;      // of one item, each evaluated separately: parts of a volume
  double together = 1;     // evaluations in one batch: 2 with classifier-free guidance
  double logits = 0;       // elements per item of the softmax and its loss
  double tail_flops = 0;   // per item, after all evaluations
  double input_s = 0;      // host work to prepare one item in a framework's loader
};

/// The sizes of a convolution on one item.
struct ConvolutionSize {
  double taps = 1;        // kernel elements per output position
  double positions = 1;   // of the output
  double inputs = 0;      // elements read
  double outputs = 0;     // elements written
  double parameters = 0;  // weights, without norm or bias
};
ConvolutionSize size_of(const Convolution& layer, int dimensions);

double counted_parameters(const LayeredModel& model);
/// Forward pass of one item, all evaluations; a multiply-add counts as two.
double forward_flops(const LayeredModel& model);
/// Elements that the layers write for one item in one evaluation.
double output_elements(const LayeredModel& model);
/// The number of layers that a framework calls one after the other.
double layer_count(const LayeredModel& model);

/// Reads the table [layered] of a model file. Problems are added to the table.
LayeredModel read_layered(toml_file::Table& table);

}  // namespace drover::devices
