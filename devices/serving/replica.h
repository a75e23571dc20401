// A replica of a transformer: the rates and sizes of device and model, computed once; its passes
// over a batch, its memory, and its steady state at saturation.
#pragma once

#include "devices/catalogue/spec.h"
#include "devices/operation/step.h"
#include "devices/serving/shape.h"

namespace drover::devices {

/// Rates of one device at its current clock.
struct ServingChip {
  double matrix_flops = 0;     // peak for the weights' precision
  double attention_flops = 0;  // peak for 16 bits
  double memory_bandwidth = 0;
  double link_bandwidth = 0;  // one direction
  double clock_share = 1;
};

struct ServingBytes {
  double weight = 2;           // of one weight
  double activation = 2;       // between layers
  double cache = 2;            // of one cached element
  bool scaled_blocks = false;  // 8 bits with a scale per block, which costs time in experts
};

struct ServingReplica {
  ServingReplica(const DeviceSpec& device, const ModelSpec& model, Precision weights,
                 const ServingPlan& plan, ServingEngine engine, double clock_share,
                 double links = 1);

  const DeviceSpec& device;
  ServingChip chip;
  ServingShape shape;
  ServingPlan plan;
  ServingBytes bytes;
  ServingEngine engine;
};

/// The load of a step, over the whole replica: prompt tokens, next tokens of running sequences, or
/// both, as in continuous batching.
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

ServingPass serving_pass(const ServingReplica& replica, const ServingLoad& load);

/// The pass of `prompts` equal prompts, or chunks of prompts after `context` earlier tokens.
ServingPass prompt_pass(const ServingReplica& replica, double tokens, double context,
                        double prompts);

/// Seconds that one more cached token adds to a step whose windows are not full.
double seconds_per_cached_token(const ServingReplica& replica);

/// The pass as a step, with activities relative to the datasheet peaks of the device.
Step step_of(const ServingReplica& replica, const ServingPass& pass);

/// Bytes on one device.
struct ServingMemory {
  double capacity = 0;
  double weights = 0;
  double reserved = 0;    // context, collectives, graphs, activations of one chunk
  double cache_room = 0;  // left for caches; 0: the weights do not fit
};
ServingMemory serving_memory(const ServingReplica& replica);

/// Bytes on one device per token of context of the replica.
double cache_bytes_each(const ServingReplica& replica);

struct ServingDemand {
  double input_tokens = 0;   // of one request
  double output_tokens = 0;  // at least 1
  double batch = 0;          // concurrent sequences; 0: as many as cache and engine admit
};

struct SteadyState {
  double sequences = 0;      // running on one replica
  double tokens_per_s = 0;   // output tokens of one replica
  double first_token_s = 0;  // of a request whose prompt is in the next step
  double token_s = 0;        // between tokens of one request, with the prompts of others
  ServingPass pass;          // of the mean step
};

/// One replica at saturation: prompts and next tokens share every step. One sequence runs when the
/// cache has room for none.
SteadyState serving_steady(const ServingReplica& replica, const ServingDemand& demand);

/// The plan for saturation: the smallest replicas that leave memory for caches besides the weights.
ServingPlan plan_for_saturation(const DeviceSpec& device, const ModelSpec& model, Precision weights,
                                int devices, ServingEngine engine);

}  // namespace drover::devices
