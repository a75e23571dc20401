// One pass of a decoder over a batch: prompt tokens, next tokens of running sequences, or both, as
// in continuous batching.
#pragma once

#include "devices/catalogue/engine.h"
#include "devices/serving/shape.h"

namespace drover::devices {

/// Rates of one device at its current clock.
struct ServingChip {
  double matrix_flops = 0;     // peak for the weights' precision
  double attention_flops = 0;  // peak for 16 bits
  double memory_bandwidth = 0;
  double link_bandwidth = 0;  // one direction
  double clock_share = 1;
  bool buckets = false;  // rows are padded to compiled sizes
  const ServingConstants* serving = nullptr;
};

struct ServingBytes {
  double weight = 2;           // of one weight
  double activation = 2;       // between layers
  double cache = 2;            // of one cached element
  bool scaled_blocks = false;  // 8 bits with a scale per block, which costs time in experts
};

/// The rows that the chip computes: the next power of two on devices with compiled shapes.
double padded_rows(const ServingChip& chip, double rows);

/// The load of a step, over the whole replica.
struct ServingLoad {
  double sequences = 0;       // sequences that get their next token
  double context_tokens = 0;  // total in their caches
  double prompt_tokens = 0;   // new tokens of prompts
  double prompt_context = 0;  // mean number of tokens that a prompt token attends to
  double prompts = 0;         // prompts that end in this step and get their first token
};

/// Seconds by cause, and flops and bytes per device.
struct ServingPass {
  double memory_s = 0;     // reading matrices and experts, element-wise work
  double matrix_s = 0;     // multiplying
  double attention_s = 0;  // caches and scores
  double collectives_s = 0;
  double launches_s = 0;
  double host_s = 0;
  double idle_s = 0;  // part of host_s in which the device waits; it samples in the rest
  double flops = 0, memory_bytes = 0, link_bytes = 0;

  double seconds() const;
};

ServingPass serving_pass(const ServingChip&, const ServingShape&, const ServingPlan&,
                         const ServingBytes&, const ServingLoad&, ServingEngine);

/// Seconds that one more cached token adds to a step whose windows are not full.
double seconds_per_cached_token(const ServingChip&, const ServingShape&, const ServingPlan&,
                                const ServingBytes&);

}  // namespace drover::devices
