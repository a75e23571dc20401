// The pass of a transformer over its rows (a row: one token of a prompt or one running sequence):
//
//   weights      bytes of the matrices / (bandwidth x share)           each is read once per pass
//   matrix       2 x weights x rows / (peak x share)                   added, not hidden: with the
//                few rows of serving the two do not overlap (ML.ENERGY, dense models: the sum
//                has an error of 5 % on a left-out model, the larger of the two 6 to 9 %)
//   attention    the larger of cache bytes / bandwidth and 4 x heads x size x pairs / peak
//   experts      those that the rows use are read, see below
//   element-wise 24 bytes per hidden element, row and layer: norms, residuals, activation
//   collectives  two per layer: latency per device, and 2 (n-1)/n of the rows over the link; with
//                attention on separate batches, rows go to their experts and back instead
//   launches     kernels of a layer are sequential; a step without CUDA graph costs the host more
//                per layer
//   host         per step and per running sequence
//
// Weight bytes, cache bytes and pairs follow the usual counts (Pope et al., "Efficiently scaling
// transformer inference", arXiv:2211.05102); shares and latencies are fitted, in [serving].
//
// Experts spread over n devices: each has E/n of them, and all wait for the device with the most
// used ones. The t used experts are distributed like a draw without replacement, with deviation
// sqrt(t (1 - t/E) / n). The largest of n is about sqrt(2 ln n) deviations above the mean
// (`imbalance` scales that).
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "devices/serving/replica.h"

namespace drover::devices {
namespace {

/// Bytes of norms, residuals and activation per hidden element, row and layer; fused, 16 bits.
constexpr double elementwise_bytes = 24;
/// The output matrix and embeddings stay in 16 bits with narrower weights.
constexpr double output_bytes = 2;
/// Smallest size of rows with compiled shapes (vLLM on TPU).
constexpr double decode_bucket_min = 16;

/// The costs of an engine besides the kernels.
struct EngineConstants {
  double request_s, step_s, all_reduce_s, hop_s, reduce_share;
  double cuda_graph_rows_max, layer_launch_s, gang_launches;
  double idle_request_s = 0;  // part of request_s in which the device waits; it samples in the rest
};

EngineConstants engine_constants(const DeviceSpec::Serving& serving, ServingEngine engine) {
  EngineConstants constants{serving.request_s,      serving.step_s,
                            serving.all_reduce_s,   serving.hop_s,
                            serving.reduce_share,   serving.cuda_graph_rows_max,
                            serving.layer_launch_s, 1};
  if (engine == ServingEngine::vllm_0_5) {
    constants.request_s = serving.vllm_0_5_request_s;
    constants.step_s = serving.vllm_0_5_step_s;
    constants.cuda_graph_rows_max = 0;
    constants.layer_launch_s = serving.vllm_0_5_layer_launch_s;
    constants.gang_launches = serving.vllm_0_5_gang_launches;
    constants.idle_request_s = std::max(0.0, serving.vllm_0_5_request_s - serving.request_s);
  } else if (engine == ServingEngine::offline) {
    // The cost of its launches is part of the fitted time per step.
    constants = {serving.offline_request_s,
                 serving.offline_step_s,
                 serving.offline_all_reduce_s,
                 serving.offline_hop_s,
                 serving.offline_reduce_share,
                 std::numeric_limits<double>::infinity(),
                 0,
                 1};
  }
  return constants;
}

/// Rows that one group of tensor-parallel devices processes at a time.
double rows_each(const ServingPlan& plan, double rows) { return rows / plan.data / plan.pipeline; }

double padded_rows(const ServingReplica& replica, double rows) {
  if (replica.device.device_class != DeviceClass::tpu || rows <= 0) return rows;
  const double whole = std::ceil(std::max(rows, decode_bucket_min));
  return static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(whole)));
}

void add_products(ServingPass& pass, const ServingReplica& replica, double rows, double last) {
  const auto& [device, chip, shape, plan, bytes, engine] = replica;
  const double dense_layers = shape.layers - shape.expert_layers;
  const double weights =
      (shape.layers * shape.attention_weights + dense_layers * shape.dense_weights +
       shape.expert_layers * shape.shared_weights) /
      plan.tensor;
  const double output = shape.output_weights / plan.tensor;
  const double read = weights * bytes.weight + output * output_bytes;
  const double bandwidth = chip.memory_bandwidth * device.serving.weights_share;
  const double share = device.serving.product_share * chip.clock_share;
  pass.memory_s += read / bandwidth;
  pass.matrix_s += 2 * weights * rows / (chip.matrix_flops * share) +
                   2 * output * last / (chip.attention_flops * share);
  pass.flops += 2 * (weights * rows + output * last);
  pass.memory_bytes += read;

  const double moved = shape.layers * elementwise_bytes * shape.hidden * rows;
  pass.memory_s += moved / bandwidth;
  pass.memory_bytes += moved;
}

double cached_bytes_per_token(const ServingReplica& replica) {
  const ServingShape& shape = replica.shape;
  if (shape.latent_size > 0) return shape.layers * shape.latent_size * replica.bytes.cache;
  const double heads = std::max(1.0, shape.cache_heads / replica.plan.tensor);
  return shape.layers * 2 * heads * shape.cache_head_size * replica.bytes.cache;
}

double flops_per_pair(const ServingReplica& replica) {
  return 4 * replica.shape.layers * replica.shape.query_size / replica.plan.tensor;
}

double attention_rate(const ServingReplica& replica) {
  return replica.chip.attention_flops * replica.device.serving.score_share *
         replica.chip.clock_share;
}

double pair_seconds(const ServingReplica& replica) {
  const double read = cached_bytes_per_token(replica) /
                      (replica.chip.memory_bandwidth * replica.device.serving.cache_share);
  return std::max(read, flops_per_pair(replica) / attention_rate(replica));
}

void add_attention(ServingPass& pass, const ServingReplica& replica, const ServingLoad& load) {
  const double each = load.sequences > 0 ? load.context_tokens / load.sequences : 0;
  const double cached = rows_each(replica.plan, tokens_seen(replica.shape, each) * load.sequences);
  const double prompt_pairs =
      rows_each(replica.plan, load.prompt_tokens) * tokens_seen(replica.shape, load.prompt_context);
  const double flops = flops_per_pair(replica);
  pass.attention_s +=
      cached * pair_seconds(replica) + prompt_pairs * flops / attention_rate(replica);
  pass.flops += (cached + prompt_pairs) * flops;
  pass.memory_bytes += cached * cached_bytes_per_token(replica);
}

double touched_on_busiest(const ServingShape& shape, double touched, int devices,
                          double imbalance) {
  const double each = touched / devices;
  if (devices == 1) return each;
  const double deviation =
      std::sqrt(std::max(0.0, touched * (1 - touched / shape.experts) / devices));
  const double lead = imbalance * deviation * std::sqrt(2 * std::log(devices));
  return std::min(each + lead, shape.experts / devices);
}

/// Adds the experts of all layers, on their busiest device.
void add_expert_layers(ServingPass& pass, const ServingReplica& replica, double rows) {
  const auto& [device, chip, shape, plan, bytes, engine] = replica;
  if (shape.expert_layers <= 0) return;
  const double touched = experts_touched(shape, rows, device.serving.expert_popularity);
  // Without expert parallelism each expert is split like any matrix.
  const bool spread = plan.expert > 1;
  const int holders = spread ? plan.expert : 1;
  const double cut = spread ? 1 : plan.tensor;
  const double read = touched_on_busiest(shape, touched, holders, device.serving.expert_imbalance) *
                      shape.expert_weights / cut;
  const double bandwidth = chip.memory_bandwidth * device.serving.expert_weights_share;
  double memory_bytes = read * bytes.weight;
  double memory_s = memory_bytes / bandwidth;
  const double flops = 2 * shape.expert_weights * shape.experts_active * rows / holders / cut;
  const double matrix_s =
      flops / (chip.matrix_flops * device.serving.expert_product_share * chip.clock_share);
  // Sorting and scattering per row, and blocks of scales per expert, are costs of the engines whose
  // inter-token times were measured; the offline engine fuses them. They are memory traffic and use
  // its power (ML.ENERGY v3: experts use more power with more rows, not less).
  if (engine != ServingEngine::offline) {
    double moving_s = device.serving.expert_row_s * rows;
    if (bytes.scaled_blocks) moving_s += shape.experts / holders * device.serving.expert_block_s;
    memory_s += moving_s;
    memory_bytes += moving_s * chip.memory_bandwidth * device.serving.expert_weights_share;
  }
  pass.memory_s += shape.expert_layers * memory_s;
  pass.matrix_s += shape.expert_layers * matrix_s;
  pass.launches_s += shape.expert_layers * device.serving.expert_layer_s;
  pass.flops += shape.expert_layers * flops;
  pass.memory_bytes += shape.expert_layers * memory_bytes;
}

void add_collectives(ServingPass& pass, const ServingReplica& replica,
                     const EngineConstants& constants, double rows) {
  const auto& [device, chip, shape, plan, bytes, engine] = replica;
  const double count = plan.tensor;
  if (plan.pipeline > 1) pass.collectives_s += (plan.pipeline - 1) * constants.all_reduce_s;
  if (count <= 1) return;
  const double sent = 2 * (count - 1) / count * rows * shape.hidden * bytes.activation;
  const double link = chip.link_bandwidth * constants.reduce_share;
  const double latency = constants.all_reduce_s + (count - 2) * constants.hop_s;
  pass.collectives_s += 2 * shape.layers * (latency + sent / link);
  pass.link_bytes += 2 * shape.layers * sent;
}

/// For attention on separate batches with shared experts: every row is sent to the devices of its
/// experts and back.
void add_exchange(ServingPass& pass, const ServingReplica& replica,
                  const EngineConstants& constants, double rows) {
  const auto& [device, chip, shape, plan, bytes, engine] = replica;
  if (plan.data <= 1 || plan.expert <= 1) return;
  const double count = plan.expert;
  const double copies = std::min(shape.experts_active, count) * (count - 1) / count;
  const double sent = 2 * rows * copies * shape.hidden * bytes.activation / plan.tensor;
  const double latency = 2 * (constants.all_reduce_s + (count - 2) * constants.hop_s);
  pass.collectives_s +=
      shape.expert_layers * (latency + sent / (chip.link_bandwidth * constants.reduce_share));
  pass.link_bytes += shape.expert_layers * sent;
}

void add_host(ServingPass& pass, const ServingReplica& replica, const EngineConstants& constants,
              double rows, double answers) {
  const ServingShape& shape = replica.shape;
  pass.launches_s += shape.layers * shape.kernels * replica.device.serving.kernel_s;
  pass.idle_s += constants.step_s;
  if (rows > constants.cuda_graph_rows_max) {
    const double gang = replica.plan.devices() > 1 ? constants.gang_launches : 1;
    pass.idle_s += shape.layers * constants.layer_launch_s * gang;
  }
  pass.idle_s += constants.idle_request_s * answers;
  pass.host_s += pass.idle_s + (constants.request_s - constants.idle_request_s) * answers;
}

}  // namespace

double ServingPass::seconds() const {
  return memory_s + matrix_s + attention_s + collectives_s + launches_s + host_s;
}

ServingPass serving_pass(const ServingReplica& replica, const ServingLoad& load) {
  ServingPass pass;
  const ServingPlan& plan = replica.plan;
  const EngineConstants constants = engine_constants(replica.device.serving, replica.engine);
  const double all_rows =
      padded_rows(replica, load.sequences) + padded_rows(replica, load.prompt_tokens);
  const double rows = rows_each(plan, all_rows);
  const double last = rows_each(plan, load.sequences + load.prompts);
  add_products(pass, replica, rows, last);
  add_attention(pass, replica, load);
  add_expert_layers(pass, replica, all_rows / plan.pipeline);
  add_collectives(pass, replica, constants, rows);
  add_exchange(pass, replica, constants, rows);
  add_host(pass, replica, constants, rows, (load.sequences + load.prompts) / plan.data);
  return pass;
}

ServingPass prompt_pass(const ServingReplica& replica, double tokens, double context,
                        double prompts) {
  ServingLoad load;
  load.prompts = prompts;
  const double rows = padded_rows(replica, tokens);
  load.prompt_tokens = rows * prompts;
  load.prompt_context = context + rows / 2;
  return serving_pass(replica, load);
}

double seconds_per_cached_token(const ServingReplica& replica) {
  return rows_each(replica.plan, 1) * pair_seconds(replica);
}

}  // namespace drover::devices
