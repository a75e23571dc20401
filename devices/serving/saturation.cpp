// A request of `in` prompt and `out` output tokens takes `out` steps. With b running requests, b /
// out of them end per step and as many begin, so the mean step processes b next tokens and b x in /
// out prompt tokens, with caches of in + out / 2 tokens each:
//
//   step = pass(b, b (in + out/2), prompts b in / out)        tokens/s = b / step
//
// The same sum, as (prompt pass of b x in + out decode steps) / out, is one static batch. b is the
// number of requests that the cache admits with each request's whole length reserved
// (TensorRT-LLM's guaranteed_no_evict), limited by the engine.
#include <algorithm>
#include <cmath>

#include "devices/serving/replica.h"

namespace drover::devices {
namespace {

/// Output matrix and embedding stay in 16 bits with narrower weights.
constexpr double table_bytes = 2;
/// Tokens; vLLM and TensorRT-LLM use pages of 16 or more.
constexpr double cache_block = 16;

double weights_each(const ServingReplica& replica) {
  const auto& [device, chip, shape, plan, bytes, engine] = replica;
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

/// Tokens of context that fit on one replica, in whole blocks.
double cache_tokens(const ServingReplica& replica) {
  const double tokens = serving_memory(replica).cache_room / cache_bytes_each(replica);
  return std::floor(tokens / cache_block) * cache_block;
}

/// The number of requests that run at the same time.
double running(const ServingReplica& replica, const ServingDemand& demand) {
  const double tokens = demand.input_tokens + demand.output_tokens;
  const double pages = std::max(1.0, std::ceil(tokens / cache_block)) * cache_block;
  const double admitted = std::max(1.0, std::floor(cache_tokens(replica) / pages));
  if (demand.batch > 0) return std::min(admitted, demand.batch);
  // The engine's limit applies to each data-parallel part.
  return std::min(admitted, replica.device.serving.offline_sequences * replica.plan.data);
}

}  // namespace

double cache_bytes_each(const ServingReplica& replica) {
  const auto& [device, chip, shape, plan, bytes, engine] = replica;
  const double layers = shape.layers / plan.pipeline;
  const double own = plan.data;  // each token is in one of the data-parallel parts
  if (shape.latent_size > 0) return layers * shape.latent_size * bytes.cache / own;
  const double heads = std::max(1.0, shape.cache_heads / plan.tensor);
  return layers * 2 * heads * shape.cache_head_size * bytes.cache / own;
}

ServingMemory serving_memory(const ServingReplica& replica) {
  ServingMemory memory;
  memory.capacity = replica.device.memory.bytes;
  memory.weights = weights_each(replica);
  memory.reserved = replica.device.memory.reserved_bytes;
  const double left = memory.capacity - memory.weights - memory.reserved;
  memory.cache_room = std::max(0.0, replica.device.serving.kv_cache_utilization * left);
  return memory;
}

SteadyState serving_steady(const ServingReplica& replica, const ServingDemand& demand) {
  SteadyState steady;
  const double out = std::max(1.0, demand.output_tokens);
  steady.sequences = running(replica, demand);
  ServingLoad load;
  load.sequences = steady.sequences;
  load.context_tokens = steady.sequences * (demand.input_tokens + out / 2);
  load.prompts = steady.sequences / out;
  load.prompt_tokens = load.prompts * demand.input_tokens;
  load.prompt_context = demand.input_tokens / 2;
  steady.pass = serving_pass(replica, load);
  steady.token_s = steady.pass.seconds();
  steady.tokens_per_s = steady.sequences / steady.token_s;
  steady.first_token_s = prompt_pass(replica, demand.input_tokens, 0, 1).seconds() + steady.token_s;
  return steady;
}

}  // namespace drover::devices
