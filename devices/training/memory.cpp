// States (ZeRO, arXiv:1910.02054). Bytes per parameter: 2 for 16-bit weights, 4 for fp32 gradient
// sums, and 12 for the fp32 weight with two Adam moments. The 12 are sharded over the data-parallel
// devices; with FSDP all are. XLA keeps fp32 weights and moments and 16-bit gradients: 14, sharded.
// Two layers are gathered at a time. Frozen weights (LoRA) have only 2 bytes.
//
// Activations (Korthikanti et al., arXiv:2205.05198, equation 2, without scores and dropout masks,
// which fused attention does not keep). Per token and layer, 16 bits each: both norms' inputs, the
// inputs of the query-key-value and first feed-forward product, q, k, v, the attention output, the
// outputs of the first feed-forward product, the input of the second. Sequence parallelism divides
// all by the tensor degree. A pipeline has as many micro-batches in flight as its depth, with
// interleaving a little more (arXiv:2104.04473).
//
// Recomputation. First the cheap operations: activation functions, norms, up-projections
// (Megatron's selective modules); then whole layers, of which only the input is kept.
#include "devices/training/memory.h"

#include <algorithm>
#include <cmath>

namespace drover::devices {
namespace {

/// Usable share of the memory: the rest is for allocators and collective buffers (assumed;
/// llm-foundry runs up to 0.87 by this count).
constexpr double usable_memory_share = 0.92;
/// Share of the activations left by the cheap recomputation, and its share of a forward pass
/// (assumed).
constexpr double cheap_left = 0.3, cheap_cost = 0.1;
/// Bytes per logit: 16 bits and their gradient.
constexpr double score_bytes = 4;

bool narrow(const TrainingJob& job) { return bytes_each(job.placement.precision) <= 1; }

double feed_forward_kept(const ModelSpec& model, double inner, double input_bytes) {
  return ((model.gated ? 4 : 2) + input_bytes) * inner;
}

struct StateBytes {
  double weights = 0, states = 0;
};

StateBytes state_bytes(const TrainingJob& job, const Layout& layout) {
  const ModelSpec& model = *job.model;
  const double all = model.parameters();
  const double owned = owned_parameters(model, layout);
  const double devices = std::max(1, job.placement.devices);
  // Experts are not gathered; the rest of two layers is.
  const double gathered = model.active_parameters() / std::max(1u, model.layers) * 4;
  if (job.adapters) return {2 * owned, 0};
  if (is_tpu(job))
    return {2 * all / devices * layout.slices + gathered, 12 * all / devices * layout.slices};
  if (layout.sharded) return {2 * all / devices + gathered, 14 * all / devices};
  return {2 * owned, 4 * owned + 12 * all / devices};
}

/// Bytes kept for the backward pass: everything, or only the inputs of layers.
struct Waiting {
  double kept = 0, inputs = 0, scores = 0;
};

Waiting waiting(const TrainingJob& job, const Layout& layout) {
  const ModelSpec& model = *job.model;
  const double tokens = micro_batch_tokens(job, layout) / layout.tensor;
  const double depth = layout.pipeline;
  double flight = std::min(layout.micro_batches, depth);
  if (layout.stages > 1) flight *= 1 + (depth - 1) / (depth * layout.stages);
  const double layers = tokens * model.layers / depth * flight;
  return {layers * activation_bytes_per_token(model, narrow(job)), layers * 2 * model.hidden,
          tokens * model.vocabulary * score_bytes};
}

double room(const TrainingJob& job, const Layout& layout) {
  const DeviceSpec& device = *job.placement.device;
  const StateBytes states = state_bytes(job, layout);
  return (device.memory.bytes - device.memory.reserved_bytes) * usable_memory_share -
         states.weights - states.states;
}

double activation_bytes(const Waiting& wait, double recomputed) {
  if (recomputed <= cheap_cost) {
    return wait.kept * (1 - (1 - cheap_left) * recomputed / cheap_cost);
  }
  const double left = (1 - recomputed) / (1 - cheap_cost);
  return wait.inputs + std::max(0.0, cheap_left * wait.kept - wait.inputs) * left;
}

}  // namespace

double owned_parameters(const ModelSpec& model, const Layout& layout) {
  const double all = model.parameters(), active = model.active_parameters();
  const double cuts = static_cast<double>(layout.tensor) * layout.pipeline;
  if (model.experts.count == 0) return all / cuts;
  // Experts are distributed unsplit over the devices of an expert group.
  return active / cuts + (all - active) / (static_cast<double>(layout.expert) * layout.pipeline);
}

double activation_bytes_per_token(const ModelSpec& model, bool narrow_inputs) {
  const double hidden = model.hidden;
  const double input = narrow_inputs ? 1 : 2;
  const double heads = static_cast<double>(model.heads) * model.head_size;
  const double keys = static_cast<double>(model.kv_heads) * model.head_size;
  const double attention = 4 * hidden + input * hidden + 2 * (heads + 2 * keys) + input * heads;
  if (model.experts.count == 0) {
    return attention + input * hidden + feed_forward_kept(model, model.feed_forward, input);
  }
  const Experts& experts = model.experts;
  const double one = feed_forward_kept(model, experts.feed_forward, input);
  const double routed = experts.active * (one + input * hidden + 2 * hidden);
  return attention + input * hidden + routed + experts.shared * one;
}

double recomputed_share(const TrainingJob& job, const Layout& layout) {
  if (job.request.recompute == Recompute::full) return 1;
  if (job.request.recompute == Recompute::none) return 0;
  const Waiting wait = waiting(job, layout);
  const double left = room(job, layout) - wait.scores;
  if (wait.kept <= left) return 0;
  const double cheap = cheap_left * wait.kept;
  if (cheap <= left) return cheap_cost * (wait.kept - left) / (wait.kept - cheap);
  if (cheap <= wait.inputs) return 1;
  return std::min(1.0, cheap_cost + (1 - cheap_cost) * (cheap - left) / (cheap - wait.inputs));
}

MemoryUse training_memory(const TrainingJob& job, const Layout& layout) {
  const Waiting wait = waiting(job, layout);
  const StateBytes states = state_bytes(job, layout);
  MemoryUse use;
  use.weights = states.weights;
  use.states = states.states;
  use.activations = activation_bytes(wait, layout.recomputed) + wait.scores;
  use.reserved = job.placement.device->memory.reserved_bytes;
  return use;
}

bool training_fits(const TrainingJob& job, const Layout& layout) {
  const DeviceSpec& device = *job.placement.device;
  return training_memory(job, layout).total() <= device.memory.bytes;
}

// Models other than decoders, data parallel: 16 bytes per parameter (16-bit weight and gradient,
// fp32 weight and two Adam moments), replicated or sharded over the gang (ZeRO-3, FSDP).
// Activations per token and layer: 15 h + 2 h + 6 f bytes if gated, else 15 h + 3 h + 4 f, which
// with f = 4 h is the published 34 h without the attention scores (Korthikanti et al.,
// arXiv:2205.05198; fused attention keeps none).
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
  return tokens * layers;
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
  const double states = states_each(placement, model, sharded);
  const double sample = activation_bytes(model, shape, recompute);
  const double room =
      placement.device->memory.bytes - placement.device->memory.reserved_bytes - states;
  const double at_once = std::floor(room / sample);
  const double wanted = samples_each(placement, shape);
  const double micro_steps = std::ceil(wanted / std::max(1.0, at_once));
  return {at_once >= 1, states + std::ceil(wanted / micro_steps) * sample};
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
