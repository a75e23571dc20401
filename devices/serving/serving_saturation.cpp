// A request of `in` prompt and `out` answer tokens lives through `out` steps. With b requests
// running, b / out of them end per step and as many begin, so that the mean step carries b next
// tokens and b x in / out prompt tokens, over caches that hold in + out / 2 tokens each:
//
//   step = pass(b, b (in + out/2), prompts b in / out)        tokens/s = b / step
//
// The same sum, written as (prompt pass of b x in + out decode steps) / out, is one static batch.
// b is what the cache admits when each request's whole length is reserved (TensorRT-LLM's
// guaranteed_no_evict), at most what the engine runs at once.
#include "devices/serving/serving_saturation.h"

#include <algorithm>

namespace drover::devices {
namespace {

double running(const ServingChip& chip, const ServingPlan& plan, double tokens_held,
               const ServingDemand& demand) {
  const double admitted =
      std::max(1.0, sequences_admitted(tokens_held, demand.input_tokens + demand.output_tokens));
  if (demand.batch > 0) return std::min(admitted, demand.batch);
  // The engine's limit holds for each part that batches on its own.
  return std::min(admitted, chip.serving->offline_sequences * plan.data);
}

}  // namespace

ServingSteady serving_steady(const ServingChip& chip, const ServingShape& shape,
                             const ServingPlan& plan, const ServingBytes& bytes, double tokens_held,
                             const ServingDemand& demand, Engine engine) {
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
                        Engine engine) {
  ServingLoad load;
  load.prompts = prompts;
  const double rows = padded_rows(chip, tokens);
  load.prompt_tokens = rows * prompts;
  load.prompt_context = context + rows / 2;
  return serving_pass(chip, shape, plan, bytes, load, engine);
}

}  // namespace drover::devices
