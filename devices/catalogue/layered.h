// Models that are lists of layers: convolution nets, recurrent nets, perceptrons, diffusion nets.
// One line of a model file is one kind of layer, with how often it occurs.
#pragma once

#include <cstdint>
#include <vector>

#include "fleet/text/toml.h"

namespace drover::devices {

/// A square (or cubic) convolution, as it slides over one item.
struct Convolution {
  double inputs = 0, outputs = 0;  // channels
  double kernel = 1, stride = 1;   // edges
  double up = 1;                   // transposed: the edge grows by this
  double edge = 1;                 // of the input
  double groups = 1;
  double times = 1;
  bool shared = false;  // its weights are those of an earlier layer
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

/// Steps that wait for one another: each multiplies input and state by the weights of all gates.
struct Recurrence {
  double inputs = 0, outputs = 0;
  double steps = 1;
  double gates = 4;  // LSTM 4, GRU 3
  double times = 1;
  bool feed_forward = false;  // no state of its own, but inside the loop
};

struct Embedding {
  double entries = 0, width = 0;
  double rows = 1;  // read per item
};

/// What follows a convolution and must pass over its output again.
enum class Norm : std::uint8_t { none, batch, instance, group };
enum class Optimizer : std::uint8_t { sgd, adam, adadelta };

struct LayeredModel {
  std::vector<Convolution> convolutions;
  std::vector<DenseLayer> products;
  std::vector<AttentionBlock> attentions;
  std::vector<Recurrence> recurrences;
  std::vector<Embedding> embeddings;
  Norm norm = Norm::batch;
  Optimizer optimizer = Optimizer::sgd;
  int dimensions = 2;      // of a convolution
  double evaluations = 1;  // of the whole list, one after the other: denoising steps
  double windows = 1;      // of one item, each passes the list by itself: parts of a volume
  double together = 1;     // evaluations in one batch: with and without a prompt
  double logits = 0;       // elements per item that pass through a softmax and its loss
  double tail_flops = 0;   // per item, after all evaluations
  double input_s = 0;      // host work to prepare one item in a framework's loader
};

/// The sizes of a convolution on one item.
struct ConvolutionSize {
  double taps = 1;        // of the kernel that meet one output position
  double positions = 1;   // of the output
  double inputs = 0;      // elements read
  double outputs = 0;     // elements written
  double parameters = 0;  // weights, without norm or bias
};
ConvolutionSize size_of(const Convolution& layer, int dimensions);

double counted_parameters(const LayeredModel& model);
/// Forward, one item, all evaluations; a multiply and an add count as two.
double forward_flops(const LayeredModel& model);
/// What the layers write, one item, one evaluation.
double output_elements(const LayeredModel& model);
/// Layers that a framework calls one after the other.
double layer_count(const LayeredModel& model);

/// Reads the table [layered] of a model file; problems are recorded at their key.
LayeredModel read_layered(toml_file::Table& table);

}  // namespace drover::devices
