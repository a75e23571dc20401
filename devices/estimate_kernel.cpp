// One kernel alone: a product, the attention of one layer.
#include <algorithm>

#include "devices/estimate_parts.h"
#include "devices/step_sum.h"

namespace drover::devices {
namespace {

/// Short kernels run at the nominal clock; with a limit given they are a loop that feels it.
Sustained kernel_run(const Case& question, const std::function<Step(double)>& step_at) {
  if (question.power_limit_w) return sustained(*question.device, question.power_limit_w, step_at);
  Sustained run;
  run.step = step_at(1);
  run.power_w = power_w(*question.device, run.step, true, 1);
  return run;
}

}  // namespace

Result<Estimate> estimate_gemm(const Case& question) {
  if (!question.m || !question.n || !question.k) return missing(question, "m, n or k");
  const Placement placement = placement_of(question, 1);
  const auto step_at = [&](double share) {
    const Rates rates(placement, share);
    StepSum sum(rates);
    sum.add_product(*question.m, {*question.k, *question.n}, 1);
    sum.add_launches(1);
    return sum.step();
  };
  Estimate answer = from_sustained(question, kernel_run(question, step_at));
  answer.cost_unit = "kernel";
  answer.tflops_per_device = 2 * *question.m * *question.n * *question.k / answer.seconds / 1e12;
  return answer;
}

Result<Estimate> estimate_attention(const Case& question) {
  const ModelSpec* model = question.model.get();
  const double heads = question.heads > 0 ? question.heads : model != nullptr ? model->heads : 0;
  const double kv_heads = question.kv_heads > 0 ? question.kv_heads
                          : model != nullptr    ? model->kv_heads
                                                : heads;
  const double head = question.head_size > 0 ? question.head_size
                      : model != nullptr     ? model->head_size
                                             : 0;
  if (heads == 0 || head == 0) return missing(question, "model, or heads and head_dim");
  const double tensor = question.tensor.value_or(1);
  const bool prefill = question.kind == CaseKind::attention_prefill;
  const double batch = question.batch.value_or(1);
  const double fresh = prefill ? question.input.value_or(question.sequence.value_or(0)) : 1;
  const double context = question.context.value_or(0);
  if (prefill && fresh <= 0) return missing(question, "input_len or seq_len");
  const double seen = context + (prefill ? (fresh + 1) / 2 : 1);
  const Placement placement = placement_of(question, 1);
  const auto step_at = [&](double share) {
    const Rates rates(placement, share);
    StepSum sum(rates);
    const double flops = batch * fresh * seen * 4 * heads * head / tensor;
    const double bytes =
        batch *
        ((context + fresh) * 2 * std::max(1.0, kv_heads / tensor) + 2 * fresh * heads / tensor) *
        head * rates.activation_bytes;
    sum.add_attention(flops, bytes);
    sum.add_launches(1);
    return sum.step();
  };
  Estimate answer = from_sustained(question, kernel_run(question, step_at));
  answer.cost_unit = "kernel";
  return answer;
}

Result<Estimate> estimate_collective(const Case& question) {
  if (!question.bytes) return missing(question, "bytes");
  if (question.devices < 2)
    return error("devices: found {}, expected at least 2", question.devices);
  const Rates rates(placement_of(question, question.devices), 1);
  Sustained run;
  StepSum sum(rates);
  const bool reduces_all = question.collective == CollectiveKind::all_reduce;
  sum.add_link(all_reduce_bytes(rates, *question.bytes),
               all_reduce_seconds(rates, *question.bytes) * (reduces_all ? 1 : 0.5));
  run.step = sum.step();
  run.power_w = power_w(*question.device, run.step, true, 1);
  Estimate answer = from_sustained(question, run);
  answer.cost_unit = "collective";
  return answer;
}

}  // namespace drover::devices
