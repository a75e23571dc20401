// Products. A layer multiplies its tokens with the query-key-value, output, first and second
// feed-forward matrices. Tensor parallelism splits the columns of the first and the depth of the
// second of each pair (arXiv:1909.08053). The forward pass runs each once, the backward pass twice
// (gradients of input and weights), the recomputed share once more. A product takes
//   2 M K N / rate + exposed * bytes of operands and result / memory rate,
// each weight gradient is added to an fp32 sum (8 bytes per weight), and narrow operands are cast
// from 16 bits.
//
// Attention. Causal: a token attends to half of the sequence, at most to the window. The backward
// pass of fused attention takes 2.5 times the forward pass (arXiv:2307.08691). Without fused
// attention all scores are computed, written and read in about 20 passes of 16 bits (softmax, mask,
// dropout, their gradients).
//
// Element-wise work moves the activations that are kept for the backward pass a few times.
#include "devices/training/step_breakdown.h"

#include <algorithm>

#include "devices/training/memory.h"

namespace drover::devices {
namespace {

constexpr double backward_products = 2;
constexpr double backward_attention = 2.5;
/// Bytes to read and write an fp32 gradient sum.
constexpr double gradient_sum_bytes = 8;
/// Bytes per logit: written and read in fp32 by softmax, loss and their gradient.
constexpr double vocabulary_bytes = 12;
/// The largest expert group over the mean: all wait for it (force-balanced runs; assumed).
constexpr double expert_imbalance = 1.1;

class Work {
 public:
  Work(const TrainingJob& job, const Layout& layout, const TrainingRates& rates)
      : model_(*job.model),
        layout_(layout),
        rates_(rates),
        adapters_(job.adapters),
        sequence_(job.sequence),
        tokens_(micro_batch_tokens(job, layout)),
        again_(layout.recomputed * rates.device.training.recompute_share) {}

  void add_attention_products();
  void add_feed_forward_products();
  void add_attention();
  void add_elements();
  void add_vocabulary();
  TrainingStepBreakdown& sum() { return sum_; }

 private:
  void add_product(double rows, double inner, double columns, double count, double share = 1);
  void add_feed_forward(double rows, double size, double count, double share = 1);
  void add_memory(double bytes) {
    sum_[TimeComponent::memory] += bytes / rates_.memory;
    sum_.memory_bytes += bytes;
  }
  double cut(double size) const { return size / layout_.tensor; }

  const ModelSpec& model_;
  const Layout& layout_;
  const TrainingRates& rates_;
  bool adapters_;
  double sequence_, tokens_;
  double again_;  // additional passes for recomputation
  TrainingStepBreakdown sum_;
};

void Work::add_product(double rows, double inner, double columns, double count, double share) {
  const double passes = 1 + (adapters_ ? 1 : backward_products) + again_;
  const double flops = 2 * rows * inner * columns * passes * count;
  const double operands = rows * inner + inner * columns + rows * columns;
  const double exposed = rates_.device.training.operand_exposed;
  const double streamed = exposed * 2 * operands * passes * count;
  sum_[TimeComponent::matrix] += (flops / rates_.products + streamed / rates_.memory) / share;
  sum_.flops += flops;
  sum_.memory_bytes += 2 * operands * passes * count;
  if (rates_.cast_bytes > 0) {
    const double elements = rows * inner + rows * columns + inner * columns;
    add_memory(passes / 3 * rates_.cast_bytes * elements * count);
  }
  if (!adapters_ && !layout_.sharded) {
    add_memory(rates_.device.training.gradient_exposed * gradient_sum_bytes * inner * columns *
               count);
  }
}

void Work::add_feed_forward(double rows, double size, double count, double share) {
  add_product(rows, model_.hidden, (model_.gated ? 2 : 1) * size, count, share);
  add_product(rows, size, model_.hidden, count, share);
}

void Work::add_attention_products() {
  const double hidden = model_.hidden, heads = cut(model_.heads), layers = model_.layers;
  const double size = model_.head_size;
  if (model_.latent.kv_rank == 0) {
    const double keys = std::max(1.0, cut(model_.kv_heads));
    add_product(tokens_, hidden, (heads + 2 * keys) * size, layers);
    add_product(tokens_, heads * size, hidden, layers);
    return;
  }
  const Latent& latent = model_.latent;
  add_product(tokens_, hidden, latent.kv_rank + latent.rope_size, layers);
  add_product(tokens_, latent.kv_rank, heads * (size + latent.value_size), layers);
  const double query_inner = latent.query_rank > 0 ? latent.query_rank : hidden;
  if (latent.query_rank > 0) add_product(tokens_, hidden, latent.query_rank, layers);
  add_product(tokens_, query_inner, heads * (size + latent.rope_size), layers);
  add_product(tokens_, heads * latent.value_size, hidden, layers);
}

void Work::add_feed_forward_products() {
  const Experts& experts = model_.experts;
  const double routed_layers = experts.count > 0 ? model_.expert_layers() : 0;
  add_feed_forward(tokens_, cut(model_.feed_forward), model_.layers - routed_layers);
  if (routed_layers == 0) return;
  add_feed_forward(tokens_, cut(experts.shared * static_cast<double>(experts.feed_forward)),
                   experts.shared > 0 ? routed_layers : 0);
  // Each expert is on one device; the tokens of the expert group are distributed over them.
  const double held = std::max(1.0, static_cast<double>(experts.count) / layout_.expert);
  const double routed = cut(tokens_) * experts.active;
  add_feed_forward(routed * expert_imbalance / held, experts.feed_forward, routed_layers * held,
                   rates_.device.training.expert_share);
  // Tokens are sorted by expert, sent, and put back: forward, backward and recomputed.
  const double moved = 2 * routed * model_.hidden * routed_layers;
  add_memory((3 + again_) * rates_.device.training.expert_passes * moved);
}

/// The number of tokens that one token attends to, averaged over the layers.
double seen(const ModelSpec& model, double sequence) {
  const double whole = sequence / 2;
  if (model.window == 0) return whole;
  const double sliding = std::min(whole, static_cast<double>(model.window));
  const double whole_share = model.window_every > 0 ? 1.0 / model.window_every : 0;
  return whole_share * whole + (1 - whole_share) * sliding;
}

void Work::add_attention() {
  const Latent& latent = model_.latent;
  const double keys = model_.head_size + (latent.kv_rank > 0 ? latent.rope_size : 0);
  const double values = latent.kv_rank > 0 ? latent.value_size : model_.head_size;
  const double rows = tokens_ * cut(model_.heads) * model_.layers;
  const double forward = 2 * rows * (keys + values) * seen(model_, sequence_);
  if (rates_.stack == TrainingStack::unfused) {
    // Selective recomputation repeats only the scores.
    const double passes = 1 + backward_products + std::max(again_, 0.0);
    const double scores = 2 * rows * sequence_;
    sum_[TimeComponent::attention] +=
        passes * 2 * forward / rates_.wide +
        passes / 3 * rates_.device.training.score_passes * scores / rates_.memory;
    sum_.flops += passes * 2 * forward;
    sum_.memory_bytes += passes / 3 * rates_.device.training.score_passes * scores;
    return;
  }
  const double flops = (1 + backward_attention + again_) * forward;
  sum_[TimeComponent::attention] += flops / rates_.attention;
  sum_.flops += flops;
}

void Work::add_elements() {
  const DeviceSpec& device = rates_.device;
  const double tokens = cut(tokens_) * (1 + again_ / 3);
  double passes = rates_.stack == TrainingStack::eager ? device.training.eager_passes
                                                       : device.training.element_passes;
  const Experts& experts = model_.experts;
  if (experts.count == 0) {
    add_memory(passes * tokens * model_.layers * activation_bytes_per_token(model_, false));
    return;
  }
  const double inner =
      (experts.active + experts.shared) * static_cast<double>(experts.feed_forward);
  double expert_passes = device.training.expert_element_passes;
  // Experts with biases and their own activation run one kernel per operation (GPT-OSS).
  if (model_.biases && !rates_.tpu) expert_passes *= device.training.biased_expert_factor;
  const double bytes = 17 * model_.hidden + 6 * inner * expert_passes;
  add_memory(passes * tokens * model_.layers * bytes);
}

void Work::add_vocabulary() {
  const double columns = cut(model_.vocabulary);
  const double flops = 3 * 2 * tokens_ * model_.hidden * columns;
  sum_[TimeComponent::matrix] += flops / rates_.wide;
  sum_.flops += flops;
  add_memory(vocabulary_bytes * tokens_ * columns);
}

}  // namespace

TrainingStepBreakdown micro_batch_work(const TrainingJob& job, const Layout& layout,
                                       const TrainingRates& rates) {
  Work work(job, layout, rates);
  work.add_attention_products();
  work.add_feed_forward_products();
  work.add_attention();
  work.add_elements();
  work.add_vocabulary();
  TrainingStepBreakdown& sum = work.sum();
  add_layer_collectives(sum, job, layout, rates, sum[TimeComponent::attention]);
  return sum;
}

double micro_batch_host_s(const TrainingJob& job, const TrainingRates& rates) {
  const ModelSpec& model = *job.model;
  const double routed = model.experts.count > 0 ? model.expert_layers() : 0;
  return rates.device.training.layer_host_s * model.layers +
         rates.device.training.expert_host_s * routed;
}

}  // namespace drover::devices
