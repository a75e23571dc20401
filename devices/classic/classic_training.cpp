// A step has the forward pass; the backward pass, with two products for each one of the forward
// pass; norms, activation functions and their gradients as passes over the outputs of the layers;
// the optimiser; and the reduction of gradients, hidden behind the backward pass. The host calls
// the layers one by one, so the time is at least that of the host. The small kernels of the
// optimiser, one set per layer, are not hidden.
#include "devices/classic/classic_training.h"

#include <algorithm>
#include <cmath>

#include "devices/classic/inference.h"
#include "devices/classic/layers.h"

namespace drover::devices {
namespace {

/// Passes over the fp32 logits by softmax, loss and gradient (assumed).
constexpr double training_logit_passes = 10;
/// Weight, gradient and two optimiser states, fp32, and a copy of the weights in 16 bits.
constexpr double state_bytes_each = 18;
constexpr double items_each_max = 256;

bool is_tuned(const Placement& placement, SoftwareStack software) {
  // XLA does the fusions that benchmark submissions do by hand.
  return software == SoftwareStack::tuned || placement.device->device_class == DeviceClass::tpu;
}

double passes_of(const LayerRates& layer, SoftwareStack software, bool tuned) {
  const DeviceSpec& device = layer.rates.device;
  if (tuned) return device.layers.tuned_training_passes;
  if (software == SoftwareStack::autocast) return device.layers.autocast_training_passes;
  if (layer.element_bytes < 4) return device.layers.mixed_training_passes;
  return layer.computes_fp32 ? device.layers.training_passes : device.layers.tf32_training_passes;
}

void add_layers(StepAccumulator& sum, const LayerRates& layer, const LayeredModel& model,
                double items, double passes, bool tuned) {
  const DeviceSpec& device = layer.rates.device;
  double outputs = 0;
  for (const Convolution& it : model.convolutions) {
    for (const Pass pass : {Pass::forward, Pass::data_gradient, Pass::weight_gradient}) {
      add_convolution(sum, layer, it, model.dimensions, items, pass, 1);
    }
    outputs += it.times * size_of(it, model.dimensions).outputs;
  }
  for (const DenseLayer& it : model.products) add_dense(sum, layer, it, items, true);
  for (const AttentionBlock& it : model.attentions) {
    const double pairs = items * it.queries * it.keys * it.times;
    const double flops = 3 * 4 * pairs * it.width;
    sum.add_kernel(TimeComponent::attention, layer.attention_seconds(flops), flops, 0);
    sum.add_kernel(TimeComponent::launch, 4 * it.times * layer.kernel_s, 0, 0);
    if (!tuned) {
      sum.add_memory(3 * layer.element_bytes * pairs * it.heads *
                     device.layers.framework_score_passes);
    }
  }
  for (const Recurrence& it : model.recurrences) {
    add_recurrence(sum, layer, it, items, 3, device.layers.recurrent_step_s);
  }
  sum.add_memory(layer.element_bytes * items * outputs * passes);
  sum.add_memory(4 * items * model.logits * training_logit_passes);
}

void add_encoder_step(StepAccumulator& sum, const LayerRates& layer, const ModelSpec& model,
                      const NonDecoderTrainingShape& shape, double items, double tokens,
                      bool tuned) {
  const DeviceSpec& device = layer.rates.device;
  const bool narrow_by_hand = layer.element_bytes < 4 && shape.software != SoftwareStack::autocast;
  EncoderShape encoder;
  encoder.items = items;
  encoder.tokens = tokens;
  encoder.training = true;
  encoder.passes = tuned            ? device.layers.tuned_encoder_training_passes
                   : narrow_by_hand ? device.layers.mixed_encoder_training_passes
                                    : device.layers.encoder_training_passes;
  encoder.score_passes =
      tuned ? 3 * device.layers.engine_score_passes : device.layers.encoder_training_score_passes;
  add_encoder(sum, layer, model, encoder);
}

/// Adds the reduction of all gradients over all devices: within the fast domain, then between
/// domains for the share of each device. Only the time not hidden by the backward pass counts.
void add_reduction(StepAccumulator& sum, const LayerRates& layer, const Placement& placement,
                   double bytes, double step_s) {
  const DeviceSpec& device = *placement.device;
  if (placement.devices <= 1) return;
  const int linked = std::max(1, static_cast<int>(device.links.domain));
  const int domain = placement.per_host > 0 ? std::min(linked, placement.per_host) : linked;
  Placement inner = placement;
  inner.devices = std::min(placement.devices, std::max(domain, 1));
  const Rates rates(inner, layer.rates.clock_share);
  double seconds = all_reduce_seconds(rates, bytes);
  if (placement.devices > inner.devices && device.network.bandwidth > 0) {
    seconds += 2 * bytes / inner.devices / (device.network.bandwidth * device.network.efficiency) +
               std::log2(static_cast<double>(placement.devices) / inner.devices) *
                   device.network.latency_s;
  }
  sum.add_link(all_reduce_bytes(rates, bytes),
               std::max(0.0, seconds - device.layers.hidden_reduction * step_s));
}

/// Adds host time: the host calls the layers while the device works, and the slower one counts.
void add_calls(StepAccumulator& sum, const DeviceSpec& device, const ModelSpec& model,
               double items) {
  const bool encoder = model.is_transformer();
  const double each =
      encoder ? device.layers.encoder_training_layer_s : device.layers.training_layer_s;
  const double layers = encoder ? model.layers : layer_count(model.layered);
  const double host_s = std::max(layers * each, items * model.layered.input_s);
  sum.add_seconds(std::max(0.0, host_s - sum.seconds()));
}

void add_optimizer(StepAccumulator& sum, const LayerRates& layer, const ModelSpec& model,
                   bool tuned) {
  const DeviceSpec& device = layer.rates.device;
  const bool encoder = model.is_transformer();
  const double each =
      encoder ? device.layers.optimizer_encoder_layer_s : device.layers.optimizer_layer_s;
  const double layers = encoder ? model.layers : layer_count(model.layered);
  const double bytes = 4 * model.parameters() * device.layers.optimizer_passes;
  sum.add_kernel(TimeComponent::optimizer,
                 layer.memory_seconds(bytes) + (tuned ? 0 : layers * each), 0, bytes);
}

}  // namespace

double non_decoder_state_bytes(const ModelSpec& model) {
  return state_bytes_each * model.parameters();
}

double non_decoder_item_bytes(const Placement& placement, const ModelSpec& model, double tokens) {
  const double narrow = bytes_each(placement.precision) <= 2 ? 1 : 2;
  if (!model.is_transformer()) return narrow * model.activation_bytes_per_item;
  // 34 h + 5 a s bytes per token and layer in 16 bits (Korthikanti et al., arXiv:2205.05198).
  return narrow * model.layers * tokens * (34.0 * model.hidden + 5.0 * model.heads * tokens);
}

double default_batch_per_device(const Placement& placement, const ModelSpec& model, double tokens) {
  const double room = placement.device->memory.bytes - placement.device->memory.reserved_bytes -
                      non_decoder_state_bytes(model);
  const double each = non_decoder_item_bytes(placement, model, tokens);
  double items = items_each_max;
  while (items > 1 && items * each > room) items /= 2;
  return items;
}

Step non_decoder_training_step(const Placement& placement, const ModelSpec& model,
                               const NonDecoderTrainingShape& shape, double clock_share) {
  Placement one = placement;
  one.devices = 1;
  one.precision = layer_precision(*placement.device, model, placement.precision);
  const LayerRates layer(one, clock_share);
  const DeviceSpec& device = layer.rates.device;
  const bool tuned = is_tuned(placement, shape.software);
  const bool given = shape.tokens > 0 && !model.packed;
  const double tokens = given ? shape.tokens : default_sequence_tokens(model);
  const double each = shape.items / std::max(1, placement.devices);
  const double at_once =
      std::min(each, std::max(1.0, 2 * default_batch_per_device(one, model, tokens)));
  StepAccumulator sum(layer.rates);
  if (model.is_transformer()) {
    add_encoder_step(sum, layer, model, shape, std::max(at_once, 1e-3), tokens, tuned);
  } else {
    add_layers(sum, layer, model.layered, std::max(at_once, 1e-3),
               passes_of(layer, shape.software, tuned), tuned);
  }
  // Gradients are accumulated over this many parts of the batch.
  sum.times(std::max(1.0, each / at_once));
  if (!tuned) add_calls(sum, device, model, each);
  const double computing_s = sum.seconds();
  add_optimizer(sum, layer, model, tuned);
  if (tuned) sum.add_seconds(device.layers.tuned_fixed_s);
  add_reduction(sum, layer, placement, (tuned ? 2 : 4) * model.parameters(), computing_s);
  Step step = sum.step();
  step.duty_cycle = 1 - step.parts[static_cast<std::size_t>(TimeComponent::host)] / step.seconds;
  return step;
}

}  // namespace drover::devices
