// What a replica holds: weights, caches of running sequences, and what the software keeps.
#pragma once

#include "devices/catalogue/spec.h"
#include "devices/serving/serving_step.h"

namespace drover::devices {

/// Bytes of one device.
struct ServingMemory {
  double capacity = 0;
  double weights = 0;
  double reserved = 0;    // context, collectives, graphs, activations of one chunk
  double cache_room = 0;  // what is left for caches; 0: the weights do not fit
};

ServingMemory serving_memory(const DeviceSpec&, const ServingShape&, const ServingPlan&,
                             const ServingBytes&);

/// Bytes on one device per token of context held by the replica.
double cache_bytes_each(const ServingShape&, const ServingPlan&, const ServingBytes&);

/// Tokens of context that one replica holds, in blocks of `cache_block`.
double cache_tokens(const ServingMemory&, const ServingShape&, const ServingPlan&,
                    const ServingBytes&);
inline constexpr double cache_block = 16;  // vLLM and TensorRT-LLM hand out pages of 16 or more

/// Sequences of `tokens` each that run at once when none may run out of pages.
double sequences_admitted(double cache_tokens, double tokens);

}  // namespace drover::devices
