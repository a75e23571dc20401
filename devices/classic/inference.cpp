// Compiled engines fuse norms and activation functions into the layer before, so that a layer reads
// its input and writes its output once, partly in caches. A norm over a group of channels needs the
// whole output first and reads it again. Frameworks run each part of a layer separately, and the
// host prepares the calls: the time is the larger of device and host time.
#include "devices/classic/inference.h"

#include <algorithm>

#include "devices/classic/layers.h"

namespace drover::devices {
namespace {

/// Windows of a volume in one batch (assumed: they are large already).
constexpr double windows_at_once = 8;
/// Live bytes per output element and evaluation, over all layers (assumed).
constexpr double alive_share = 0.1;
constexpr double throughput_batch_max = 256, recurrent_batch_max = 2048;
/// Passes over the fp32 logits: threshold, sorting, selection (assumed).
constexpr double logit_passes = 4;

bool by_engine(const LayerRates& layer, const ModelSpec& model, SoftwareStack software) {
  if (software != SoftwareStack::engine && software != SoftwareStack::tuned) return false;
  // Encoders in 16 bits are run by frameworks unless the padding was removed.
  if (model.architecture == Architecture::encoder && !model.packed) return layer.element_bytes <= 1;
  return true;
}

void add_attentions(StepAccumulator& sum, const LayerRates& layer, const LayeredModel& model,
                    double items, double score_passes) {
  for (const AttentionBlock& it : model.attentions) {
    const double pairs = items * it.queries * it.keys * it.times;
    sum.add_kernel(TimeComponent::attention, layer.attention_seconds(4 * pairs * it.width),
                   4 * pairs * it.width, 0);
    sum.add_memory(layer.element_bytes * pairs * it.heads * score_passes);
    sum.add_kernel(TimeComponent::launch, 2 * it.times * layer.kernel_s, 0, 0);
  }
}

/// Adds one evaluation of the whole list of layers.
void add_evaluation(StepAccumulator& sum, const LayerRates& layer, const LayeredModel& model,
                    double items, bool engine) {
  const DeviceSpec& device = layer.rates.device;
  double outputs = 0;
  for (const Convolution& it : model.convolutions) {
    add_convolution(sum, layer, it, model.dimensions, items, Pass::forward,
                    engine ? device.layers.engine_traffic : 1);
    outputs += it.times * size_of(it, model.dimensions).outputs;
  }
  const bool own_statistics = model.norm == Norm::group || model.norm == Norm::instance;
  const double engine_passes = own_statistics ? device.layers.group_norm_passes : 0;
  const double framework_passes =
      layer.computes_fp32 ? device.layers.framework_passes : device.layers.narrow_framework_passes;
  const double passes = engine ? engine_passes : framework_passes;
  sum.add_memory(layer.element_bytes * items * outputs * passes);
  add_attentions(sum, layer, model, items, engine ? 0 : device.layers.framework_score_passes);
  for (const DenseLayer& it : model.products) add_dense(sum, layer, it, items, false);
  for (const Recurrence& it : model.recurrences) {
    add_recurrence(sum, layer, it, items, 1,
                   engine ? layer.kernel_s : device.layers.recurrent_step_s);
  }
  sum.add_memory(4 * items * model.logits * logit_passes);
  for (const Embedding& it : model.embeddings) {
    sum.add_memory(layer.element_bytes * items * it.rows * it.width);
  }
}

void add_layered(StepAccumulator& sum, const LayerRates& layer, const LayeredModel& model,
                 double items, bool engine) {
  const double windows = items * model.windows;
  const double at_once =
      model.windows > 1 ? std::min(windows, windows_at_once) : items * model.together;
  add_evaluation(sum, layer, model, at_once, engine);
  sum.times(model.evaluations * (model.windows > 1 ? windows / at_once : 1));
  const double tail = items * model.tail_flops;
  sum.add_kernel(TimeComponent::matrix,
                 layer.attention_seconds(tail) * layer.rates.device.layers.attention, tail, 0);
}

void add_host(StepAccumulator& sum, const LayerRates& layer, const LayeredModel& model,
              SoftwareStack software, bool engine) {
  const DeviceSpec& device = layer.rates.device;
  const double each = software == SoftwareStack::autocast || layer.element_bytes == 2
                          ? device.layers.autocast_layer_s
                          : device.layers.framework_layer_s;
  double host_s = engine ? 0 : layer_count(model) * each + device.layers.framework_fixed_s;
  if (model.evaluations > 1) host_s = model.evaluations * device.layers.evaluation_s;
  sum.add_seconds(std::max(0.0, host_s - sum.seconds()));
  if (engine) sum.add_seconds(device.layers.engine_fixed_s);
}

void add_encoder_batch(StepAccumulator& sum, const LayerRates& layer, const ModelSpec& model,
                       double items, double tokens, bool engine) {
  const DeviceSpec& device = layer.rates.device;
  EncoderShape shape;
  shape.items = items;
  shape.tokens = tokens;
  shape.passes =
      engine ? device.layers.engine_encoder_passes : device.layers.framework_encoder_passes;
  shape.score_passes =
      engine ? device.layers.engine_score_passes : device.layers.framework_score_passes;
  add_encoder(sum, layer, model, shape);
  sum.add_seconds(engine ? device.layers.engine_fixed_s
                         : model.layers * device.layers.framework_encoder_s);
}

}  // namespace

double default_sequence_tokens(const ModelSpec& model) {
  if (!model.is_transformer()) return 1;
  if (model.typical_tokens > 0) return model.typical_tokens;
  return std::max(1u, model.context_max);
}

Step inference_step(const Placement& placement, const ModelSpec& model, const InferenceShape& shape,
                    double clock_share) {
  Placement one = placement;
  one.devices = 1;
  one.precision = layer_precision(*placement.device, model, placement.precision);
  const LayerRates layer(one, clock_share);
  StepAccumulator sum(layer.rates);
  const bool engine = by_engine(layer, model, shape.software);
  if (model.is_transformer()) {
    const bool given = shape.tokens > 0 && !model.packed;
    add_encoder_batch(sum, layer, model, shape.items,
                      given ? shape.tokens : default_sequence_tokens(model), engine);
  } else {
    add_layered(sum, layer, model.layered, shape.items, engine);
    add_host(sum, layer, model.layered, shape.software, engine);
  }
  Step step = sum.step();
  step.duty_cycle =
      step.seconds > 0
          ? 1 - step.parts[static_cast<std::size_t>(TimeComponent::host)] / step.seconds
          : 1;
  return step;
}

double inference_bytes(const Placement& placement, const ModelSpec& model, double items) {
  const double size = bytes_each(placement.precision);
  const double alive = model.is_transformer()
                           ? default_sequence_tokens(model) * (10.0 * model.hidden)
                           : alive_share * output_elements(model.layered) * model.layered.together;
  return size * (model.parameters() + items * alive);
}

double throughput_batch(const Placement& placement, const ModelSpec& model) {
  const double room = placement.device->memory.bytes - placement.device->memory.reserved_bytes;
  double batch =
      model.architecture == Architecture::recurrent ? recurrent_batch_max : throughput_batch_max;
  while (batch > 1 && inference_bytes(placement, model, batch) > room) batch /= 2;
  return batch;
}

}  // namespace drover::devices
