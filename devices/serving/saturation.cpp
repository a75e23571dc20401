// A request of `in` prompt and `out` output tokens takes `out` steps. With b running requests, b /
// out of them end per step and as many begin, so the mean step processes b next tokens and b x in /
// out prompt tokens, with caches of in + out / 2 tokens each:
//
//   step = pass(b, b (in + out/2), prompts b in / out)        tokens/s = b / step
//
// The same sum, as (prompt pass of b x in + out decode steps) / out, is one static batch. b is the
// number of requests that the cache admits with each request's whole length reserved
// (TensorRT-LLM's guaranteed_no_evict), limited by the engine.
#include "devices/serving/saturation.h"

#include <algorithm>

namespace drover::devices {
namespace {

double running(const ServingChip& chip, const ServingPlan& plan, double tokens_held,
               const ServingDemand& demand) {
  const double admitted =
      std::max(1.0, sequences_admitted(tokens_held, demand.input_tokens + demand.output_tokens));
  if (demand.batch > 0) return std::min(admitted, demand.batch);
  // The engine's limit applies to each data-parallel part.
  return std::min(admitted, chip.serving->offline_sequences * plan.data);
}

}  // namespace

ServingSteady serving_steady(const ServingChip& chip, const ServingShape& shape,
                             const ServingPlan& plan, const ServingBytes& bytes, double tokens_held,
                             const ServingDemand& demand, ServingEngine engine) {
  ServingSteady steady;
  const double out = std::max(1.0, demand.output_tokens);
  steady.sequences = running(chip, plan, tokens_held, demand);
  ServingLoad load;
  load.sequences = steady.sequences;
  load.context_tokens = steady.sequences * (demand.input_tokens + out / 2);
  load.prompts = steady.sequences / out;
  load.prompt_tokens = load.prompts * demand.input_tokens;
  load.prompt_context = demand.input_tokens / 2;
  steady.pass = serving_pass(chip, shape, plan, bytes, load, engine);
  steady.token_s = steady.pass.seconds();
  steady.tokens_per_s = steady.sequences / steady.token_s;
  steady.first_token_s =
      prompt_pass(chip, shape, plan, bytes, demand.input_tokens, 0, 1, engine).seconds() +
      steady.token_s;
  return steady;
}

ServingPass prompt_pass(const ServingChip& chip, const ServingShape& shape, const ServingPlan& plan,
                        const ServingBytes& bytes, double tokens, double context, double prompts,
                        ServingEngine engine) {
  ServingLoad load;
  load.prompts = prompts;
  const double rows = padded_rows(chip, tokens);
  load.prompt_tokens = rows * prompts;
  load.prompt_context = context + rows / 2;
  return serving_pass(chip, shape, plan, bytes, load, engine);
}

}  // namespace drover::devices
