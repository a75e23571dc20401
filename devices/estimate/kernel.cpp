// Estimates of a single kernel: a matrix product, the attention of one layer.
#include <algorithm>

#include "devices/estimate/parts.h"
#include "devices/operation/attention.h"
#include "devices/operation/power.h"
#include "devices/operation/step_accumulator.h"

namespace drover::devices {
namespace {

/// The rates of kernels are fitted to loops at the board's own power limit, for which the nominal
/// clock is used. A lower limit reduces the clock as it would for such a loop.
PowerLimitedStep kernel_run(const Case& question, const std::function<Step(double)>& step_at) {
  const DeviceSpec& device = *question.device;
  PowerLimitedStep run;
  if (question.power_limit_w && *question.power_limit_w < device.power.tdp_w) {
    const PowerLimitedStep limited = power_limited_step(device, question.power_limit_w, step_at);
    const PowerLimitedStep free = power_limited_step(device, std::nullopt, step_at);
    run.clock_share = std::min(1.0, limited.clock_share / free.clock_share);
    run.power_w = limited.power_w;
    run.step = step_at(run.clock_share);
    return run;
  }
  run.step = step_at(1);
  run.power_w =
      limited_power_w(device.power, power_w(device, run.step, true, 1), device.power.tdp_w);
  return run;
}

/// A kernel as a step: its fixed time counts as launch.
Step kernel_step(const DeviceSpec& device, Precision precision, TimeComponent part,
                 const Kernel& kernel, double floor_s) {
  Step step;
  step.seconds = kernel.seconds;
  step.parts[static_cast<std::size_t>(part)] = kernel.seconds - floor_s;
  step.parts[static_cast<std::size_t>(TimeComponent::launch)] = floor_s;
  step.tensor_activity =
      std::min(1.0, kernel.flops / kernel.seconds / compute_peak(device, precision));
  step.memory_activity = std::min(1.0, kernel.bytes / kernel.seconds / device.memory.bandwidth);
  return step;
}

/// The shape of a case on one device of its tensor-parallel set.
Result<AttentionShape> attention_shape(const Case& question) {
  const ModelSpec* model = question.model;
  AttentionShape shape;
  const auto given = [](double own, double of_model) { return own > 0 ? own : of_model; };
  shape.heads = given(question.heads, model != nullptr ? model->heads : 0);
  shape.kv_heads = given(question.kv_heads,
                         model != nullptr && question.heads == 0 ? model->kv_heads : shape.heads);
  shape.head_size = given(question.head_size, model != nullptr ? model->head_size : 0);
  if (shape.heads == 0 || shape.head_size == 0) {
    return missing(question, "model, or heads and head_dim");
  }
  const double tensor = question.tensor.value_or(1);
  shape.heads = std::max(1.0, shape.heads / tensor);
  shape.kv_heads = std::clamp(shape.kv_heads / tensor, 1.0, shape.heads);
  shape.batch = question.batch.value_or(1);
  shape.context = question.context.value_or(0);
  if (question.kind == CaseKind::attention_prefill) {
    shape.queries = question.input.value_or(question.sequence.value_or(0));
    if (shape.queries <= 0) return missing(question, "input_len or seq_len");
  } else if (!question.context) {
    shape.context = question.input.value_or(question.sequence.value_or(0));
  }
  shape.causal = model == nullptr || model->architecture != Architecture::encoder;
  shape.element_bytes = std::max(2.0, bytes_each(question.precision));
  shape.cache_bytes = bytes_each(question.precision);
  return shape;
}

}  // namespace

Result<Estimate> estimate_gemm(const Case& question) {
  if (!question.m || !question.n || !question.k) return missing(question, "m, n or k");
  const DeviceSpec& device = *question.device;
  const Product product{*question.m, *question.n, *question.k};
  const auto step_at = [&](double share) {
    const Kernel kernel = library_call(device, question.precision, product, share);
    const TimeComponent part = kernel.matrix_seconds >= kernel.memory_seconds
                                   ? TimeComponent::matrix
                                   : TimeComponent::memory;
    return kernel_step(device, question.precision, part, kernel, device.matrix.floor_s);
  };
  Estimate answer = estimate_from_step(question, kernel_run(question, step_at));
  answer.cost_unit = "kernel";
  answer.tflops_per_device = 2 * *question.m * *question.n * *question.k / answer.seconds / 1e12;
  return answer;
}

Result<Estimate> estimate_attention(const Case& question) {
  DROVER_ASSIGN(const auto shape, attention_shape(question));
  const DeviceSpec& device = *question.device;
  const auto step_at = [&](double share) {
    Kernel kernel = attention_kernel(device, question.precision, shape, share);
    kernel.seconds += device.attention.floor_s;
    return kernel_step(device, question.precision, TimeComponent::attention, kernel,
                       device.attention.floor_s);
  };
  Estimate answer = estimate_from_step(question, kernel_run(question, step_at));
  answer.cost_unit = "kernel";
  answer.tflops_per_device = attention_flops(shape) / answer.seconds / 1e12;
  return answer;
}

}  // namespace drover::devices
