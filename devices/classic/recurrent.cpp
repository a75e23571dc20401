// An LSTM multiplies its inputs by the weights of all gates for all steps at once, then its state
// step by step (Appleyard et al. 2016, arXiv:1604.01946). Each step is a small product that reads
// its weights again, from the caches if they fit, and depends on the previous step.
#include "devices/classic/recurrent.h"

#include <algorithm>

namespace drover::devices {
namespace {

/// Bandwidth of caches over that of memory (assumed: about three on GPUs of all generations).
constexpr double cache_factor = 3;

}  // namespace

void add_recurrence(StepAccumulator& sum, const LayerRates& layer, const Recurrence& it,
                    double items, double passes, double step_s) {
  const double width = it.gates * it.outputs;
  const double times = it.times * passes;
  const double size = layer.element_bytes;
  const double rows = items * it.steps;
  if (!it.feed_forward) {
    add_layer_kernel(sum, layer, layer.product_seconds(rows, it.inputs, width),
                     2 * rows * it.inputs * width,
                     size * (rows * (it.inputs + width) + it.inputs * width), times);
  }
  const double state = it.feed_forward ? it.inputs : it.outputs;
  const double weight_bytes = size * state * width;
  const bool cached = weight_bytes < layer.rates.device.l2_bytes;
  const double reading_s = layer.memory_seconds(weight_bytes) / (cached ? cache_factor : 1);
  const double work_s = std::max(layer.product_seconds(items, state, width), reading_s);
  sum.add_kernel(work_s > reading_s ? TimeComponent::matrix : TimeComponent::memory,
                 times * it.steps * work_s, times * it.steps * 2 * items * state * width,
                 cached ? 0 : times * it.steps * weight_bytes);
  sum.add_kernel(TimeComponent::launch, times * it.steps * step_s, 0, 0);
}

}  // namespace drover::devices
