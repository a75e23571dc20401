// The pass of a transformer over its rows (a row: one token of a prompt or one running sequence):
//
//   weights      bytes of the matrices / (bandwidth x share)           each is read once per pass
//   matrix       2 x weights x rows / (peak x share)                   added, not hidden: with the
//                few rows of serving the two do not overlap (ML.ENERGY, dense models: the sum
//                has an error of 5 % on a left-out model, the larger of the two 6 to 9 %)
//   attention    the larger of cache bytes / bandwidth and 4 x heads x size x pairs / peak
//   experts      see experts.cpp
//   element-wise 24 bytes per hidden element, row and layer: norms, residuals, activation
//   collectives  two per layer: latency per device, and 2 (n-1)/n of the rows over the link; with
//                attention on separate batches, rows go to their experts and back instead
//   launches     kernels of a layer are sequential; a step without CUDA graph costs the host more
//                per layer
//   host         per step and per running sequence
//
// Weight bytes, cache bytes and pairs follow the usual counts (Pope et al., "Efficiently scaling
// transformer inference", arXiv:2211.05102); shares and latencies are fitted, in [serving].
#include "devices/serving/step.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "devices/serving/experts.h"

namespace drover::devices {
namespace {

/// Bytes of norms, residuals and activation per hidden element, row and layer; fused, 16 bits.
constexpr double elementwise_bytes = 24;
/// The output matrix and embeddings stay in 16 bits with narrower weights.
constexpr double output_bytes = 2;
/// Smallest size of rows with compiled shapes (vLLM on TPU).
constexpr double decode_bucket_min = 16;

/// Rows that one group of tensor-parallel devices processes at a time.
double rows_each(const ServingPlan& plan, double rows) { return rows / plan.data / plan.pipeline; }

void add_products(ServingPass& pass, const ServingChip& chip, const ServingShape& shape,
                  const ServingPlan& plan, const ServingBytes& bytes, double rows, double last) {
  const double dense_layers = shape.layers - shape.expert_layers;
  const double weights =
      (shape.layers * shape.attention_weights + dense_layers * shape.dense_weights +
       shape.expert_layers * shape.shared_weights) /
      plan.tensor;
  const double output = shape.output_weights / plan.tensor;
  const double read = weights * bytes.weight + output * output_bytes;
  const double bandwidth = chip.memory_bandwidth * chip.serving->weights_share;
  const double share = chip.serving->product_share * chip.clock_share;
  pass.memory_s += read / bandwidth;
  pass.matrix_s += 2 * weights * rows / (chip.matrix_flops * share) +
                   2 * output * last / (chip.attention_flops * share);
  pass.flops += 2 * (weights * rows + output * last);
  pass.memory_bytes += read;

  const double moved = shape.layers * elementwise_bytes * shape.hidden * rows;
  pass.memory_s += moved / bandwidth;
  pass.memory_bytes += moved;
}

double cached_bytes_per_token(const ServingShape& shape, const ServingPlan& plan,
                              const ServingBytes& bytes) {
  if (shape.latent_size > 0) return shape.layers * shape.latent_size * bytes.cache;
  const double heads = std::max(1.0, shape.cache_heads / plan.tensor);
  return shape.layers * 2 * heads * shape.cache_head_size * bytes.cache;
}

double flops_per_pair(const ServingShape& shape, const ServingPlan& plan) {
  return 4 * shape.layers * shape.query_size / plan.tensor;
}

double attention_rate(const ServingChip& chip) {
  return chip.attention_flops * chip.serving->score_share * chip.clock_share;
}

double pair_seconds(const ServingChip& chip, const ServingShape& shape, const ServingPlan& plan,
                    const ServingBytes& bytes) {
  const double read = cached_bytes_per_token(shape, plan, bytes) /
                      (chip.memory_bandwidth * chip.serving->cache_share);
  return std::max(read, flops_per_pair(shape, plan) / attention_rate(chip));
}

void add_attention(ServingPass& pass, const ServingChip& chip, const ServingShape& shape,
                   const ServingPlan& plan, const ServingBytes& bytes, const ServingLoad& load) {
  const double each = load.sequences > 0 ? load.context_tokens / load.sequences : 0;
  const double cached = rows_each(plan, tokens_seen(shape, each) * load.sequences);
  const double prompt_pairs =
      rows_each(plan, load.prompt_tokens) * tokens_seen(shape, load.prompt_context);
  const double flops = flops_per_pair(shape, plan);
  pass.attention_s +=
      cached * pair_seconds(chip, shape, plan, bytes) + prompt_pairs * flops / attention_rate(chip);
  pass.flops += (cached + prompt_pairs) * flops;
  pass.memory_bytes += cached * cached_bytes_per_token(shape, plan, bytes);
}

void add_collectives(ServingPass& pass, const ServingChip& chip, const ServingShape& shape,
                     const ServingPlan& plan, const ServingBytes& bytes,
                     const EngineConstants& engine, double rows) {
  const double count = plan.tensor;
  if (plan.pipeline > 1) pass.collectives_s += (plan.pipeline - 1) * engine.all_reduce_s;
  if (count <= 1) return;
  const double sent = 2 * (count - 1) / count * rows * shape.hidden * bytes.activation;
  const double link = chip.link_bandwidth * engine.reduce_share;
  const double latency = engine.all_reduce_s + (count - 2) * engine.hop_s;
  pass.collectives_s += 2 * shape.layers * (latency + sent / link);
  pass.link_bytes += 2 * shape.layers * sent;
}

/// For attention on separate batches with shared experts: every row is sent to the devices of its
/// experts and back.
void add_exchange(ServingPass& pass, const ServingChip& chip, const ServingShape& shape,
                  const ServingPlan& plan, const ServingBytes& bytes, const EngineConstants& engine,
                  double rows) {
  if (plan.data <= 1 || plan.expert <= 1) return;
  const double count = plan.expert;
  const double copies = std::min(shape.experts_active, count) * (count - 1) / count;
  const double sent = 2 * rows * copies * shape.hidden * bytes.activation / plan.tensor;
  const double latency = 2 * (engine.all_reduce_s + (count - 2) * engine.hop_s);
  pass.collectives_s +=
      shape.expert_layers * (latency + sent / (chip.link_bandwidth * engine.reduce_share));
  pass.link_bytes += shape.expert_layers * sent;
}

void add_host(ServingPass& pass, const ServingChip& chip, const ServingShape& shape,
              const ServingPlan& plan, const EngineConstants& engine, double rows, double answers) {
  pass.launches_s += shape.layers * shape.kernels * chip.serving->kernel_s;
  pass.idle_s += engine.step_s;
  if (rows > engine.cuda_graph_rows_max) {
    const double gang = plan.devices() > 1 ? engine.gang_launches : 1;
    pass.idle_s += shape.layers * engine.layer_launch_s * gang;
  }
  pass.idle_s += engine.idle_request_s * answers;
  pass.host_s += pass.idle_s + (engine.request_s - engine.idle_request_s) * answers;
}

}  // namespace

double ServingPass::seconds() const {
  return memory_s + matrix_s + attention_s + collectives_s + launches_s + host_s;
}

double padded_rows(const ServingChip& chip, double rows) {
  if (!chip.buckets || rows <= 0) return rows;
  const double whole = std::ceil(std::max(rows, decode_bucket_min));
  return static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(whole)));
}

ServingPass serving_pass(const ServingChip& chip, const ServingShape& shape,
                         const ServingPlan& plan, const ServingBytes& bytes,
                         const ServingLoad& load, ServingEngine engine) {
  ServingPass pass;
  const EngineConstants software = engine_constants(*chip.serving, engine);
  const double all_rows = padded_rows(chip, load.sequences) + padded_rows(chip, load.prompt_tokens);
  const double rows = rows_each(plan, all_rows);
  const double last = rows_each(plan, load.sequences + load.prompts);
  add_products(pass, chip, shape, plan, bytes, rows, last);
  add_attention(pass, chip, shape, plan, bytes, load);
  if (shape.expert_layers > 0) {
    const ExpertCost cost =
        expert_layer_cost(chip, shape, plan, bytes, all_rows / plan.pipeline, engine);
    pass.memory_s += shape.expert_layers * cost.memory_s;
    pass.matrix_s += shape.expert_layers * cost.matrix_s;
    pass.launches_s += shape.expert_layers * cost.launches_s;
    pass.flops += shape.expert_layers * cost.flops;
    pass.memory_bytes += shape.expert_layers * cost.memory_bytes;
  }
  add_collectives(pass, chip, shape, plan, bytes, software, rows);
  add_exchange(pass, chip, shape, plan, bytes, software, rows);
  add_host(pass, chip, shape, plan, software, rows, (load.sequences + load.prompts) / plan.data);
  return pass;
}

double seconds_per_cached_token(const ServingChip& chip, const ServingShape& shape,
                                const ServingPlan& plan, const ServingBytes& bytes) {
  return rows_each(plan, 1) * pair_seconds(chip, shape, plan, bytes);
}

}  // namespace drover::devices
