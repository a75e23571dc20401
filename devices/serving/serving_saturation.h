// Continuous batching in its steady state: prompts and next tokens share every step.
#pragma once

#include "devices/serving/serving_memory.h"

namespace drover::devices {

struct ServingDemand {
  double input_tokens = 0;   // of one request
  double output_tokens = 0;  // at least 1
  double batch = 0;          // sequences running at once; 0: what the cache and engine admit
};

struct ServingSteady {
  double sequences = 0;      // that run, one replica
  double tokens_per_s = 0;   // output tokens, one replica
  double first_token_s = 0;  // of a request whose prompt finds a place in the next step
  double token_s = 0;        // between tokens of one request, prompts of others included
  ServingPass pass;          // of the mean step
};

/// One replica at saturation. `tokens_held` is what its cache holds; 0 still runs one sequence.
ServingSteady serving_steady(const ServingChip&, const ServingShape&, const ServingPlan&,
                             const ServingBytes&, double tokens_held, const ServingDemand&, Engine);

/// A prompt, or a chunk of one after `context` earlier tokens; `prompts` alike side by side.
ServingPass prompt_pass(const ServingChip&, const ServingShape&, const ServingPlan&,
                        const ServingBytes&, double tokens, double context, double prompts, Engine);

}  // namespace drover::devices
