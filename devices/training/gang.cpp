// Memory of data-parallel training of models other than decoders.
//
// Memory: 16 bytes per parameter (16-bit weight and gradient, fp32 weight and two Adam moments),
// replicated or sharded over the gang (ZeRO-3, FSDP). Activations per token and layer: 15 h + 2 h +
// 6 f bytes if gated, else 15 h + 3 h + 4 f, which with f = 4 h is the published 34 h without the
// attention scores (Korthikanti et al., arXiv:2205.05198; fused attention keeps none).
#include "devices/training/gang.h"

#include <algorithm>
#include <cmath>

namespace drover::devices {
namespace {

constexpr double state_bytes_per_parameter = 16;
double activation_bytes_per_token_layer(const ModelSpec& model) {
  const double hidden = model.hidden;
  const double feed_forward = model.feed_forward;
  return 15 * hidden +
         (model.gated ? 2 * hidden + 6 * feed_forward : 3 * hidden + 4 * feed_forward);
}

/// Bytes kept for one sample until its backward pass.
double activation_bytes(const ModelSpec& model, const TrainingShape& shape, bool recompute) {
  if (!model.is_transformer()) return model.activation_bytes_per_item;
  const double tokens = shape.sequence;
  const double layer = activation_bytes_per_token_layer(model);
  // Recomputation keeps the input of each layer (16 bits) and one layer's activations.
  const double layers =
      recompute ? 2.0 * model.hidden * model.layers + layer : layer * model.layers;
  // Logits in 16 bits and their fp32 gradient.
  const double scores = model.architecture == Architecture::decoder ? 6.0 * model.vocabulary : 0;
  return tokens * (layers + scores);
}

double states_each(const Placement& placement, const ModelSpec& model, bool sharded) {
  const double parameters = model.parameters();
  if (!sharded) return state_bytes_per_parameter * parameters;
  // Two layers are gathered at a time, with weights and gradients of 16 bits.
  const double gathered = 8 * parameters / std::max(1u, model.layers);
  return state_bytes_per_parameter * parameters / placement.devices + gathered;
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

}  // namespace drover::devices
