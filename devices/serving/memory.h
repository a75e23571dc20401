// The memory of a replica: weights, caches of running sequences, and the software's reserve.
#pragma once

#include "devices/catalogue/spec.h"
#include "devices/serving/step.h"

namespace drover::devices {

/// Bytes on one device.
struct ServingMemory {
  double capacity = 0;
  double weights = 0;
  double reserved = 0;    // context, collectives, graphs, activations of one chunk
  double cache_room = 0;  // left for caches; 0: the weights do not fit
};

ServingMemory serving_memory(const DeviceSpec&, const ServingShape&, const ServingPlan&,
                             const ServingBytes&);

/// Bytes on one device per token of context of the replica.
double cache_bytes_each(const ServingShape&, const ServingPlan&, const ServingBytes&);

/// Tokens of context that fit on one replica, in blocks of `cache_block`.
double cache_tokens(const ServingMemory&, const ServingShape&, const ServingPlan&,
                    const ServingBytes&);
inline constexpr double cache_block = 16;  // tokens; vLLM and TensorRT-LLM use pages of 16 or more

/// The number of sequences of `tokens` each that can run without running out of pages.
double sequences_admitted(double cache_tokens, double tokens);

}  // namespace drover::devices
