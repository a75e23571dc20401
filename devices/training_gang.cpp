// Data-parallel training of models that are no decoders.
//
// Memory: 16 bytes per parameter (16-bit weight and gradient, fp32 weight and two Adam moments),
// whole on each device or sharded over the gang (ZeRO-3, FSDP). Activations per token and layer:
// 15 h + 2 h + 6 f bytes gated, 15 h + 3 h + 4 f else, which is the published 34 h with f = 4 h
// without the attention scores (Korthikanti et al., arXiv:2205.05198; fused attention keeps none).
//
// Time: three forward passes of matrix work (one forward, two backward), a fourth when activations
// are recomputed; attention alike; element-wise passes over the activations; the optimiser once.
// Gradients are reduced (whole) or weights gathered and gradients scattered (sharded) behind the
// computing, as far as there is enough of it.
#include "devices/training_gang.h"

#include <algorithm>
#include <cmath>

#include "devices/layers.h"
#include "devices/step_sum.h"

namespace drover::devices {
namespace {

constexpr double state_bytes = 16;
/// Read gradient and three fp32 states, write three states and the weight: 2 + 12 + 12 + 2.
constexpr double optimiser_bytes = 28;
/// Passes over the kept activations in forward and backward together (fitted to A100 training of
/// MPT-7B, llm-foundry benchmark table, and ResNet-50, NVIDIA DeepLearningExamples; +-20 %).
constexpr double activation_passes = 6;
/// Of a collective that could hide, this share stays visible all the same (assumed).
constexpr double exposed_share_min = 0.2;
/// Share of the computing behind which a collective can hide (assumed: the backward pass; sharded
/// weights are fetched ahead in the forward pass too).
constexpr double hiding_share_whole = 0.6, hiding_share_sharded = 0.8;
constexpr double launches_per_layer = 20;
constexpr double launches_convolution = 400;

bool is_transformer(const ModelSpec& model) {
  return model.architecture != Architecture::convolution;
}

double activation_bytes_per_token_layer(const ModelSpec& model) {
  const double hidden = model.hidden;
  const double feed_forward = model.feed_forward;
  return 15 * hidden +
         (model.gated ? 2 * hidden + 6 * feed_forward : 3 * hidden + 4 * feed_forward);
}

/// Kept for one sample until its backward pass.
double activation_bytes(const ModelSpec& model, const TrainingShape& shape, bool recompute) {
  if (!is_transformer(model)) return model.activation_bytes_per_item;
  const double tokens = shape.sequence;
  const double layer = activation_bytes_per_token_layer(model);
  // Recomputing keeps the input of each layer (16 bits) and one layer's activations.
  const double layers =
      recompute ? 2.0 * model.hidden * model.layers + layer : layer * model.layers;
  // Scores of the vocabulary, 16 bits and their fp32 gradient.
  const double scores = model.architecture == Architecture::decoder ? 6.0 * model.vocabulary : 0;
  return tokens * (layers + scores);
}

double states_each(const Placement& placement, const ModelSpec& model, bool sharded) {
  const double parameters = model.parameters();
  if (!sharded) return state_bytes * parameters;
  // Two layers gathered at a time, weights and gradients of 16 bits.
  const double gathered = 8 * parameters / std::max(1u, model.layers);
  return state_bytes * parameters / placement.devices + gathered;
}

double samples_each(const Placement& placement, const TrainingShape& shape) {
  return std::ceil(std::max(1.0, static_cast<double>(shape.batch)) /
                   std::max(1, placement.devices));
}

TrainingPlan try_plan(const Placement& placement, const ModelSpec& model,
                      const TrainingShape& shape, bool sharded, bool recompute) {
  TrainingPlan plan;
  plan.sharded = sharded;
  plan.recompute = recompute;
  const double states = states_each(placement, model, sharded);
  const double sample = activation_bytes(model, shape, recompute);
  const double room = placement.device->memory_bytes - placement.device->reserved_bytes - states;
  const double at_once = std::floor(room / sample);
  plan.fits = at_once >= 1;
  const double wanted = samples_each(placement, shape);
  plan.micro_steps = std::ceil(wanted / std::max(1.0, at_once));
  plan.samples = std::ceil(wanted / plan.micro_steps);
  plan.bytes = states + plan.samples * sample;
  return plan;
}

/// Forward and backward of `samples` samples.
StepSum compute_sum(const Rates& rates, const ModelSpec& model, const TrainingShape& shape,
                    const TrainingPlan& plan) {
  StepSum sum(rates);
  const double passes = plan.recompute ? 4 : 3;
  if (!is_transformer(model)) {
    sum.add_flops(plan.samples * model.flops_per_item * passes, convolution_efficiency);
    sum.add_memory(plan.samples * model.activation_bytes_per_item * activation_passes);
    sum.add_launches(launches_convolution);
    return sum;
  }
  const double rows = plan.samples * shape.sequence;
  for (const MatrixShape& product : layer_products(model, 1)) {
    sum.add_product(rows, product, passes * model.layers);
  }
  const bool decoder = model.architecture == Architecture::decoder;
  if (decoder) {
    const double hidden = model.hidden, vocabulary = model.vocabulary;
    sum.add_product(rows, {hidden, vocabulary}, 3);
  }
  const double seen = decoder ? (shape.sequence + 1.0) / 2 : shape.sequence;
  const double pair_flops = 4.0 * model.layers * model.heads * model.head_size;
  sum.add_flops(passes * rows * seen * pair_flops, attention_efficiency);
  sum.add_memory(activation_passes * rows * activation_bytes_per_token_layer(model) * model.layers);
  sum.add_launches(launches_per_layer * model.layers);
  return sum;
}

void add_collective(StepSum& sum, double bytes, double seconds, double computing_s,
                    double hiding_share) {
  sum.add_link(bytes, std::max(exposed_share_min * seconds, seconds - hiding_share * computing_s));
}

}  // namespace

TrainingPlan plan_training(const Placement& placement, const ModelSpec& model,
                           const TrainingShape& shape) {
  TrainingPlan plan;
  for (const bool recompute : {false, true}) {
    for (const bool sharded : {false, true}) {
      if (sharded && placement.devices <= 1) continue;
      plan = try_plan(placement, model, shape, sharded, recompute);
      if (plan.fits) return plan;
    }
  }
  return plan;
}

Step gang_training_step(const Placement& placement, const ModelSpec& model,
                        const TrainingShape& shape, double clock_share) {
  Placement one = placement;
  one.devices = std::max(1, placement.devices);
  const Rates rates(one, clock_share);
  const TrainingPlan plan = plan_training(one, model, shape);
  StepSum sum = compute_sum(rates, model, shape, plan);
  const double computing_s = sum.seconds();
  const double gradient_bytes = 2 * model.parameters();
  const double reduce_s = all_reduce_seconds(rates, gradient_bytes);
  const double reduce_bytes = one.devices > 1 ? all_reduce_bytes(rates, gradient_bytes) : 0;
  if (plan.sharded) {
    // Gather weights for forward and for backward, scatter gradients: one and a half all-reduces,
    // in every micro step.
    add_collective(sum, 1.5 * reduce_bytes, 1.5 * reduce_s, computing_s, hiding_share_sharded);
  }
  sum.times(plan.micro_steps);
  if (!plan.sharded && one.devices > 1) {
    // Gradients are reduced once, behind the last micro step's backward pass.
    add_collective(sum, reduce_bytes, reduce_s, computing_s, hiding_share_whole);
  }
  sum.add_memory(optimiser_bytes * model.parameters() / (plan.sharded ? one.devices : 1));
  return sum.step();
}

}  // namespace drover::devices
