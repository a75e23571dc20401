#include "devices/serving/shape.h"

#include <algorithm>
#include <cmath>

namespace drover::devices {
namespace {

/// Attention, output and down projection of a layer are always sequential.
constexpr double kernels_beside_norms = 3;

void set_cache(ServingShape& shape, const ModelSpec& model) {
  const double heads = model.heads;
  if (model.latent.kv_rank > 0) {
    // Queries are multiplied with the latent itself (absorbed projections) and its rotary part.
    shape.latent_size = double{1} * model.latent.kv_rank + model.latent.rope_size;
    shape.query_size = heads * (model.latent.kv_rank + model.latent.rope_size / 2.0);
    return;
  }
  shape.cache_heads = model.kv_heads;
  shape.cache_head_size = model.head_size;
  shape.query_size = heads * model.head_size;
}

}  // namespace

ServingShape serving_shape(const ModelSpec& model) {
  ServingShape shape;
  shape.layers = model.layers;
  shape.expert_layers = model.expert_layers();
  shape.hidden = model.hidden;
  shape.attention_weights = attention_parameters(model);
  shape.dense_weights = feed_forward_parameters(model, model.feed_forward);
  const Experts& experts = model.experts;
  shape.expert_weights = feed_forward_parameters(model, experts.feed_forward);
  shape.shared_weights = experts.shared * shape.expert_weights;
  shape.experts = experts.count;
  shape.experts_active = experts.active;
  const double table = double{1} * model.vocabulary * model.hidden;
  const bool answers = model.architecture == Architecture::decoder;
  shape.output_weights = answers ? table : 0;
  shape.embedding_weights = answers && model.tied_embeddings ? 0 : table;
  set_cache(shape, model);
  shape.window = model.window;
  if (model.window > 0) {
    shape.window_layers = model.window_every > 0 ? 1 - 1.0 / model.window_every : 1;
  }
  shape.kernels = kernels_beside_norms + model.norms_per_layer;
  return shape;
}

ServingPlan serving_plan(int devices, int tensor, int pipeline, int data, int expert) {
  ServingPlan plan;
  plan.pipeline = std::max(1, pipeline);
  plan.data = std::max(1, data);
  plan.expert = std::max(1, expert);
  const int rest = std::max(1, devices / (plan.pipeline * plan.data));
  plan.tensor = std::max(1, tensor);
  if (plan.expert > 1 && plan.tensor * plan.data * plan.pipeline < devices) plan.tensor = rest;
  if (plan.tensor > rest) plan.tensor = rest;
  plan.replicas = std::max(1, devices / plan.devices());
  return plan;
}

double tokens_seen(const ServingShape& shape, double context) {
  if (shape.window <= 0 || context <= shape.window) return context;
  return (1 - shape.window_layers) * context + shape.window_layers * shape.window;
}

double experts_touched(const ServingShape& shape, double rows, double popularity) {
  if (shape.experts <= 0) return 0;
  const double missed = 1 - shape.experts_active / shape.experts;
  return shape.experts * (1 - std::pow(missed, rows * popularity));
}

}  // namespace drover::devices
