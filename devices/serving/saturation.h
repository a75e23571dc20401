// Continuous batching in steady state: prompts and next tokens share every step.
#pragma once

#include "devices/serving/memory.h"

namespace drover::devices {

struct ServingDemand {
  double input_tokens = 0;   // of one request
  double output_tokens = 0;  // at least 1
  double batch = 0;          // concurrent sequences; 0: as many as cache and engine admit
};

struct ServingSteady {
  double sequences = 0;      // running on one replica
  double tokens_per_s = 0;   // output tokens of one replica
  double first_token_s = 0;  // of a request whose prompt is in the next step
  double token_s = 0;        // between tokens of one request, with the prompts of others
  ServingPass pass;          // of the mean step
};

/// One replica at saturation. `tokens_held` is the capacity of its cache; with 0 one sequence runs.
ServingSteady serving_steady(const ServingChip&, const ServingShape&, const ServingPlan&,
                             const ServingBytes&, double tokens_held, const ServingDemand&,
                             ServingEngine);

/// The pass of `prompts` equal prompts, or chunks of prompts after `context` earlier tokens.
ServingPass prompt_pass(const ServingChip&, const ServingShape&, const ServingPlan&,
                        const ServingBytes&, double tokens, double context, double prompts,
                        ServingEngine);

}  // namespace drover::devices
