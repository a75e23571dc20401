#include "devices/serving/memory.h"

#include <algorithm>
#include <cmath>

namespace drover::devices {
namespace {

/// Output matrix and embedding stay in 16 bits with narrower weights.
constexpr double table_bytes = 2;

double weights_each(const ServingShape& shape, const ServingPlan& plan, const ServingBytes& bytes) {
  const double dense_layers = shape.layers - shape.expert_layers;
  const double cut = shape.layers * shape.attention_weights + dense_layers * shape.dense_weights +
                     shape.expert_layers * shape.shared_weights;
  const double experts = shape.expert_layers * shape.experts * shape.expert_weights;
  const double tables = shape.output_weights + shape.embedding_weights;
  const double expert_devices =
      plan.expert > 1 ? plan.expert * plan.pipeline : plan.tensor * plan.pipeline;
  return cut * bytes.weight / (plan.tensor * plan.pipeline) +
         experts * bytes.weight / expert_devices + tables * table_bytes / plan.tensor;
}

}  // namespace

double cache_bytes_each(const ServingShape& shape, const ServingPlan& plan,
                        const ServingBytes& bytes) {
  const double layers = shape.layers / plan.pipeline;
  const double own = plan.data;  // each token is in one of the data-parallel parts
  if (shape.latent_size > 0) return layers * shape.latent_size * bytes.cache / own;
  const double heads = std::max(1.0, shape.cache_heads / plan.tensor);
  return layers * 2 * heads * shape.cache_head_size * bytes.cache / own;
}

ServingMemory serving_memory(const DeviceSpec& device, const ServingShape& shape,
                             const ServingPlan& plan, const ServingBytes& bytes) {
  ServingMemory memory;
  memory.capacity = device.memory_bytes;
  memory.weights = weights_each(shape, plan, bytes);
  memory.reserved = device.reserved_bytes;
  const double left = memory.capacity - memory.weights - memory.reserved;
  memory.cache_room = std::max(0.0, device.kv_cache_utilization * left);
  return memory;
}

double cache_tokens(const ServingMemory& memory, const ServingShape& shape, const ServingPlan& plan,
                    const ServingBytes& bytes) {
  const double tokens = memory.cache_room / cache_bytes_each(shape, plan, bytes);
  return std::floor(tokens / cache_block) * cache_block;
}

double sequences_admitted(double tokens_held, double tokens) {
  const double pages = std::max(1.0, std::ceil(tokens / cache_block)) * cache_block;
  return std::floor(tokens_held / pages);
}

}  // namespace drover::devices
